"""Decides the two labels of a statement, each on its own, from what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case
    from sqlobs.failure_codes import Reason


@dataclass(slots=True)
class Labels:
    """The two labels, and the reasons of those that are None."""

    syntactic: bool | None
    schematic: bool | None
    reasons: dict[str, Reason] = field(default_factory=dict)


def decide(
    case: Case, findings: Sequence[Finding], *, engine_spoke: bool, strict: str | None
) -> Labels:
    """Return the labels: False on an error of the label's group, None where it cannot be told."""
    failed: set[str] = set()
    if findings:
        failed = {group_of(finding.code) for finding in findings if finding.severity == "error"}
    reasons: dict[str, Reason] = {}
    syntactic = schematic = True
    if "syntax" in failed:
        syntactic = False
    elif (reason := _why_not_syntactic(case, engine_spoke=engine_spoke)) is not None:
        reasons["syntactic"] = reason
    if "schema" in failed:
        schematic = False
    elif (
        reason := _why_not_schematic(case, engine_spoke=engine_spoke, is_valid=syntactic)
    ) is not None:
        reasons["schematic"] = reason
    if not reasons:
        return Labels(syntactic, schematic, reasons)
    return Labels(
        _label("syntactic", syntactic, reasons, strict=strict is not None),
        _label("schematic", schematic, reasons, strict=strict is not None),
        reasons,
    )


def _label(name: str, value: bool, reasons: Mapping[str, Reason], *, strict: bool) -> bool | None:  # noqa: FBT001 - the label itself
    reason = reasons.get(name)
    if reason is None:
        return value
    return False if strict and reason in {"no_dialect", "no_schema"} else None


def _why_not_syntactic(case: Case, *, engine_spoke: bool) -> Reason | None:
    grounds = case.grounds
    if grounds.profile is None:
        return "no_dialect"
    if engine_spoke:
        return None
    if case.is_unread:
        return "undecided"
    is_uncertain = grounds.has_unlisted_functions or not grounds.profile.is_measured
    if case.statement.is_opaque or (is_uncertain and case.unlisted_calls):
        return "undecided"
    return None


def _why_not_schematic(case: Case, *, engine_spoke: bool, is_valid: bool) -> Reason | None:
    if case.grounds.schema is None:
        return "no_schema"
    if engine_spoke and (is_valid or case.statement.fault is None):
        return None
    statement = case.statement
    if statement.tree is None or statement.is_opaque or case.facts.undecided:
        return "undecided"
    return None
