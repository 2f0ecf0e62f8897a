"""Puts findings in order and gives them their line and column."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding


def placed(findings: Iterable[Finding], sql: str) -> tuple[Finding, ...]:
    """Return the findings in order of position, each once, with line and column from 1."""
    distinct = sorted(dict.fromkeys(findings), key=lambda finding: finding.start or 0)
    if not distinct:
        return ()
    starts = [0, *(place + 1 for place, character in enumerate(sql) if character == "\n")]
    return tuple(_placed(finding, starts) for finding in distinct)


def _placed(finding: Finding, starts: list[int]) -> Finding:
    if finding.start is None:
        return finding
    line = bisect_right(starts, finding.start)
    return replace(finding, line=line, column=finding.start - starts[line - 1] + 1)
