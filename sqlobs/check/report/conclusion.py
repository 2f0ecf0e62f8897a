"""Concludes from findings: reconciles them with the engine's verdict and decides the two labels.

A dialect without a version stands for its current ones. Where these disagree, the label is open and
a finding says why: a statement that one of them accepts is not called wrong, and one that a later
one rejects is not called right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.check.report.model import Finding, NativeVerdict
from sqlobs.dialects.catalog import new_forms
from sqlobs.dialects.documents import nearest, written
from sqlobs.dialects.registry import dialect_of
from sqlobs.failure_codes import Reason, group_of

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.rules.rule import Case


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
        kept = _reconciled(findings, verdict)
        findings = [_located(one, case.statement.tokens) for one in kept]
    if strict is not None:
        findings = [_promoted(one) for one in findings]
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


def _promoted(finding: Finding) -> Finding:
    """Turn a syntax or schema warning into an error, as strict mode requires."""
    is_promoted = finding.severity == "warning" and group_of(finding.code) in _GROUPS
    return replace(finding, severity="error") if is_promoted else finding


def _located(finding: Finding, tokens: Iterable[Token]) -> Finding:
    """Give a finding without a position that of the first token with its identifier."""
    if finding.identifier is None or finding.start is not None:
        return finding
    for token in tokens:
        if token.text.lower() == finding.identifier.lower():
            return finding.at(start=token.start, end=token.end + 1)
    return finding


def _decide(
    case: Case, findings: Sequence[Finding], *, engine_spoke: bool, strict: str | None
) -> Labels:
    """Return the labels: False on an error of the label's group, None where it is undecided."""
    failed = {group_of(finding.code) for finding in findings if finding.severity == "error"}
    labels = Labels("syntax" not in failed, "schema" not in failed)
    is_valid, reasons = labels.syntactic is True, labels.reasons
    if is_valid and (why := _why_not_syntactic(case, engine_spoke=engine_spoke)) is not None:
        reasons["syntactic"] = why
        labels.syntactic = _open_label(why, strict=strict)
    if labels.schematic and (
        why := _why_not_schematic(case, engine_spoke=engine_spoke, is_valid=is_valid)
    ):
        reasons["schematic"] = why
        labels.schematic = _open_label(why, strict=strict)
    return labels


def _open_label(reason: Reason, *, strict: str | None) -> bool | None:
    return False if strict is not None and reason in {"no_dialect", "no_schema"} else None


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
    is_uncertain = grounds.has_unlisted_functions or not grounds.profile.is_measured
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


def _reconciled(findings: Iterable[Finding], verdict: NativeVerdict) -> list[Finding]:
    """Reconcile the findings with the engine's own verdict, which wins.

    If accepted, errors that fail a label are removed. If rejected, the engine's error is added
    unless a finding already says the same. An engine that names a relation or a column has parsed
    the statement, so a static parse error is removed. A parser that accepts removes only those.
    """
    if verdict.is_grammar_only and verdict.code is None:
        return [one for one in findings if not _is_parse_error(one) or one.detail == "multi"]
    if verdict.code is None:
        return [finding for finding in findings if not _fails_a_label(finding)]
    is_parsed = verdict.code != "syntax.parse_error"
    kept = [one for one in findings if not (is_parsed and _is_parse_error(one))]
    if any(_says_the_same(finding, verdict) for finding in kept):
        return kept
    return [*kept, _of_engine(verdict)]


def _fails_a_label(finding: Finding) -> bool:
    return finding.severity == "error" and group_of(finding.code) in _GROUPS


def _is_parse_error(finding: Finding) -> bool:
    return finding.code == "syntax.parse_error" and finding.severity == "error"


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
    code, name = verdict.code or "syntax.parse_error", verdict.identifier or None
    return Finding(code, "error", verdict.message, name, detail=verdict.detail)


_GROUPS: Final[dict[str, Literal["syntactic", "schematic"]]] = {
    "syntax": "syntactic",
    "schema": "schematic",
}


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one version says of a statement."""

    profile: Profile
    findings: Sequence[Finding]
    labels: Labels


@dataclass(frozen=True, slots=True)
class _NewForm:
    name: str
    since: int
    """The first version that supports it, by its major number."""


def agreed(
    statement: Statement,
    first: Opinion,
    versions: Sequence[Profile],
    opinion_of: Callable[[Profile], Opinion],
) -> tuple[Sequence[Finding], Labels]:
    """Return findings and labels that hold in every version that a dialect's name stands for.

    Args:
        statement: the statement.
        first: the opinion of the first version, or of the only one.
        versions: the versions that the name stands for; empty: it stands for one.
        opinion_of: checks the statement for one version; not called where none can differ.
    """
    form = _new_form_of(statement, first.findings)
    if not versions:
        only = _with_form(first, form)
        return only.findings, only.labels
    if form is None and _changed_words(statement.dialect).isdisjoint(statement.words):
        may_differ = any(map(_may_differ, first.findings))
        # but for words, a later version accepts all that an earlier one does
        if not may_differ or _is_same(first, opinion_of(versions[-1])):
            return first.findings, first.labels
    opinions = [_with_form(replace(first, profile=versions[0]), form)]
    opinions += [_with_form(opinion_of(other), form) for other in versions[1:]]
    return _in_common(opinions)


def _is_same(one: Opinion, other: Opinion) -> bool:
    """Return whether two opinions have the same labels."""
    labels, others = one.labels, other.labels
    return (labels.syntactic, labels.schematic) == (others.syntactic, others.schematic)


def _new_form_of(statement: Statement, findings: Sequence[Finding]) -> _NewForm | None:
    """Return the latest of the forms that a statement has and versions before it lack."""
    known = new_forms(statement.dialect)
    if known is None or not (any(map(_fails_a_label, findings)) or known.words & statement.words):
        return None
    sql = statement.sql
    words = ["", *(sql[token.start : token.end + 1] for token in statement.all_tokens)]
    text = " ".join(words).upper()
    for since in sorted(known.patterns, reverse=True):
        for name, pattern in known.patterns[since].items():
            if pattern.search(text):
                return _NewForm(name, since)
    return None


def _with_form(opinion: Opinion, form: _NewForm | None) -> Opinion:
    """Return an opinion corrected for a form, which the parser rejects or accepts in any version.

    A version that has the form is not said to reject the statement; one that lacks it does.
    """
    if form is None or (major := opinion.profile.major) is None:
        return opinion
    labels = opinion.labels
    if major >= form.since:
        failed = [label for label in _GROUPS.values() if getattr(labels, label) is False]
        kept = [one for one in opinion.findings if _GROUPS.get(group_of(one.code)) not in failed]
        return replace(opinion, findings=kept, labels=_opened(labels, failed))
    if labels.syntactic is False:
        return opinion
    message = f"{form.name} is not supported by {opinion.profile.engine}."
    lacking = Finding("syntax.dialect_mismatch", "error", message)
    findings = [*opinion.findings, lacking]
    return replace(opinion, findings=findings, labels=replace(labels, syntactic=False))


def _opened(labels: Labels, names: Sequence[str]) -> Labels:
    """Return labels of which some are undecided."""
    opened = Labels(labels.syntactic, labels.schematic, dict(labels.reasons))
    for name in names:
        opened.reasons[name] = "undecided"
        setattr(opened, name, None)
    return opened


def _in_common(opinions: Sequence[Opinion]) -> tuple[list[Finding], Labels]:
    """Return what all versions find, and the labels; those that differ are undecided."""
    first = opinions[0]
    labels, open_groups = first.labels, set[str]()
    for group, label in _GROUPS.items():
        values = {getattr(one.labels, label) for one in opinions}
        if len(values) > 1:
            labels = _opened(labels, [label])
            open_groups.add(group)
    kept = [one for one in first.findings if group_of(one.code) not in open_groups]
    others = [
        _explained(finding, opinions, _GROUPS[group_of(finding.code)])
        for finding in _errors(opinions, open_groups)
    ]
    return kept + others, labels


def _errors(opinions: Sequence[Opinion], groups: set[str]) -> list[Finding]:
    """Return the errors of these groups that some version finds, each once."""
    found: dict[object, Finding] = {}
    for opinion in opinions:
        for one in opinion.findings:
            if one.severity == "error" and group_of(one.code) in groups:
                found.setdefault((one.code, one.identifier, one.start), one)
    return list(found.values())


def _explained(
    finding: Finding, opinions: Sequence[Opinion], label: Literal["syntactic", "schematic"]
) -> Finding:
    """Return a finding as information: which versions reject the statement, and which do not."""
    values = [(one.profile.version or "", getattr(one.labels, label)) for one in opinions]
    rejecting = [version for version, value in values if value is False]
    others = [version for version, value in values if value is not False]
    dialect = opinions[0].profile.dialect
    whole = replace(opinions[0].profile, version=None).engine
    message = finding.message.replace(whole, f"{dialect} {_listed(rejecting)}")
    advice = f"{dialect} {_listed(others)} may accept the statement"
    version = f"give the version, as in dialect='{dialect}:{others[-1]}'"
    said = f"{message} Versions disagree: {advice}; {version}."
    return replace(finding, severity="info", message=said)


def _listed(versions: Sequence[str]) -> str:
    *first, last = versions
    return f"{', '.join(first)} and {last}" if first else last


@cache
def _changed_words(dialect: str) -> frozenset[str]:
    """Return the words, in upper case, that a later version treats differently from the first."""
    words: set[str] = set()
    for version in dialect_of(dialect).versions.current[1:]:
        differences = written(dialect, nearest(dialect, version))
        words.update(*differences.get("reserved", {}).get("added", {}).values())
        for section in _NAMES:
            for names in differences.get(section, {}).values():
                words.update(map(str.upper, names))
    return frozenset(words)


_NAMES: Final = ("functions", "relations", "value_words", "quoted_calls", "collations")
"""Sections of a catalog whose differences are lists of names, or tables by name."""
_OF_NAMES: Final = frozenset(
    f"schema.{name}"
    for name in ("unknown_table", "unknown_column", "wrong_owner", "ambiguous_ref", "grouping")
)
"""Codes of faults that depend on the schema and on words; the others may depend on types and forms
as well."""


def _may_differ(finding: Finding) -> bool:
    """Return whether a version that treats all words alike may still judge otherwise."""
    return _fails_a_label(finding) and finding.code not in _OF_NAMES
