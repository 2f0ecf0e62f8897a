"""Splits any text into SQL lexemes for highlighting and comparing; accepts invalid SQL."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Kind = Literal["space", "comment", "quoted", "text", "number", "keyword", "name", "mark"]

_LEXEME: Final = re.compile(
    r"""(
    \s+
  | [^\W\d][\w$]*                                             # a name: total
  | --[^\n]* | /\*.*?(?:\*/|\Z)                                # a comment: -- all
  | \$(\w*)\$.*?(?:\$\2\$|\Z) | '(?:[^']|'')*(?:'|\Z)         # a text: $$it's$$, 'it''s'
  | "(?:[^"]|"")*(?:"|\Z) | `[^`]*(?:`|\Z) | \[[^\]\n]*\]      # a quoted name: "a b", [a b]
  | \d+(?:\.\d+)?(?:[eE][+-]?\d+)?                            # a number: 2.5e3
  | <=> | ->> | \#>> | <> | != | <= | >= | \|\| | :: | .
    )""",
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

_WORDS: Final = frozenset({"keyword", "name"})
_SILENT: Final = frozenset({"space", "comment"})
_KEPT: Final = 10_000
"""The statements of a run share most of their lexemes: names, keywords and marks."""


class Lexeme(NamedTuple):
    """A span of a statement; the texts of all lexemes, joined, give the statement."""

    text: str
    kind: Kind
    key: str
    """The comparison key: case-insensitive for words, as written for everything else."""
    is_silent: bool
    """Whether the database ignores it: white space or a comment."""


def lexemes(sql: str) -> list[Lexeme]:
    """Return the statement's lexemes in order, white space and comments included."""
    return [_lexeme(text) for text, _ in _LEXEME.findall(sql)]


@lru_cache(_KEPT)
def _lexeme(text: str) -> Lexeme:
    kind = _kind(text)
    key = text.casefold() if kind in _WORDS else "!=" if text == "<>" else text
    return Lexeme(text, kind, key, kind in _SILENT)


def _kind(text: str) -> Kind:
    """Return the kind, which the first characters of a lexeme tell."""
    first = text[0]
    if first.isspace():
        return "space"
    if first.isdecimal():
        return "number"
    if first.isalnum() or first == "_":
        return "keyword" if text.casefold() in _KEYWORDS else "name"
    if text.startswith(("--", "/*")):
        return "comment"
    if first in "'$":
        return "mark" if text == "$" else "text"
    return "mark" if first not in '"`[' or text == "[" else "quoted"
