"""Valid SQL that sqlglot cannot parse.

A statement that contains one of these constructs and does not parse is undecided. The vendors'
manuals document them: Microsoft's (`OUTPUT`), Oracle's (`MODEL`, `WITH FUNCTION`, `VERSIONS
BETWEEN`, XML's calls), ClickHouse's (`LIMIT BY` with a computed `LIMIT`), Snowflake's (`->>`),
Spark's (`window`, `|>`), Databricks' and Amazon's (`MERGE`), Google's (procedural language, `|>`,
tables as arguments), Trino's (`TABLE t`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.statement import LITERALS

if TYPE_CHECKING:
    from sqlobs.check.parsing.statement import Statement

_UNREAD: Final = {
    "tsql": r"\bOUTPUT (?:INSERTED|DELETED)\b|^INSERT\b.*\bEXEC(?:UTE)?\b",
    "snowflake": r"->> SELECT\b",
    "oracle": (
        r"\bMODEL\b.*\bDIMENSION BY\b|^WITH (?:FUNCTION|PROCEDURE)\b|\bPIVOT XML\b"
        r"|\bVERSIONS BETWEEN (?:SCN|TIMESTAMP)\b|\bPARTITION FOR \(|^(?:BEGIN|DECLARE)\b"
        r"|\bXML(?:QUERY|EXISTS|ATTRIBUTES|CAST|PARSE|SERIALIZE) \("
        r"|\bIS (?:NOT )?(?:NAN|INFINITE)\b|\bJOIN \S+ (?:\S+ )?PARTITION BY\b"
        r"|\bNESTED (?:PATH )?\S+ COLUMNS\b|\bWITH(?:OUT)? (?:\w+ )?(?:ARRAY )?WRAPPER\b"
    ),
    "clickhouse": r"\bLIMIT \S+ (?:OFFSET \S+ )?BY\b.*\bLIMIT\b|\bINTO OUTFILE\b",
    "spark": r"\bWINDOW \(|\|>",
    "databricks": (
        r"\bWINDOW \(|\|>|^MERGE WITH SCHEMA EVOLUTION\b|\bMAX RECURSION LEVEL \S+ AS \("
    ),
    "trino": r"^TABLE \S+$",  # an older sqlglot does not read it
    "redshift": r"^MERGE\b.*\bREMOVE DUPLICATES\b",
    "bigquery": (
        r"^(?:DECLARE|BEGIN|SET|CREATE (?:OR REPLACE )?TEMP(?:ORARY)? (?:FUNCTION|TABLE))\b.* ;"
        r"|\|>|\( TABLE \S+ [,)]|\bWITH \( \w+ AS\b"
        r"|\b(?:AVG|SUM|MIN|MAX|COUNT) \((?! SELECT)[^()]*(?:\([^()]*\)[^()]*)* GROUP BY\b"
    ),
}
"""By dialect: a pattern over the upper-case text with one space between tokens."""
_PATTERNS: Final = {dialect: re.compile(pattern) for dialect, pattern in _UNREAD.items()}


def is_unread(statement: Statement) -> bool:
    """Return whether a text that does not parse as one statement contains such a construct."""
    if statement.fault is None and not statement.has_further_text:
        return False
    pattern = _PATTERNS.get(statement.dialect)
    return pattern is not None and pattern.search(_plain(statement)) is not None


def _plain(statement: Statement) -> str:
    words = (
        "?" if one.token_type in LITERALS else one.text.upper() for one in statement.all_tokens
    )
    return " ".join(words)
