"""Reports, executions and statements as the values of a run's rows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlobs.metrics.labels import SqlCorrectness
from sqlobs.runs.case import CheckFinding, CheckSummary, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.outcome import Execution
    from sqlobs.schema.model import Schema

_CACHED_STATEMENTS = 4096
_MOST_COLUMNS = 100
"""A row of the run names no more; there are tables with ten thousand."""


def check_summary(sql: str, schema: Schema | None, dialect: str | None) -> CheckSummary:
    """Check a statement and return what a row keeps of the report."""
    from sqlobs.check.checker import check_sql

    spoken = None if schema is not None else dialect
    report = check_sql(sql, schema=schema, dialect=spoken)
    strict = check_sql(sql, schema=schema, dialect=spoken, strict="sql_correctness")
    return CheckSummary(
        sql=report.sql,
        verdict=report.verdict,
        syntactic=report.syntactic,
        schematic=report.schematic,
        failure_code=report.failure_code,
        reasons=dict(report.reasons),
        strict_labels=SqlCorrectness(strict.syntactic, strict.schematic).labels,
        findings=tuple(
            CheckFinding(
                code=finding.code,
                severity=finding.severity,
                message=finding.message,
                identifier=finding.identifier,
                suggestion=finding.suggestion,
                start=finding.start,
                end=finding.end,
                line=finding.line,
                column=finding.column,
            )
            for finding in report.findings
        ),
    )


def outcome_row(execution: Execution) -> RunOutcome:
    """Return what a row keeps of an execution: all but the rows."""
    outcome = execution.outcome
    table = outcome.table
    return RunOutcome(
        status=outcome.status,
        elapsed_ms=round(outcome.elapsed_s * 1000, 3),
        error=outcome.error,
        engine_class=execution.engine_class,
        failure_code=execution.failure_code,
        rows=None if table is None else len(table.rows),
        columns=() if table is None else table.columns[:_MOST_COLUMNS],
        is_truncated=table is not None and table.truncated,
    )


def shape_of(references: tuple[str, ...], dialect: str | None) -> Mapping[str, int]:
    """Return what the reference is made of, to slice by; nothing where it does not parse."""
    return _shape(references[0], dialect) if references else {}


@lru_cache(_CACHED_STATEMENTS)
def _shape(sql: str, dialect: str | None) -> Mapping[str, int]:
    from sqlobs.metrics.tree_match import sql_shape

    shape = sql_shape(sql, dialect=dialect)
    return {} if shape is None else {name: int(getattr(shape, name)) for name in shape.__slots__}
