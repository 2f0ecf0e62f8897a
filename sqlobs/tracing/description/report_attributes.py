"""The attributes of a report: made once per report, which the checker's cache shares.

Tests: `tests/telemetry/test_attributes.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.failure_codes import PRECEDENCE, group_of
from sqlobs.tracing.description.attribute_set import AttributeSet, Texts
from sqlobs.tracing.description.names import Names

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport, Finding
    from sqlobs.types import Verdict
    from sqlobs.unit import AttributeValue

CACHED: Final = 512
"""Descriptions kept in the cache."""


@dataclass(frozen=True)
class Description:
    """The attributes of one report."""

    statement: AttributeSet
    """Facts about the statement, valid or not."""
    findings: AttributeSet
    """The findings."""
    labels: AttributeSet
    """The two labels."""
    verdict: Verdict
    hallucinated: bool | None
    has_syntax_error: bool
    report: CheckReport

    @cached_property
    def events(self) -> tuple[FindingEvent, ...]:
        """The findings, each as an event of the span; computed for a recorded span."""
        names = Names(self.report)
        return tuple(_event(finding, names) for finding in self.report.findings)


@dataclass(frozen=True, slots=True)
class FindingEvent:
    """One finding; its message is masked, and still to pass `redact`."""

    message: str
    attributes: dict[str, AttributeValue]


_CACHE: Final[dict[int, tuple[CheckReport, Description]]] = {}
"""By id, as reports are not hashable; each entry keeps its report, so that no id is reused."""


def describe(report: CheckReport) -> Description:
    """Return the attributes of a report."""
    if (cached := _CACHE.get(id(report))) is not None:
        return cached[1]
    names = Names(report)
    description = Description(
        statement=_statement(report, names),
        findings=_findings(report, names),
        labels=_labels(report),
        verdict=report.verdict,
        hallucinated=report.hallucinated,
        has_syntax_error=_first_syntax_error(report) is not None,
        report=report,
    )
    if len(_CACHE) >= CACHED:
        _CACHE.clear()
    _CACHE[id(report)] = (report, description)
    return description


def _statement(report: CheckReport, names: Names) -> AttributeSet:
    attributes = AttributeSet()
    attributes.put(semconv.SQLOBS_QUERY_SUMMARY, names.summary())
    attributes.put(semconv.SQLOBS_QUERY_FINGERPRINT, report.fingerprint)
    attributes.put(semconv.SQLOBS_QUERY_STATEMENT, report.statement)
    attributes.put_list(semconv.SQLOBS_QUERY_TABLES, names.tables())
    return attributes


def _findings(report: CheckReport, names: Names) -> AttributeSet:
    attributes = AttributeSet()
    tables = [names.invented(name) for name in report.unknown_tables]
    columns = [names.invented(name) for name in report.unknown_columns]
    attributes.put_list(semconv.SQLOBS_SUGGESTIONS, _suggestions(report, names))
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_COLUMNS, columns)
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_TABLES, tables)
    if invented := tables + columns:
        attributes.put(semconv.SQLOBS_HALLUCINATED_FIRST, invented[0])
    if report.hallucinated is not None:
        attributes.put(semconv.SQLOBS_HALLUCINATED_COUNT, len(invented))
    if (error := _first_syntax_error(report)) is not None:
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_LINE, error.line)
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_COLUMN, error.column)
    if report.verdict == "failed":
        attributes.put(semconv.SQLOBS_REPAIRABLE, report.fixed_sql is not None)
    put_codes(attributes, report)
    return attributes


def _event(finding: Finding, names: Names) -> FindingEvent:
    attributes = AttributeSet()
    attributes.put(semconv.SQLOBS_FINDING_CODE, finding.code)
    attributes.put(semconv.SQLOBS_FINDING_SEVERITY, finding.severity)
    attributes.put(semconv.SQLOBS_FINDING_LINE, finding.line)
    attributes.put(semconv.SQLOBS_FINDING_COLUMN, finding.column)
    if finding.suggestion is not None:
        attributes.put(semconv.SQLOBS_FINDING_SUGGESTION, names.suggested(finding.suggestion))
    return FindingEvent(finding_message(finding, names), dict(attributes))


def finding_message(finding: Finding, names: Names) -> str:
    """Return a finding's message, masked: it may quote a part of a value."""
    from sqlobs.check.llm_output.refusals import NO_SQL
    from sqlobs.check.report.message_masking import mask_message

    if finding.code == NO_SQL:
        return finding.message  # a fixed sentence, which quotes nothing of the answer
    # The finding's own name may be shown; a token near it may be part of a value.
    report = names.report
    shown = {report.dialect, *_shown_names(finding, names)}
    return mask_message(
        finding.message,
        sql=report.sql,
        masked_sql=report.masked_sql,
        known=shown.__contains__,
    )


def _shown_names(finding: Finding, names: Names) -> Iterator[str]:
    if finding.identifier is not None:
        yield names.invented(finding.identifier)
    if finding.suggestion is not None:
        yield names.suggested(finding.suggestion)


def _suggestions(report: CheckReport, names: Names) -> list[str]:
    found = (
        f"{names.invented(finding.identifier)} -> {names.suggested(finding.suggestion)}"
        for finding in report.findings
        if finding.identifier is not None and finding.suggestion is not None
    )
    return list(dict.fromkeys(found))


def _first_syntax_error(report: CheckReport) -> Finding | None:
    return next((found for found in report.errors if group_of(found.code) == "syntax"), None)


def put_codes(attributes: AttributeSet, report: CheckReport) -> None:
    """Set the codes of a report, the primary failure last."""
    attributes.put_list(semconv.SQLOBS_WARNING_CODES, _by_severity(report.warning_codes))
    codes = _by_severity(report.failure_codes)
    attributes.put_list(semconv.SQLOBS_FAILURE_CODES, codes)
    if report.verdict == "failed" and codes:
        attributes.put(semconv.SQLOBS_FAILURE_GROUP, group_of(codes[0]))
        attributes.put(semconv.SQLOBS_FAILURE_CODE, codes[0])


def _by_severity(codes: Iterable[str]) -> list[str]:
    """Order codes by precedence, the primary one first."""
    return sorted(codes, key=lambda code: PRECEDENCE.index(group_of(code)))


def _labels(report: CheckReport) -> AttributeSet:
    attributes = AttributeSet()
    labels = {"syntactic": report.syntactic, "schematic": report.schematic}
    attributes.put(semconv.SQLOBS_SYNTACTIC, report.syntactic)
    attributes.put(semconv.SQLOBS_SCHEMATIC, report.schematic)
    holding = Texts(name for name, holds in labels.items() if holds)
    attributes.put(semconv.SQLOBS_CORRECTNESS_LABELS, holding)
    return attributes
