"""Puts findings in order and gives them their place, line and column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report.model import Finding


def placed(findings: Sequence[Finding], sql: str) -> tuple[Finding, ...]:
    """Return the findings in order of position, each once, with line and column from 1."""
    distinct = {(one.code, one.start, one.identifier, one.message): one for one in findings}
    ordered = sorted(distinct.values(), key=lambda finding: finding.start or 0)
    return tuple([_placed(finding, sql) for finding in ordered])


def promoted(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings as strict mode has them: what an engine tolerates is an error."""
    return [
        replace(finding, severity="error")
        if finding.severity == "warning" and group_of(finding.code) in {"syntax", "schema"}
        else finding
        for finding in findings
    ]


def located(findings: Iterable[Finding], tokens: Iterable[Token]) -> list[Finding]:
    """Give findings without a place the one where the name they are about first stands."""
    return [_located(finding, tokens) if finding.start is None else finding for finding in findings]


def _located(finding: Finding, tokens: Iterable[Token]) -> Finding:
    if finding.identifier is None:
        return finding
    for token in tokens:
        if token.text.lower() == finding.identifier.lower():
            return finding.at(start=token.start, end=token.end + 1)
    return finding


def _placed(finding: Finding, sql: str) -> Finding:
    start = finding.start
    if start is None:
        return finding
    line = sql.count("\n", 0, start) + 1
    return finding.at(line=line, column=start - sql.rfind("\n", 0, start))
