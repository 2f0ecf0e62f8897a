"""One statement of DDL while it is read: where we are in it, and what it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.schema.cursor import Cursor, split_commas

if TYPE_CHECKING:
    from sqlobs.schema.content import Table
    from sqlobs.schema.definitions import BodyReader
    from sqlobs.schema.lexing import Lexed, Token
    from sqlobs.schema.workbench import Workbench


@dataclass(slots=True)
class Reading:
    """One statement being read: its tokens behind the opening words, and what it changes."""

    workbench: Workbench
    cursor: Cursor
    body: BodyReader
    lexed: Lexed
    name: tuple[str, ...] = ()
    """The table it is about, once read."""

    def read_name(self) -> tuple[str, ...]:
        """Read the qualified name of the table the statement is about."""
        self.name = self.body.name_parts(self.cursor)
        return self.name

    def table(self) -> Table | None:
        """Return the table of the name read, if the script has made it."""
        return self.workbench.find(self.name)

    def rest(self) -> str:
        """Return the source from the position to the end."""
        if self.cursor.done:
            return ""
        return self.lexed.source[self.cursor.tokens[self.cursor.index].start :]

    def names(self, tokens: list[Token]) -> list[tuple[str, ...]]:
        """Return the qualified names of a list of names separated by commas."""
        return [self.body.name_parts(Cursor(tuple(run))) for run in split_commas(tokens) if run]

    def skip_to(self, word: str) -> bool:
        """Step to a keyword outside parentheses; False if it does not come."""
        while not self.cursor.done and self.cursor.word != word:
            if self.cursor.word == "(":
                self.cursor.group()
            else:
                self.cursor.next()
        return not self.cursor.done
