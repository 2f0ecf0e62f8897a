"""The text that tells a model what was wrong with its SQL, for its next attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport, Finding


def explain(report: CheckReport) -> str:
    """Return one line per error or warning, with its place and the nearest name."""
    lines = [_line(finding) for finding in report.findings if finding.severity != "info"]
    if not lines:
        return ""
    dialect = f" for {report.dialect}" if report.dialect else ""
    return "\n".join([f"The SQL was refused{dialect}:", *lines])


def _line(finding: Finding) -> str:
    place = f" (line {finding.line}, column {finding.column})" if finding.line else ""
    remedy = f" Did you mean {finding.suggestion}?" if finding.suggestion else ""
    return f"- {finding.code}{place}: {finding.message}{remedy}"
