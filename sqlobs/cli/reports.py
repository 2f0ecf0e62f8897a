"""A check report as text, with carets under each wrong name, and as JSON."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from sqlobs.types import label_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.fallback import FallbackAnswer
    from sqlobs.check.report.model import CheckReport, Finding

_WIDTH: Final = 100
_BEFORE: Final = 60


def document_of(report: CheckReport) -> dict[str, object]:
    """Return a report as a JSON document: its fields and derived values."""
    return {
        "verdict": report.verdict,
        "failure_code": report.failure_code,
        "failure_codes": report.failure_codes,
        "warning_codes": report.warning_codes,
        "hallucinated": report.hallucinated,
        "unknown_tables": report.unknown_tables,
        "unknown_columns": report.unknown_columns,
        **asdict(report),
    }


def text_of_report(report: CheckReport) -> str:
    """Return a report as multi-line text without a final newline."""
    return "\n".join(_lines(report))


def _lines(report: CheckReport) -> Iterator[str]:
    labels = ", ".join(_label(report, name) for name in ("syntactic", "schematic"))
    by = "" if report.decided_by in {"static", "none"} else f", {report.decided_by}"
    engine = f" [{report.engine}{by}]" if report.engine else ""
    yield f"{report.verdict.replace('_', ' ')}: {labels}{engine}"
    if report.extracted:
        yield f"  removed around the SQL: {', '.join(report.extracted)}"
    for finding in report.findings:
        yield from _finding(report.sql, finding)
    if report.fallback is not None:
        yield from _fallback(report.fallback)
    if report.fixed_sql is not None:
        yield "  passes with the suggestions applied:"
        yield from (f"    {line}" for line in report.fixed_sql.splitlines())


def _fallback(answer: FallbackAnswer) -> Iterator[str]:
    said = answer.explanation.partition("\n")[0]
    model = f"model {answer.model}" if answer.model else "model"
    yield f"  {model}: {said}" if answer.reason is None else f"  no answer from {model}: {said}"
    if answer.suspicious:
        yield f"  the data may contain a prompt injection: {', '.join(answer.suspicious)}"


def _label(report: CheckReport, name: str) -> str:
    decided = report.syntactic if name == "syntactic" else report.schematic
    reason = f" ({report.reasons[name]})" if name in report.reasons else ""
    return f"{name} {label_of(decided).replace('_', ' ')}{reason}"


def _finding(sql: str, finding: Finding) -> Iterator[str]:
    place = f" at line {finding.line}, column {finding.column}" if finding.line else ""
    remedy = f" Did you mean {finding.suggestion}?" if finding.suggestion else ""
    yield f"  {finding.severity} {finding.code}{place}: {finding.message}{remedy}"
    if finding.start is not None and finding.end is not None:
        yield from _underlined(sql, finding.start, finding.end)


def _underlined(sql: str, start: int, end: int) -> Iterator[str]:
    """Yield the line that contains the span, and a line with carets below it."""
    first = sql.rfind("\n", 0, start) + 1
    last = sql.find("\n", start)
    line = sql[first : last if last >= 0 else len(sql)]
    start, end = start - first, min(end - first, len(line))
    shown, skipped = _window(line, start)
    below = _columns(shown[: start - skipped])
    carets = max(1, _columns(shown[start - skipped : end - skipped]))
    yield f"    {shown}"
    yield f"    {' ' * below}{'^' * carets}"


def _window(line: str, start: int) -> tuple[str, int]:
    """Return the visible part of a long line, and the number of characters omitted before it."""
    skipped = max(0, start - _BEFORE) if len(line) > _WIDTH else 0
    return "".join(_printable(mark) for mark in line[skipped : skipped + _WIDTH]), skipped


def _printable(mark: str) -> str:
    return mark if mark.isprintable() else " "


def _columns(text: str) -> int:
    """Return the width of a text in terminal columns."""
    return sum(
        0 if unicodedata.combining(mark) else 1 + (unicodedata.east_asian_width(mark) in "WF")
        for mark in text
    )
