"""The tokens of a declared type, apart from them its comments; and what quotes and options say."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""
    (?P<quoted> "(?:[^"]|"")*+" | `(?:[^`]|``)*+` )
  | (?P<string> '(?:[^'\\]|''|\\.)*+' )
  | (?P<comment> --[^\n]*+ | /\*(?:[^*]|\*(?!/))*+\*/ )
  | (?P<word>   [\w$.?]++ )
  | (?P<mark>   [^\s] )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACES: Final = re.compile(
    r"""
    (?P<kept> "(?:[^"]|"")*+" | `[^`]*+` | '(?:[^'\\]|''|\\.)*+' )
  | (?P<edge> (?<=[<(])\s++ | \s++(?=[>)]) )
  | \s++
    """,
    re.VERBOSE | re.DOTALL,
)
_ODD_SPACE: Final = re.compile(r"\s\s|[^\S ]|[<(]\s|\s[>)]")


class Token(NamedTuple):
    """A piece of a type."""

    kind: str
    """`quoted`, `string`, `comment`, `word` or `mark`."""
    text: str
    upper: str
    """The word it may be; empty for anything quoted."""
    start: int
    end: int


def tokens_of(text: str) -> tuple[list[Token], list[Token]]:
    """Return the tokens of a type, and its comments."""
    tokens, comments = list[Token](), list[Token]()
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup or "", match[0]
        upper = found.upper() if kind in {"word", "mark"} else ""
        kept = comments if kind == "comment" else tokens
        kept.append(Token(kind, found, upper, *match.span()))
    return tokens, comments


def normal(text: str) -> str:
    """Return a text with single spaces and none inside brackets; those inside quotes are kept."""
    if _ODD_SPACE.search(text) is None:
        return text
    return _SPACES.sub(lambda match: match["kept"] or ("" if match["edge"] else " "), text)


def unquoted(text: str) -> str:
    """Return a text without the quotes around it."""
    quote = text[:1]
    if quote not in {'"', "`", "'"}:
        return text
    return text[1:-1].replace(quote * 2, quote).replace(f"\\{quote}", quote)


_DESCRIPTION: Final = re.compile(
    r"""\bdescription\s*=\s*("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')""", re.IGNORECASE
)


def description_of(options: str) -> str | None:
    """Return the description among BigQuery's options: `OPTIONS(description="where")`."""
    found = _DESCRIPTION.search(options)
    return unquoted(found[1]) if found is not None else None
