"""The shop's tables and the model's answers in another dialect, as sqlglot writes them.

Functions that only SQLite has stay, as in the answers of a model that confuses dialects.
"""

from __future__ import annotations

from typing import Final

import sqlglot

from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.dialects.registry import dialect_name

SHOP_DIALECT: Final = "sqlite"
"""What tables and answers are written in."""


def translated_script(script: str, *, dialect: str) -> str:
    """Return the statements of a script in another dialect, such as `bigquery`.

    Raises:
        sqlglot.ParseError: It is no valid SQL.
    """
    statements = sqlglot.transpile(
        script,
        read=SHOP_DIALECT,
        write=dialect_name(dialect),
        pretty=True,
        unsupported_level=sqlglot.ErrorLevel.IGNORE,
    )
    return ";\n\n".join(statements) + "\n"


def translated_answer(answer: str, *, dialect: str) -> str:
    """Return an answer with its SQL in another dialect; invalid SQL and other text stay."""
    found = extract_sql(answer, dialect=SHOP_DIALECT)
    if found is None:
        return answer
    try:
        sql = translated_script(found.sql, dialect=dialect).strip()
    except sqlglot.ParseError:
        return answer
    return answer.replace(found.sql, sql)
