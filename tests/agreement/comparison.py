"""Compares reports with engines' verdicts and counts where they agree."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import sqlglot

from scripts.accuracy_page import Measurement
from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema
    from tests.agreement.corpus import LabeledItems


@dataclass
class Agreement:
    """The counts of one comparison, and where the verdicts differ."""

    counts: Counter[str] = field(default_factory=Counter)
    by_corpus: dict[str, Counter[str]] = field(default_factory=dict)
    false_alarms: list[tuple[LabeledItems, CheckReport]] = field(default_factory=list)
    missed: list[tuple[LabeledItems, CheckReport]] = field(default_factory=list)
    undecided: list[tuple[LabeledItems, CheckReport]] = field(default_factory=list)
    other_label: list[tuple[LabeledItems, CheckReport]] = field(default_factory=list)
    label_right: int = 0
    named: int = 0
    named_only: int = 0
    nameable: int = 0
    unnamed: list[tuple[LabeledItems, CheckReport]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    parse_seconds: list[float] = field(default_factory=list)


def compare(
    corpus: Iterable[LabeledItems], schemas: dict[str, Schema], dialect: str, *, native: bool
) -> Agreement:
    """Check every statement, cache off, and compare with the engine's verdict."""
    agreement = Agreement()
    profile = Profile.named(dialect)
    for labeled in corpus:
        request = Request(
            labeled.sql, schemas[labeled.schema], profile, native, None, None, as_given=True
        )
        begun = perf_counter()
        report = assess(request)
        agreement.seconds.append(perf_counter() - begun)
        agreement.parse_seconds.append(_parse_seconds(labeled.sql, profile.dialect))
        _count(agreement, labeled, report)
    return agreement


def _parse_seconds(sql: str, dialect: str) -> float:
    begun = perf_counter()
    try:
        sqlglot.parse(sql, dialect=dialect)
    except Exception:  # noqa: BLE001 - only the time is wanted, whatever the parser says
        return perf_counter() - begun
    return perf_counter() - begun


def _count(agreement: Agreement, labeled: LabeledItems, report: CheckReport) -> None:
    outcome = _outcome(labeled, report)
    for counts in (agreement.counts, agreement.by_corpus.setdefault(labeled.corpus, Counter())):
        counts["statements"] += 1
        counts["accepted"] += labeled.accepted
        counts[outcome] += 1
    if outcome != "agreed":
        getattr(agreement, outcome).append((labeled, report))
    elif not labeled.accepted:
        _count_label(agreement, labeled, report)
        _count_name(agreement, labeled, report)


def _outcome(labeled: LabeledItems, report: CheckReport) -> str:
    labels = (report.syntactic, report.schematic)
    if False in labels:
        return "false_alarms" if labeled.accepted else "agreed"
    if None in labels:
        return "undecided"
    return "agreed" if labeled.accepted else "missed"


def _count_label(agreement: Agreement, labeled: LabeledItems, report: CheckReport) -> None:
    right = getattr(report, str(labeled.failing_label)) is False
    agreement.label_right += right
    if not right:
        agreement.other_label.append((labeled, report))


_NAMES = (
    re.compile(r"no such (?:column|table|function): (?P<name>.+)"),
    re.compile(r"ambiguous column name: (?P<name>.+)"),
    re.compile(r'column reference "(?P<name>[^"]+)"'),
    re.compile(r'(?:column|relation|function|table) "(?P<name>[^"]+)" does not exist'),
    re.compile(r"(?:column|function) (?P<name>[\w.]+)(?:\(.*\))? does not exist"),
    re.compile(r'FROM-clause entry for table "(?P<name>[^"]+)"'),
    re.compile(r"Unknown column '(?P<name>[^']+)'"),
    re.compile(r"Column '(?P<name>[^']+)' in .* is ambiguous"),
    re.compile(r"Table '(?P<name>[^']+)' doesn't exist"),
    re.compile(r"FUNCTION (?P<name>\S+) does not exist"),
    re.compile(r'Referenced (?:column|table) "(?P<name>[^"]+)" not found'),
    re.compile(r"(?:Table|Scalar Function|Function) with name (?P<name>\S+) does not exist"),
    re.compile(r'Ambiguous reference to column name "(?P<name>[^"]+)"'),
    # BigQuery
    re.compile(r"Unrecognized name: (?P<name>`[^`]+`|[^\s;]+)"),
    re.compile(r"(?:Not found: Table|(?:Table|[Ff]unction) not found:) (?P<name>`[^`]+`|[^\s;]+)"),
    re.compile(
        r"(?:Name|Field name|Column name) (?P<name>\S+) (?:not found|does not|is ambiguous)"
    ),
    # Spark
    re.compile(r"with name (?P<name>`.+?`(?!\.`)) cannot be resolved"),
    re.compile(r"(?:table or view|resolve routine|USING column|Reference) (?P<name>`.+?`(?!\.`)) "),
    re.compile(r"(?:struct field|Could not resolve) (?P<name>`.+?`(?!\.`)) "),
    # ClickHouse
    re.compile(r"Unknown (?:\w+ )*identifier ['`](?P<name>.+?)['`]"),
    re.compile(r"(?:Unknown (?:table )?function|unction with name) (?P<name>['`]?\w+)"),
    re.compile(r"ambiguous identifier '(?P<name>.+?)'"),
)


def wrong_name(message: str) -> str | None:
    """Return the name that an engine's error is about, without its qualifier."""
    for pattern in _NAMES:
        if found := pattern.search(message):
            name = found["name"]
            plain = name if re.search(r"[\s@%]", name) else name.rpartition(".")[2]
            return plain.strip("\"'`").lower()
    return None


def _count_name(agreement: Agreement, labeled: LabeledItems, report: CheckReport) -> None:
    name = wrong_name(labeled.message)
    if name is None or labeled.verdict not in {"column", "table", "function", "ambiguous"}:
        return
    found = {finding.identifier.lower() for finding in report.errors if finding.identifier}
    qualifiers = labeled.message.lower()
    agreement.nameable += 1
    hit = name in found or any(
        f"{told}." in qualifiers or name.endswith(f".{told}") for told in found
    )
    agreement.named += hit
    agreement.named_only += hit and len(found) == 1
    if not hit:
        agreement.unnamed.append((labeled, report))


def figures(agreement: Agreement) -> dict[str, str]:
    """Return the agreement table: what was measured, by name."""
    caught = agreement.label_right + len(agreement.other_label)
    return {
        "statements": str(agreement.counts["statements"]),
        **shares(agreement.counts),
        "label of the engine's error fails": _share(agreement.label_right, caught),
        "wrong identifier named": _share(agreement.named, agreement.nameable),
        "only it named": _share(agreement.named_only, agreement.nameable),
        "median check, µs": f"{statistics.median(agreement.seconds) * 1e6:.0f}",
        "p99 check, µs": f"{_p99(agreement.seconds) * 1e6:.0f}",
        "median check / sqlglot.parse": _ratio(agreement),
    }


def shares(counts: Counter[str]) -> dict[str, str]:
    """Return how often verdicts agree and differ; an undecided statement does not agree."""
    statements, accepted = counts["statements"], counts["accepted"]
    return {
        "agreement": _share(counts["agreed"], statements),
        "false alarms": _share(counts["false_alarms"], accepted),
        "missed": _share(counts["missed"], statements - accepted),
        "undecided": _share(counts["undecided"], statements),
    }


def measurement(agreement: Agreement, dialect: str, authority: str, *, seen: bool) -> Measurement:
    """Return a comparison's row of the accuracy page."""
    names = ("statements", "accepted", "agreed", "false_alarms", "missed", "undecided")
    counts = {name: agreement.counts[name] for name in names}
    return Measurement(dialect=dialect, authority=authority, seen=seen, **counts)


def _ratio(agreement: Agreement) -> str:
    check, parse = map(statistics.median, (agreement.seconds, agreement.parse_seconds))
    return f"{check / parse:.2f} x"


def _p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.3f} % ({part} of {whole})" if whole else "- (none)"
