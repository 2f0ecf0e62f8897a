"""Decides the two labels of a statement, each on its own, from what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case
    from sqlobs.failure_codes import Reason


_GROUPS: Final = {"syntactic": "syntax", "schematic": "schema"}
"""Label to the group of codes that fails it."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The two labels, and the reasons of those that are None."""

    syntactic: bool | None
    schematic: bool | None
    reasons: dict[str, Reason] = field(default_factory=dict)


def decide(
    case: Case, findings: Iterable[Finding], *, engine_spoke: bool, strict: str | None
) -> Labels:
    """Return the labels: False on an error of the label's group, None where it cannot be told."""
    failed = {group_of(finding.code) for finding in findings if finding.severity == "error"}
    why = {
        "syntactic": _why_not_syntactic(case, engine_spoke=engine_spoke),
        "schematic": _why_not_schematic(case, engine_spoke=engine_spoke),
    }
    labels = {
        label: False if _GROUPS[label] in failed else (True if reason is None else None)
        for label, reason in why.items()
    }
    reasons = {label: reason for label, reason in why.items() if reason and labels[label] is None}
    if strict is not None:
        for label, reason in reasons.items():
            labels[label] = False if reason in {"no_dialect", "no_schema"} else None
    return Labels(labels["syntactic"], labels["schematic"], reasons)


def _why_not_syntactic(case: Case, *, engine_spoke: bool) -> Reason | None:
    if case.profile is None:
        return "no_dialect"
    if engine_spoke:
        return None
    if case.statement.is_opaque or (case.grounds.has_unlisted_functions and case.unlisted_calls):
        return "undecided"
    return None


def _why_not_schematic(case: Case, *, engine_spoke: bool) -> Reason | None:
    if case.profile is None:
        return "no_dialect"
    if case.schema is None:
        return "no_schema"
    if case.statement.tree is None:
        return "undecided"
    if engine_spoke and case.statement.fault is None:
        return None
    if case.statement.is_opaque or case.facts.undecided:
        return "undecided"
    if any(use.foreign_namespace or use.is_open for use in case.facts.tables):
        return "undecided"
    return None
