"""Rewrites the tokens of valid SQL that sqlglot cannot parse, as the dialect's `rewrites` say.

Rewriting may change results but never names; the tree is not executed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing import nested_rewrites
from sqlobs.check.parsing.tokens import LITERALS, token_as, tokenized
from sqlobs.dialects.base import Rewrite
from sqlobs.dialects.registry import dialect_of

Rewriting = Callable[[list[Token]], list[Token]]

_COMMON: Final = (
    "parentheses_around_comparisons",
    # LIMIT 5 % 3, in which sqlglot reads a percentage
    Rewrite(r"%|PERCENT", "*", within=r"\bLIMIT\b"),
)
"""Rewrites for every dialect."""


def rewritten(tokens: Sequence[Token], dialect: str) -> list[Token] | None:
    """Return the rewritten tokens of a statement; None if nothing is to be rewritten."""
    again = [*tokens]
    for rewriting in _rewritings(dialect):
        again = rewriting(again)
    return again if again != [*tokens] else None


@cache
def _rewritings(dialect: str) -> tuple[Rewriting, ...]:
    rewrites = (*dialect_of(dialect).parsing.rewrites, *_COMMON)
    return tuple(
        getattr(nested_rewrites, one) if isinstance(one, str) else _Rewriting(one, dialect)
        for one in rewrites
    )


class _Rewriting:
    """One pattern of a dialect, applied to tokens."""

    def __init__(self, rewrite: Rewrite, dialect: str) -> None:
        self._pattern: Final = re.compile(rf"(?<!\S)(?:{rewrite.pattern})(?!\S)")
        self._within: Final = re.compile(rewrite.within)
        self._parts: Final = rewrite.replacement.split()
        self._dialect: Final = dialect

    def __call__(self, tokens: list[Token]) -> list[Token]:
        words = [*map(_spelled, tokens, [None, *tokens])]
        text = " ".join(words)
        found = [*self._pattern.finditer(text)] if self._within.search(text) else []
        if not found:
            return tokens
        begins = [0]
        for word in words[:-1]:
            begins.append(begins[-1] + len(word) + 1)
        again: list[Token] = []
        done = 0
        for match in found:
            begin, end = _span(begins, match, 0)
            again += tokens[done:begin]
            again += self._replacement(tokens, match, begins)
            done = end
        return again + tokens[done:]

    def _replacement(
        self, tokens: list[Token], match: re.Match[str], begins: list[int]
    ) -> Iterator[Token]:
        begin, _ = _span(begins, match, 0)
        for part in self._parts:
            if part[0] == "\\":
                yield from tokens[slice(*_span(begins, match, int(part[1:])))]
            else:
                yield token_as(*_kind_and_text(part, self._dialect), tokens[begin])


def _span(begins: list[int], match: re.Match[str], group: int) -> tuple[int, int]:
    """Return which tokens a group matches."""
    begin, end = match.span(group)
    return bisect_left(begins, begin), bisect_right(begins, end - 1) if end > begin else 0


def _spelled(token: Token, before: Token | None) -> str:
    if token.token_type is TokenType.IDENTIFIER:
        return '"'
    if token.token_type not in LITERALS:
        return token.text.upper()
    if token.token_type is TokenType.NUMBER:
        return "0"
    if before is not None and before.token_type is TokenType.VAR:
        return "&'" if before.end + 1 == token.start else "'"
    return "'"


@cache
def _kind_and_text(part: str, dialect: str) -> tuple[TokenType, str]:
    """Return the token of one keyword, name or sign."""
    try:
        (token,) = tokenized(part, dialect)
    except (TokenError, ValueError) as error:
        raise ValueError(f"{part!r} is not one token of {dialect}") from error
    return token.token_type, token.text
