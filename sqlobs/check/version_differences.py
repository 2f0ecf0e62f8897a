"""Known versions of one dialect that disagree: then a label is open, and a finding says why.

A dialect without a version stands for its current ones. A statement that one of them accepts is
not called wrong, and one that a later one rejects is not called right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs.check.report.model import Finding
from sqlobs.dialects.catalog import new_forms
from sqlobs.dialects.documents import nearest, written
from sqlobs.dialects.registry import dialect_of
from sqlobs.failure_codes import group_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.report.conclusion import Labels

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
    if form is None and not _may_differ(statement, first.findings):
        return first.findings, first.labels
    opinions = [_with_form(replace(first, profile=versions[0]), form)]
    opinions += [_with_form(opinion_of(other), form) for other in versions[1:]]
    return _in_common(opinions)


def _new_form_of(statement: Statement, findings: Sequence[Finding]) -> _NewForm | None:
    """Return the latest of the forms that a statement has and versions before it lack."""
    known = new_forms(statement.dialect)
    if known is None or not (_has_errors(findings) or known.words & statement.words):
        return None
    text = " ".join(
        statement.sql[token.start : token.end + 1].upper() for token in statement.all_tokens
    )
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
    return replace(
        opinion,
        findings=[*opinion.findings, lacking],
        labels=replace(labels, syntactic=False),
    )


def _may_differ(statement: Statement, findings: Sequence[Finding]) -> bool:
    """Return whether other versions may disagree with the first one."""
    return _has_errors(findings) or not _removed_words(statement.dialect).isdisjoint(
        statement.words
    )


def _opened(labels: Labels, names: Sequence[str]) -> Labels:
    """Return labels of which some are undecided."""
    reasons = dict(labels.reasons)
    for name in names:
        reasons[name] = "undecided"
    return replace(
        labels,
        syntactic=None if "syntactic" in names else labels.syntactic,
        schematic=None if "schematic" in names else labels.schematic,
        reasons=reasons,
    )


def _has_errors(findings: Sequence[Finding]) -> bool:
    return any(one.severity == "error" and group_of(one.code) in _GROUPS for one in findings)


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
    said = [(one.profile.version or "", getattr(one.labels, label)) for one in opinions]
    rejecting = [version for version, value in said if value is False]
    others = [version for version, value in said if value is not False]
    dialect = opinions[0].profile.dialect
    whole = replace(opinions[0].profile, version=None).engine
    message = finding.message.replace(whole, f"{dialect} {_listed(rejecting)}")
    advice = f"{dialect} {_listed(others)} may accept the statement"
    version = f"give the version, as in dialect='{dialect}:{others[-1]}'"
    return replace(
        finding,
        severity="info",
        message=f"{message} Versions disagree: {advice}; {version}.",
    )


def _listed(versions: Sequence[str]) -> str:
    *first, last = versions
    return f"{', '.join(first)} and {last}" if first else last


@cache
def _removed_words(dialect: str) -> frozenset[str]:
    """Return the words, in upper case, for which a later version may reject a statement."""
    words: set[str] = set()
    for version in dialect_of(dialect).versions.current[1:]:
        differences = written(dialect, nearest(dialect, version))
        words.update(*differences.get("reserved", {}).get("added", {}).values())
        words.update(name.upper() for name in _removed(differences))
    return frozenset(words)


def _removed(differences: Mapping[str, Any]) -> Iterator[str]:
    for section in ("functions", "relations"):
        yield from differences.get(section, {}).get("removed", ())
