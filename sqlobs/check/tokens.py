"""Cuts a text into tokens as its engine does, whose quotes sqlglot may read otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.errors import TokenError

from sqlobs.check.pool import cut
from sqlobs.check.statement import SyntaxFault

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


def tokenize(
    sql: str, dialect: str, *, ansi_quotes: bool = False
) -> tuple[Token, ...] | SyntaxFault:
    """Cut a text into tokens, or say where that failed.

    Args:
        sql: the text.
        dialect: sqlglot's name.
        ansi_quotes: MySQL reads `"a"` as a name.
    """
    if dialect == "duckdb" and "`" in sql:
        sql = _BACKTICKED.sub(_requoted, sql)
    elif ansi_quotes and '"' in sql:
        sql = _DOUBLE_QUOTED.sub(_backticked, sql)
    try:
        return tuple(cut(sql, dialect))
    except TokenError:
        return SyntaxFault("the text cannot be cut into tokens: a quote or comment is not closed")


_BACKTICKED: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|(?P<quoted>`[^`"]*`)""", re.DOTALL
)


def _requoted(found: re.Match[str]) -> str:
    """DuckDB takes backticks as quotes of names, sqlglot's tokeniser of DuckDB does not."""
    quoted = found["quoted"]
    return found[0] if quoted is None else f'"{quoted[1:-1]}"'


_DOUBLE_QUOTED: Final = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|`[^`]*`|--[^\n]*|\#[^\n]*|/\*.*?\*/|(?P<quoted>"[^"`]*")""", re.DOTALL
)


def _backticked(found: re.Match[str]) -> str:
    """MySQL takes double quotes as those of names in the mode ANSI_QUOTES."""
    quoted = found["quoted"]
    return found[0] if quoted is None else f"`{quoted[1:-1]}`"
