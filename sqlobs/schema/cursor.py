"""Walking over tokens: keywords, parentheses, lists with commas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.schema.lexing import Token

_ANGLED = frozenset({"ARRAY", "MAP", "STRUCT", "RANGE"})
_NESTING = frozenset("()[],<>")


class UnreadableError(ValueError):
    """The body of CREATE TABLE does not follow its form; the caller adds line and table."""


@dataclass(slots=True)
class Cursor:
    """A position among tokens."""

    tokens: tuple[Token, ...]
    index: int = 0

    @property
    def word(self) -> str:
        """The keyword at the position; "" behind the end or on anything quoted."""
        return self.tokens[self.index].upper if self.index < len(self.tokens) else ""

    def peek(self, ahead: int = 0) -> str:
        """Return the keyword some tokens ahead, "" if there is none."""
        place = self.index + ahead
        return self.tokens[place].upper if place < len(self.tokens) else ""

    @property
    def done(self) -> bool:
        """Nothing is left."""
        return self.index >= len(self.tokens)

    def next(self) -> Token:
        """Return the token at the position and step over it."""
        if self.done:
            raise UnreadableError("it ends unexpectedly")
        self.index += 1
        return self.tokens[self.index - 1]

    def accept(self, *words: str) -> bool:
        """Step over these keywords if all of them stand here."""
        place = self.index
        for word in words:
            if place >= len(self.tokens) or self.tokens[place].upper != word:
                return False
            place += 1
        self.index = place
        return True

    def group(self) -> list[Token]:
        """Step over a pair of parentheses and return what stands between them."""
        if not self.accept("("):
            return []
        depth = 1
        for place in range(self.index, len(self.tokens)):
            word = self.tokens[place].upper
            depth += (word == "(") - (word == ")")
            if not depth:
                inner = list(self.tokens[self.index : place])
                self.index = place + 1
                return inner
        raise UnreadableError("a parenthesis is never closed")


def split_commas(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the runs of tokens between commas outside inner parentheses."""
    parentheses, angles, start, previous = 0, 0, 0, ""
    for place, token in enumerate(tokens):
        word = token.upper
        if word in _NESTING:
            parentheses += (word in {"(", "["}) - (word in {")", "]"})
            angles += angle_step(word, previous, angles)
            if word == "," and not parentheses and not angles:
                yield tokens[start:place]
                start = place + 1
        previous = word
    yield tokens[start:]


def angle_step(word: str, previous: str, angles: int) -> int:
    """Return by how much a token nests in the angles of `ARRAY<…>`; comparisons do not."""
    return (word == "<" and previous in _ANGLED) - (word == ">" and angles > 0)


def option(tokens: list[Token], name: str) -> str | None:
    """Return the text of an option, `name = 'text'`; None if it is not among the tokens."""
    for place, token in enumerate(tokens):
        if token.upper == name:
            following = tokens[place + 1 : place + 3]
            return next((one.text for one in following if one.kind in {"string", "quoted"}), None)
    return None
