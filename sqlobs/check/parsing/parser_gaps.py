"""Valid SQL that sqlglot cannot parse.

A statement that contains one of these constructs and does not parse is undecided. The vendors'
manuals document them: Microsoft's (`OUTPUT`), Oracle's (`MODEL`, `WITH FUNCTION`, `VERSIONS
BETWEEN`, XML's calls), ClickHouse's (`LIMIT BY` with a computed `LIMIT`), Snowflake's (`->>`),
Spark's (`window`, `|>`), Databricks' and Amazon's (`MERGE`), Google's (procedural language, `|>`,
tables as arguments), Trino's (`TABLE t`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from sqlobs.check.parsing.statement import LITERALS
from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from sqlobs.check.parsing.statement import Statement


@cache
def _gaps(dialect: str) -> re.Pattern[str] | None:
    pattern = dialect_of(dialect).parsing.gaps
    return re.compile(pattern) if pattern else None


def is_unread(statement: Statement) -> bool:
    """Return whether a text that does not parse as one statement contains such a construct."""
    if statement.fault is None and not statement.has_further_text:
        return False
    pattern = _gaps(statement.dialect)
    return pattern is not None and pattern.search(_plain(statement)) is not None


def _plain(statement: Statement) -> str:
    words = (
        "?" if one.token_type in LITERALS else one.text.upper() for one in statement.all_tokens
    )
    return " ".join(words)
