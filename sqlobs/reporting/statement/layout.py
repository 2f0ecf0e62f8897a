"""Breaks a one-line statement into lines at its clauses.

Works on lexemes, not on a tree: invalid SQL is laid out, too, and no token is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.reporting.statement.lexemes import Lexeme

_CLAUSES: Final = frozenset(
    "except fetch from group having intersect limit offset order qualify union where window".split()
)
_JOINS: Final = frozenset("cross full inner join left natural right".split())
_JOIN_WORDS: Final = _JOINS | {"outer"}
_CONNECTIVES: Final = frozenset({"and", "or"})
_PARENTHESES: Final = frozenset("()")
_QUERIES: Final = frozenset({"select", "with", "values"})
_TELLING: Final = _CLAUSES | _JOINS | _CONNECTIVES | {"select", "between", "case", "end"}
"""Keywords that may start a line, or decide whether an AND does."""
_READ: Final = _TELLING | _PARENTHESES
_INDENT: Final = "  "
_LONG: Final = 60
"""Minimum length in characters at which one line is broken."""


def laid_out(words: Sequence[Lexeme]) -> list[str]:
    """Return the texts of the lexemes, with line breaks in place of spaces before clauses.

    A statement that contains line breaks or is short stays unchanged.
    """
    texts = [word.text for word in words]
    sql = "".join(texts)
    if len(sql) >= _LONG and "\n" not in sql:
        for place, depth in _breaks(words):
            texts[place] = "\n" + _INDENT * depth
    return texts


def _breaks(words: Sequence[Lexeme]) -> Iterator[tuple[int, int]]:
    """Yield the places of the spaces that become line breaks, each with its indentation."""
    nesting = _Nesting()
    spoken = [place for place, word in enumerate(words) if not word.is_silent]
    read = [position for position, place in enumerate(spoken) if words[place].key in _READ]
    for position in read:
        place = spoken[position]
        word = words[place]
        following = words[spoken[position + 1]] if position + 1 < len(spoken) else None
        if word.kind == "keyword" and word.key in _TELLING:
            previous = words[spoken[position - 1]] if position else None
            depth = nesting.depth_of_break(word, previous, following)
            if depth is not None and words[place - 1].kind == "space":
                yield place - 1, depth
            nesting.count(word.key)
        elif word.text in _PARENTHESES:
            nesting.enter(word, following)


class _Nesting:
    """Tracks open parentheses, and whether an AND belongs to a BETWEEN or a CASE."""

    def __init__(self) -> None:
        self._is_query = [True]
        self._betweens = 0
        self._cases = 0

    def depth_of_break(
        self, word: Lexeme, previous: Lexeme | None, following: Lexeme | None
    ) -> int | None:
        """Return the indentation of a line that starts with this keyword; None if none does."""
        if not self._is_query[-1] or previous is None:
            return None
        depth, key = 2 * (sum(self._is_query) - 1), word.key
        if key in _CONNECTIVES:
            return None if self._betweens or self._cases else depth + 1
        if key in _CLAUSES or _starts_join(word, previous, following):
            return depth
        return depth if key == "select" and previous.key in {"all", *_CLAUSES} else None

    def enter(self, word: Lexeme, following: Lexeme | None) -> None:
        """Update the state after a parenthesis."""
        if word.text == "(":
            self._is_query.append(following is not None and following.key in _QUERIES)
        elif len(self._is_query) > 1:
            self._is_query.pop()

    def count(self, key: str) -> None:
        """Update the state after a keyword."""
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
