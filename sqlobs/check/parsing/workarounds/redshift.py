"""What Redshift takes and sqlglot refuses."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

_APPROXIMATED: Final = frozenset({"COUNT", "PERCENTILE_DISC"})


def _without_approximate(tokens: list[Token]) -> list[Token]:
    """Read `COUNT(DISTINCT a)` for `APPROXIMATE COUNT(DISTINCT a)`."""
    for place in range(len(tokens) - 3, -1, -1):
        word, call, bracket = tokens[place : place + 3]
        if bracket.token_type is not TokenType.L_PAREN:
            continue
        if word.text.upper() == "APPROXIMATE" and call.text.upper() in _APPROXIMATED:
            del tokens[place]
    return tokens


READINGS: Final = (_without_approximate,)
