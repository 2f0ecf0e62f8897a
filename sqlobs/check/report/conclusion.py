"""Concludes from findings: reconciles them with the engine's verdict and decides the two labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.check.report.model import Finding
from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.report.model import NativeVerdict
    from sqlobs.check.rules.rule import Case
    from sqlobs.failure_codes import Reason


@dataclass(slots=True)
class Labels:
    """The two labels; a label that is None has a reason."""

    syntactic: bool | None
    schematic: bool | None
    reasons: dict[str, Reason] = field(default_factory=dict)


def conclude(
    case: Case, findings: Sequence[Finding], verdict: NativeVerdict | None, *, strict: str | None
) -> tuple[Sequence[Finding], Labels]:
    """Return the findings that remain, and the labels that follow from them.

    Args:
        case: the statement and what is known of it.
        findings: those of the rules.
        verdict: the engine's own; None: there is none.
        strict: the definition that counts what an engine tolerates as an error.
    """
    if verdict is not None:
        findings = _all_located(_reconciled(findings, verdict), case.statement.tokens)
    if strict is not None:
        findings = _promoted(findings)
    return findings, _decide(case, findings, engine_spoke=has_spoken(verdict), strict=strict)


def has_spoken(verdict: NativeVerdict | None) -> bool:
    """Return whether an engine decided on the whole statement, not on its grammar alone."""
    return verdict is not None and not verdict.is_grammar_only


def placed(findings: Sequence[Finding], sql: str) -> tuple[Finding, ...]:
    """Return the findings in order of position, each once, with line and column from 1."""
    distinct = {(one.code, one.start, one.identifier, one.message): one for one in findings}
    ordered = sorted(distinct.values(), key=lambda finding: finding.start or 0)
    return tuple([_placed(finding, sql) for finding in ordered])


def _placed(finding: Finding, sql: str) -> Finding:
    start = finding.start
    if start is None:
        return finding
    line = sql.count("\n", 0, start) + 1
    return finding.at(line=line, column=start - sql.rfind("\n", 0, start))


def _promoted(findings: Iterable[Finding]) -> list[Finding]:
    """Turn syntax and schema warnings into errors, as strict mode requires."""
    return [
        replace(finding, severity="error")
        if finding.severity == "warning" and group_of(finding.code) in {"syntax", "schema"}
        else finding
        for finding in findings
    ]


def _all_located(findings: Iterable[Finding], tokens: Iterable[Token]) -> list[Finding]:
    """Give each finding without a position that of the first token with its identifier."""
    return [_located(finding, tokens) if finding.start is None else finding for finding in findings]


def _located(finding: Finding, tokens: Iterable[Token]) -> Finding:
    if finding.identifier is None:
        return finding
    for token in tokens:
        if token.text.lower() == finding.identifier.lower():
            return finding.at(start=token.start, end=token.end + 1)
    return finding


def _decide(
    case: Case, findings: Sequence[Finding], *, engine_spoke: bool, strict: str | None
) -> Labels:
    """Return the labels: False on an error of the label's group, None where it is undecided."""
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
    statement = case.statement
    has_rest = statement.fault is not None or statement.has_further_text
    if has_rest and case.is_unread:
        return "undecided"
    is_uncertain = grounds.has_unlisted_functions or not grounds.is_measured
    if statement.is_opaque or (is_uncertain and case.unlisted_calls):
        return "undecided"
    return None


def _why_not_schematic(case: Case, *, engine_spoke: bool, is_valid: bool) -> Reason | None:
    if case.grounds.schema is None:
        return "no_schema"
    if engine_spoke and (is_valid or case.statement.fault is None):
        return None
    statement = case.statement
    if statement.tree is None or statement.is_opaque or case.resolution.undecided:
        return "undecided"
    return None


_LABELS: Final = frozenset({"syntax", "schema"})


def _reconciled(findings: Iterable[Finding], verdict: NativeVerdict) -> list[Finding]:
    """Reconcile the findings with the engine's own verdict, which wins.

    If accepted, errors that fail a label are removed. If rejected, the engine's error is added
    unless a finding already says the same. An engine that names a relation or a column has parsed
    the statement, so a static parse error is removed. A parser that accepts removes only those.
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
    """Return whether a finding is the engine's error: same label, and same name if any.

    For `t1.name`, the engine does not report which part is unknown.
    """
    if finding.severity != "error" or verdict.code is None:
        return False
    if group_of(finding.code) != group_of(verdict.code):
        return False
    if verdict.identifier is None or finding.identifier is None:
        return True
    names = (verdict.identifier, verdict.qualifier or verdict.identifier)
    return finding.identifier.lower() in {name.lower() for name in names}


def _of_engine(verdict: NativeVerdict) -> Finding:
    code = verdict.code or "syntax.parse_error"
    finding = Finding(code, "error", verdict.message, detail=verdict.detail)
    return replace(finding, identifier=verdict.identifier) if verdict.identifier else finding
