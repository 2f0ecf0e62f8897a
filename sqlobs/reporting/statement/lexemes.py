"""Splits any text into SQL lexemes for highlighting and comparing; accepts invalid SQL."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Kind = Literal["space", "comment", "quoted", "text", "number", "keyword", "name", "mark"]

_LEXEME: Final = re.compile(
    r"""
    (?P<space>   \s+ )
  | (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<text>    \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) | '(?:[^']|'')*(?:'|\Z) )
  | (?P<quoted>  "(?:[^"]|"")*(?:"|\Z) | `[^`]*(?:`|\Z) | \[[^\]\n]*\] )
  | (?P<number>  \d+(?:\.\d+)?(?:[eE][+-]?\d+)? )
  | (?P<name>    [^\W\d][\w$]* )
  | (?P<mark>    <=> | ->> | \#>> | <> | != | <= | >= | \|\| | :: | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS: Final = frozenset(
    """all and any array as asc between by case cast collate cross current delete desc
    distinct else end escape except exists false fetch filter first following for from full
    glob group having ilike in inner insert intersect interval into is join last lateral left
    like limit natural next not null nulls offset on only or order outer over partition
    preceding qualify range recursive right row rows select set similar some table then ties
    top true unbounded union unnest update using values when where window with within""".split()
)

_KINDS: Final[dict[str, Kind]] = {
    "space": "space",
    "comment": "comment",
    "text": "text",
    "quoted": "quoted",
    "number": "number",
    "mark": "mark",
}
_WORDS: Final = frozenset({"keyword", "name"})
_SILENT: Final = frozenset({"space", "comment"})


class Lexeme(NamedTuple):
    """A span of a statement; all lexemes joined give the statement."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset at which the next lexeme starts."""
        return self.start + len(self.text)

    @property
    def key(self) -> str:
        """The comparison key: case-insensitive for words, as written for everything else."""
        if self.kind in _WORDS:
            return self.text.casefold()
        return "!=" if self.text == "<>" else self.text

    @property
    def is_silent(self) -> bool:
        """Whether the database ignores it: white space or a comment."""
        return self.kind in _SILENT


def lexemes(sql: str) -> list[Lexeme]:
    """Return the statement's lexemes in order, white space and comments included."""
    return [
        Lexeme(_kind(match.lastgroup, match[0]), match[0], match.start())
        for match in _LEXEME.finditer(sql)
    ]


def _kind(group: str | None, text: str) -> Kind:
    if group == "name":
        return "keyword" if text.casefold() in _KEYWORDS else "name"
    return _KINDS[group or "mark"]
