"""Breaks a one-line statement into lines at its clauses.

Works on lexemes, not on a tree: invalid SQL is laid out, too, and no token is changed.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.reporting.statement.lexemes import Lexeme

_CLAUSES: Final = frozenset(
    "except fetch from group having intersect limit offset order qualify union where window".split()
)
_JOINS: Final = frozenset("cross full inner join left natural right".split())
_JOIN_WORDS: Final = _JOINS | {"outer"}
_CONNECTIVES: Final = frozenset({"and", "or"})
_QUERIES: Final = frozenset({"select", "with", "values"})
_INDENT: Final = "  "
_LONG: Final = 60
"""Minimum length in characters at which one line is broken."""


def laid_out(words: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the lexemes with line breaks in place of spaces before clauses.

    A statement that contains line breaks or is short stays unchanged.
    """
    if not words or words[-1].end < _LONG or any("\n" in word.text for word in words):
        return list(words)
    breaks = _breaks(words)
    return [
        word._replace(text="\n" + _INDENT * breaks[word.end]) if word.end in breaks else word
        for word in words
    ]


def _breaks(words: Sequence[Lexeme]) -> dict[int, int]:
    """Return, by start offset, the indentation of every token that starts a line."""
    found: dict[int, int] = {}
    nesting = _Nesting()
    previous: Lexeme | None = None
    spoken = [word for word in words if not word.is_silent]
    spaced = {word.end for word in words if word.kind == "space"}
    for word, following in zip_longest(spoken, spoken[1:]):
        depth = nesting.depth_of_break(word, previous, following)
        if depth is not None and word.start in spaced:
            found[word.start] = depth
        nesting.enter(word, following)
        previous = word
    return found


class _Nesting:
    """Tracks open parentheses, and whether an AND belongs to a BETWEEN or a CASE."""

    def __init__(self) -> None:
        self._is_query = [True]
        self._betweens = 0
        self._cases = 0

    def depth_of_break(
        self, word: Lexeme, previous: Lexeme | None, following: Lexeme | None
    ) -> int | None:
        """Return the indentation of a line that starts with this token; None if none does."""
        if not self._is_query[-1] or word.kind != "keyword" or previous is None:
            return None
        depth, key = 2 * (sum(self._is_query) - 1), word.key
        if key in _CONNECTIVES:
            return None if self._betweens or self._cases else depth + 1
        if key in _CLAUSES or _starts_join(word, previous, following):
            return depth
        return depth if key == "select" and previous.key in {"all", *_CLAUSES} else None

    def enter(self, word: Lexeme, following: Lexeme | None) -> None:
        """Update the state after a token."""
        if word.text == "(":
            self._is_query.append(following is not None and following.key in _QUERIES)
        elif word.text == ")" and len(self._is_query) > 1:
            self._is_query.pop()
        elif word.kind == "keyword":
            self._count(word.key)

    def _count(self, key: str) -> None:
        if key == "between":
            self._betweens += 1
        elif key == "and" and self._betweens:
            self._betweens -= 1
        elif key == "case":
            self._cases += 1
        elif key == "end" and self._cases:
            self._cases -= 1


def _starts_join(word: Lexeme, previous: Lexeme, following: Lexeme | None) -> bool:
    """Return whether a token starts a join: `LEFT` in `LEFT OUTER JOIN`, not in `LEFT(a, 2)`."""
    is_call = following is not None and following.text == "("
    return word.key in _JOINS and previous.key not in _JOIN_WORDS and not is_call
