"""Cut any text into the lexemes of SQL, for colouring and comparing; nothing is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

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


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A stretch of a statement; all lexemes joined give the statement again."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next lexeme starts."""
        return self.start + len(self.text)

    @property
    def key(self) -> str:
        """What the lexeme is compared by: words without case, everything else as written."""
        if self.kind in {"keyword", "name"}:
            return self.text.casefold()
        return "!=" if self.text == "<>" else self.text


def lexemes(sql: str) -> list[Lexeme]:
    """Return the statement's lexemes in order, white space and comments included."""
    return [_lexeme(match) for match in _LEXEME.finditer(sql)]


def _lexeme(match: re.Match[str]) -> Lexeme:
    kind = _kind(match)
    return Lexeme(kind, match[0], match.start())


def _kind(match: re.Match[str]) -> Kind:
    if match["space"]:
        return "space"
    if match["comment"]:
        return "comment"
    if match["text"]:
        return "text"
    if match["quoted"]:
        return "quoted"
    if match["number"]:
        return "number"
    if match["name"]:
        return "keyword" if match[0].casefold() in _KEYWORDS else "name"
    return "mark"
