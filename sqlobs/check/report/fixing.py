"""Applies the suggestions of a report to its statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import Finding


def apply_suggestions(sql: str, findings: Iterable[Finding], *, dialect: str) -> str | None:
    """Return the statement with every wrong name replaced; None if an error has no suggestion."""
    edits: dict[tuple[int, int], str] = {}
    for finding in findings:
        if finding.severity != "error":
            continue
        if finding.suggestion is None or finding.start is None or finding.end is None:
            return None
        edits[finding.start, finding.end] = quote_if_needed(finding.suggestion, dialect=dialect)
    for (start, end), text in sorted(edits.items(), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql if edits else None


def quote_if_needed(name: str, *, dialect: str) -> str:
    """Return a name as the dialect spells it: quoted unless it is a plain identifier."""
    known = dialect_of(dialect)
    return known.quoted(name) if known.needs_quotes(name) else name
