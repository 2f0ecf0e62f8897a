"""Settles the static findings with an engine's own verdict: the engine wins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.check.report.model import Finding
from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.native.verdict import NativeVerdict

_LABELS = frozenset({"syntax", "schema"})


def settle(findings: Iterable[Finding], verdict: NativeVerdict) -> list[Finding]:
    """Return the findings that stand after the engine has spoken.

    Accepted: errors that fail a label go. Refused: the engine's error is among them, by name where
    the static part has found it too. An engine that names a relation or a column has parsed the
    statement, so a static parse error goes. A parser that accepts takes back parse errors only.
    """
    if verdict.is_grammar_only and verdict.code is None:
        return [finding for finding in findings if not _is_of_parser(finding)]
    if verdict.code is None:
        return [finding for finding in findings if not _fails_a_label(finding)]
    kept = [finding for finding in findings if not _contradicts(finding, verdict)]
    if any(_says_the_same(finding, verdict) for finding in kept):
        return kept
    return [*kept, _of_engine(verdict)]


def _fails_a_label(finding: Finding) -> bool:
    return finding.severity == "error" and group_of(finding.code) in _LABELS


def _is_of_parser(finding: Finding) -> bool:
    is_error = finding.code == "syntax.parse_error" and finding.severity == "error"
    return is_error and finding.detail != "multi"


def _contradicts(finding: Finding, verdict: NativeVerdict) -> bool:
    return finding.code == "syntax.parse_error" != verdict.code and finding.severity == "error"


def _says_the_same(finding: Finding, verdict: NativeVerdict) -> bool:
    """Say whether a static finding tells the engine's error: same label, and same name if any.

    Of `t1.name` the engine does not say which part it misses.
    """
    if finding.severity != "error" or verdict.code is None:
        return False
    if group_of(finding.code) != group_of(verdict.code):
        return False
    if verdict.identifier is None or finding.identifier is None:
        return True
    told = (verdict.identifier, verdict.qualifier or verdict.identifier)
    return finding.identifier.lower() in {name.lower() for name in told}


def _of_engine(verdict: NativeVerdict) -> Finding:
    code = verdict.code or "syntax.parse_error"
    finding = Finding(code, "error", verdict.message, detail=verdict.detail)
    return replace(finding, identifier=verdict.identifier) if verdict.identifier else finding
