"""The names that a statement itself gives, told from its tokens; it need not parse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.tokens import CLOSE, LITERALS, OPEN, any_of, letter_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_AS: Final = letter_of(TokenType.ALIAS)
_BEFORE_ALIAS: Final = any_of(
    TokenType.VAR, TokenType.IDENTIFIER, *LITERALS, TokenType.R_PAREN, TokenType.END
)
_PLACES: Final = re.compile(
    f"{OPEN}|{CLOSE}|(?<={_AS})(?P<named>{_NAME})|(?<={_BEFORE_ALIAS})(?P<bare>{_NAME})"
    f"|{_NAME}(?={_AS})"
)
_LIST: Final = re.compile(f"{OPEN}((?:{_NAME}|{letter_of(TokenType.COMMA)})*){CLOSE}")
_COMMA: Final = letter_of(TokenType.COMMA)
_NO_ALIAS: Final = frozenset(
    (
        "AT BOTH CENTURY CHARSET CONFLICT DAY DAYS DECADE DO DOW DOY ENCODING EPOCH ESCAPE EXCLUDE"
        " FILTER FIRST FOLLOWING FORMAT GROUPS HOUR HOURS IGNORE LAST LATERAL LEADING LOCKED"
        " MATERIALIZED MICROSECOND MILLISECOND MINUTE MINUTES MONTH MONTHS NO NOTHING NOTNULL"
        " NOWAIT NULLS ONLY ORDINALITY OTHERS OVER PERCENT PRECEDING PRECISION QUARTER RESPECT"
        " SEARCH SECOND SECONDS SEPARATOR SIGNED SIMILAR SKIP SYMMETRIC TIES TO TRAILING UNBOUNDED"
        " UNSIGNED VARYING WEEK WEEKS WITHIN YEAR YEARS ZONE"
    ).split()
)
"""Words of SQL that sqlglot does not know as such, and that may stand behind an expression."""

_CASTS: Final = frozenset({"CAST", "TRY_CAST", "SAFE_CAST", "CONVERT", "TRY_CONVERT"})


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names of columns, tables and CTEs that hold within the statement only."""

    names: frozenset[str]
    """In lower case."""
    places: frozenset[int]
    """The tokens that give them, by number; `max(x) AS max` gives a name that is also called."""


def find_aliases(tokens: Sequence[Token], shape: str) -> Aliases:
    """Return aliases of columns and tables, names of CTEs and of their columns.

    Args:
        tokens: The tokens of a statement.
        shape: Their shape.
    """
    places: set[int] = set()
    opened: list[int] = []
    for found in _PLACES.finditer(shape):
        place = found.start()
        if found[0] == OPEN:
            opened.append(place)
        elif found[0] == CLOSE:
            opening = opened.pop() if opened else 0
            if opening and _opens_cte(tokens, shape, place):
                places.update(_listed(shape, opening))
                places.add(opening - 1)
        elif _is_alias(tokens, found, opened) or _opens_cte(tokens, shape, place):
            places.add(place)
            places.update(_listed(shape, place + 1))
    names = frozenset([tokens[place].text.lower() for place in places])
    return Aliases(names, frozenset(places))


def _is_alias(tokens: Sequence[Token], found: re.Match[str], opened: list[int]) -> bool:
    place = found.start()
    if found.lastgroup == "named":
        if tokens[place].text.upper() == "MATERIALIZED":
            return False
        return not (opened and opened[-1] and tokens[opened[-1] - 1].text.upper() in _CASTS)
    if found.lastgroup is None:
        return False
    return (
        tokens[place].text.upper() not in _NO_ALIAS
        and tokens[place - 1].text.upper() not in _NO_ALIAS
    )


def _opens_cte(tokens: Sequence[Token], shape: str, place: int) -> bool:
    """Say whether AS and a bracket follow a token, as with a CTE or a window."""
    if shape[place + 1 : place + 2] != _AS:
        return False
    after = place + 2
    while after < len(shape) and tokens[after].text.upper() in {"NOT", "MATERIALIZED"}:
        after += 1
    return shape[after : after + 1] == OPEN


def _listed(shape: str, opening: int) -> list[int]:
    """Return the names of a plain list of names in parentheses; none if it holds anything else."""
    found = _LIST.match(shape, opening)
    if found is None:
        return []
    return [place for place in range(*found.span(1)) if shape[place] != _COMMA]
