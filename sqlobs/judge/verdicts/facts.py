"""Schema and automatically established facts for a judge's prompt, within size limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlobs.judge.envelope import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.report.model import CheckReport
    from sqlobs.runs.case import CheckSummary
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema
    from sqlobs.types import ExecutionOutcome

_NAMES_SHARE: Final = 4
"""At most a quarter of the limit is used for the names of omitted tables."""


def schema_text(
    schema: Schema,
    statements: Iterable[str | None],
    *,
    dialect: str | None = None,
    limit: int = LIMITS["schema"],
) -> str:
    """Return the DDL of a schema for a judge; of a large schema, only the relevant tables.

    These are the tables in the statements and the tables that they reference; the other tables are
    listed by name, so that a judge can recognize a wrong choice.

    Args:
        schema: The whole schema.
        statements: Prediction and, if present, reference.
        dialect: sqlglot's name; by default the schema's.
        limit: Maximum characters. If even the relevant tables exceed it, the text is longer and the
        judge returns `too_large`.
    """
    whole = schema.render()
    if len(whole) <= limit:
        return whole
    named = {
        name for sql in statements if sql for name in _table_names(sql, dialect or schema.dialect)
    }
    chosen = _with_referenced(schema, named)
    shown = schema.render([table.full_name for table in chosen]) if chosen else ""
    others = [table.full_name for table in schema.tables if table not in chosen]
    return f"{shown}\n\n-- further tables: {_listed(others, limit // _NAMES_SHARE)}"


def facts_of(
    report: CheckReport | CheckSummary | None = None,
    outcome: ExecutionOutcome | None = None,
    *,
    proofs: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the facts about a statement, one sentence each.

    Args:
        report: The checker's findings.
        outcome: The outcome of running the statement.
        proofs: Facts proved by execution (`FanOut.sentence`).
    """
    findings = report.findings if report is not None else ()
    facts = [f"checker: {finding.message} ({finding.code})" for finding in findings]
    if outcome is not None:
        facts.append(_executed(outcome))
    return (*facts, *proofs)


def _executed(outcome: ExecutionOutcome) -> str:
    if outcome.table is None:
        return f"execution: {outcome.status}" + (f", {outcome.error}" if outcome.error else "")
    table = outcome.table
    more = " or more" if table.truncated else ""
    return f"execution: ran, {len(table.rows)}{more} rows of {len(table.columns)} columns"


def _table_names(sql: str, dialect: str | None) -> set[str]:
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return set()
    return {table.name.lower() for table in tree.find_all(exp.Table)}


def _with_referenced(schema: Schema, named: set[str]) -> list[Table]:
    first = [table for table in schema.tables if table.name.lower() in named]
    referenced = {
        key.table.rpartition(".")[2].lower() for table in first for key in table.foreign_keys
    }
    wanted = named | referenced
    return [table for table in schema.tables if table.name.lower() in wanted]


def _listed(names: Sequence[str], limit: int) -> str:
    listed = ", ".join(names)
    return listed if len(listed) <= limit else f"{listed[:limit].rpartition(', ')[0]}, …"
