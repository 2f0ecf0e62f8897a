"""A script of many statements, cut into its statements without understanding them.

Dumps hold more than SQL: rows of COPY, commands of the client (psql, mysql, sqlcmd, SQL*Plus),
comments that MySQL executes. One scan, linear in the length of the script.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUNDARY = r"""
    (?P<comment> --[^\n]* | /\*(?:[^*]|\*(?!/))*+(?:\*/)? %(hash)s )
  | (?P<escape>  \b[eE]'(?:[^'\\]|''|\\.)*+'? )
  | (?P<string>  %(string)s )
  | (?P<name>    "(?:[^"]|"")*+"? | `[^`]*+`? )
  | (?P<dollar>  %(dollar)s )
  | (?P<client>  ^\\[^\n]* | ^DELIMITER[ \t]+(?P<delimiter>\S+)[^\n]* | ^(?:GO|/)[ \t\r]*$
                 %(client)s )
  | (?P<start>   ^[ \t]*(?:CREATE|ALTER[ \t]+TABLE|INSERT[ \t]+INTO|COMMENT[ \t]+ON)\b )
  | (?P<end>     ; | %(delimiter)s )
"""
QUOTED = r"'(?:[^']|'')*+'?"
QUOTED_WITH_BACKSLASH = r"'(?:[^'\\]|''|\\.)*+'?"
"""A string literal, closed or not, where a backslash is a character, and where it escapes."""
_DOLLAR = r"(?<![\w$])\$(?:[A-Za-z_]\w*)?\$"
_COPY_ROWS = re.compile(r"\s*COPY\b[^;]*\bFROM\s+STDIN\b", re.IGNORECASE)
_END_OF_ROWS = re.compile(r"^\\\.[ \t\r]*$", re.MULTILINE)
_EXECUTED_COMMENT = re.compile(r"/\*!\d*|\*/")
_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script, without its delimiter."""

    text: str
    line: int
    """The line of the script on which the statement starts, from 1."""


def split_script(script: str, *, dialect: str | None) -> Iterator[Statement]:
    """Yield the statements of a script in order, without rows of COPY and client commands.

    A line that starts with CREATE, ALTER TABLE, INSERT INTO or COMMENT ON begins a statement
    even where the semicolon before it is missing: schemas in prompts are often written so.

    Args:
        script: The text; may start with a byte order mark.
        dialect: sqlglot's name; decides how strings and comments end.
    """
    scanner = _Scanner(_plain(script, dialect=dialect), dialect=dialect)
    line, counted = 1, 0
    for start, end in scanner.statements():
        text = scanner.script[start:end]
        body = text.strip()
        if not body:
            continue
        first = start + text.index(body[0])
        line += scanner.script.count("\n", counted, first)
        counted = first
        yield Statement(body, line)


def _plain(script: str, *, dialect: str | None) -> str:
    """Open the comments that MySQL executes, `/*!40101 … */`, keeping every position."""
    script = script.removeprefix("\ufeff")
    if "/*!" in script and dialect_of(dialect).scripts.executes_comments:
        return re.sub(r"/\*!\d*(?:[^*]|\*(?!/))*+\*/", _opened, script)
    return script


def _opened(comment: re.Match[str]) -> str:
    return _EXECUTED_COMMENT.sub(lambda mark: " " * len(mark[0]), comment[0])


def _boundary(dialect: str | None, delimiter: str = "") -> re.Pattern[str]:
    rules = dialect_of(dialect).scripts
    parts = {
        "hash": r"| \#[^\n]*" if rules.hash_comments else "",
        "string": QUOTED_WITH_BACKSLASH if rules.backslash_escapes else QUOTED,
        "dollar": _DOLLAR if rules.dollar_strings else _NEVER,
        "client": rules.client_commands,
        "delimiter": re.escape(delimiter) if delimiter else _NEVER,
    }
    pattern = _BOUNDARY % parts
    return re.compile(pattern, re.VERBOSE | re.MULTILINE | re.DOTALL | re.IGNORECASE)


class _Scanner:
    """Walks a script from boundary to boundary."""

    def __init__(self, script: str, *, dialect: str | None) -> None:
        self.script = script
        self._dialect = dialect
        self._delimiter = ";"
        self._pattern = _boundary(dialect)

    def statements(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each statement."""
        start = position = 0
        while match := self._pattern.search(self.script, position):
            position = match.end()
            kind = match.lastgroup
            if kind == "dollar":
                position = self._after_dollar_string(match)
            elif kind == "start" and self._delimiter == ";":
                yield start, match.start()
                start = match.start()
            elif kind == "end" and match[0] == self._delimiter:
                yield start, match.start()
                start = position = self._after_rows(start, position)
            elif kind == "client":
                yield start, match.start()
                start = position
                self._set_delimiter(match["delimiter"])
        yield start, len(self.script)

    def _after_dollar_string(self, opening: re.Match[str]) -> int:
        close = self.script.find(opening[0], opening.end())
        return opening.end() if close < 0 else close + len(opening[0])

    def _after_rows(self, start: int, position: int) -> int:
        """Return where the script continues: behind the rows, if the statement was a COPY."""
        if not _COPY_ROWS.match(self.script, start, position):
            return position
        closing = _END_OF_ROWS.search(self.script, position)
        return closing.end() if closing else len(self.script)

    def _set_delimiter(self, delimiter: str | None) -> None:
        if delimiter:
            self._delimiter = delimiter
            self._pattern = _boundary(self._dialect, delimiter)
