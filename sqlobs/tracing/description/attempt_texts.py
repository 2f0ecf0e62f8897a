"""The statements that a request tried, with their findings, for the collector alone.

Tests: `tests/telemetry/test_attempt_texts.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.description.attribute_set import LIST_CAP, cut_text
from sqlobs.tracing.description.names import Names
from sqlobs.tracing.description.report_attributes import finding_message

if TYPE_CHECKING:
    from sqlobs.check.report.model import Finding
    from sqlobs.tracing.description.redaction import Redaction
    from sqlobs.tracing.records.record import AttemptRecord

SENT: Final = 8
"""The last attempts of a request."""
ATTEMPT_CAP: Final = 6 * 1024
"""Bytes of UTF-8 of an attempt's statement."""


def attempts_text(attempts: Sequence[AttemptRecord], redaction: Redaction) -> str | None:
    """Return attempts as JSON, if the console can tell more by them than by the last statement.

    Their texts pass `redact`; messages are masked.
    """
    if not attempts or (len(attempts) == 1 and not attempts[0].report.findings):
        return None
    return json.dumps([_attempt(one, redaction) for one in attempts[-SENT:]], ensure_ascii=False)


def _attempt(attempt: AttemptRecord, redaction: Redaction) -> dict[str, object]:
    report = attempt.report
    sql = redaction.clean("sql", report.sql)
    names = Names(report)
    return {
        "number": attempt.number,
        "verdict": attempt.verdict,
        "sql": None if sql is None else cut_text(sql, ATTEMPT_CAP)[0],
        "findings": [_finding(found, names, redaction) for found in report.findings[:LIST_CAP]],
    }


def _finding(found: Finding, names: Names, redaction: Redaction) -> dict[str, object]:
    known = {
        "code": found.code,
        "message": redaction.clean("message", finding_message(found, names)),
        "name": None if found.identifier is None else names.invented(found.identifier),
        "suggestion": None if found.suggestion is None else names.suggested(found.suggestion),
        "line": found.line,
        "column": found.column,
    }
    return {name: value for name, value in known.items() if value is not None}
