"""One DDL statement as tokens that remember their place, quotes and trailing comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.script import QUOTED, QUOTED_WITH_BACKSLASH

TokenKind = Literal["word", "quoted", "string", "number", "punctuation"]

_LEXEME = r"""
    \s*+(?:
    (?P<word>     [^\W\d][\w$\#@]*+(?!') | [@\#]+\w+ )
  | (?P<mark>     [(),;.=] )
  | (?P<number>   \d[\w.]* )
  | (?P<string>   (?:\b[eEnNbBxX])?%s | (?P<dollar>\$(?:[A-Za-z_]\w*)?\$).*?(?P=dollar) )
  | (?P<quoted>   "(?:[^"]|"")*+"? | `(?:[^`]|``)*+`? | %s )
  | (?P<comment>  --[^\n]* | /\*(?:[^*]|\*(?!/))*+(?:\*/)? )
  | (?P<other>    :: | \S )
    )
"""
_BRACKETED = r"\[[^\]]+\]"
_KINDS: dict[str, TokenKind] = {
    "number": "number",
    "mark": "punctuation",
    "other": "punctuation",
}
_CLOSERS = {'"': '"', "`": "`", "[": "]"}


class Token(NamedTuple):
    """A token of DDL. `upper` is the keyword a bare word may be; "" for anything quoted."""

    kind: TokenKind
    text: str
    """The text without its quotes."""
    upper: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, without its marks."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Lexed:
    """The tokens of one statement, and apart from them its comments."""

    source: str
    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]

    def slice(self, tokens: list[Token]) -> str:
        """Return the source from the first to the last of some neighboring tokens."""
        return " ".join(self.source[tokens[0].start : tokens[-1].end].split()) if tokens else ""


def lex(source: str, *, dialect: str | None) -> Lexed:
    """Split a statement into tokens; every text is accepted."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    rules = dialect_of(dialect).scripts
    escapes = rules.backslash_escapes
    pattern = _pattern(escapes=escapes, brackets=rules.bracketed_names)
    for match in pattern.finditer(source):
        kind = match.lastgroup or ""
        start, end = match.span(kind)
        text = match[kind]
        if kind == "word":
            tokens.append(Token("word", text, text.upper(), start, end))
        elif kind == "comment":
            comments.append(Comment(text.strip("-/* \t\r\n"), start))
        elif kind == "string":
            tokens.append(Token("string", _content(text, escapes=escapes), "", start, end))
        elif kind == "quoted":
            tokens.append(Token("quoted", _unquoted(text), "", start, end))
        else:
            tokens.append(Token(_KINDS[kind], text, text, start, end))
    return Lexed(source, tuple(tokens), tuple(comments))


@cache
def _pattern(*, escapes: bool, brackets: bool) -> re.Pattern[str]:
    string = QUOTED_WITH_BACKSLASH if escapes else QUOTED
    return re.compile(
        _LEXEME % (string, _BRACKETED if brackets else "(?!)"), re.VERBOSE | re.DOTALL
    )


def _unquoted(name: str) -> str:
    closer = _CLOSERS[name[0]]
    return name[1:-1].replace(closer * 2, closer)


def _content(literal: str, *, escapes: bool) -> str:
    """Return what a string literal says."""
    if literal.startswith("$"):
        mark = literal.index("$", 1) + 1
        return literal[mark:-mark]
    body = literal[literal.index("'") + 1 :].removesuffix("'").replace("''", "'")
    return re.sub(r"\\(.)", r"\1", body, flags=re.DOTALL) if escapes else body
