"""What a report says, as attributes: made once per report, which the checker's cache shares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.failure_codes import PRECEDENCE, group_of
from sqlobs.schema.identifiers import PLAIN_NAME
from sqlobs.tracing.description.attribute_set import AttributeSet, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.report import CheckReport, Finding
    from sqlobs.types import Verdict

QUOTED: Final = "<quoted>"
"""Stands for an invented name that may be anything: a model writes `region = "North West"`."""

_NAME: Final = re.compile(PLAIN_NAME)
_WORD: Final = re.compile(r"[\w$]+")
_NO_QUOTES: Final = str.maketrans("", "", "'\"`[]\\\\")
"""Quotes and escapes: the same name may be spelled with other ones."""


CACHED: Final = 512
"""Reports whose description is kept."""


@dataclass(frozen=True, slots=True)
class Description:
    """The attributes of one report."""

    statement: AttributeSet
    """What the statement is, whatever it is worth."""
    findings: AttributeSet
    """What is wrong with it."""
    labels: AttributeSet
    """The two labels."""
    verdict: Verdict
    has_syntax_error: bool


_CACHE: Final[dict[int, tuple[CheckReport, Description]]] = {}
"""By identity: a report is not hashable. It is kept beside, so that its id is not used again."""


def describe(report: CheckReport) -> Description:
    """Return the attributes of a report."""
    if (cached := _CACHE.get(id(report))) is not None:
        return cached[1]
    description = Description(
        statement=_statement(report),
        findings=_findings(report),
        labels=_labels(report),
        verdict=report.verdict,
        has_syntax_error=_first_syntax_error(report) is not None,
    )
    if len(_CACHE) >= CACHED:
        _CACHE.clear()
    _CACHE[id(report)] = (report, description)
    return description


def shown_name(name: str) -> str:
    """Return an invented name as it may be recorded: only if it looks like an identifier."""
    return name if all(map(_NAME.fullmatch, name.split("."))) else QUOTED


def _statement(report: CheckReport) -> AttributeSet:
    attributes = AttributeSet()
    attributes.put(semconv.SQLOBS_QUERY_SUMMARY, _shown_summary(report))
    attributes.put(semconv.SQLOBS_QUERY_FINGERPRINT, report.fingerprint)
    attributes.put(semconv.SQLOBS_QUERY_STATEMENT, report.statement)
    attributes.put_list(semconv.SQLOBS_QUERY_TABLES, _shown_tables(report))
    return attributes


def _shown_summary(report: CheckReport) -> str | None:
    summary = report.summary
    if summary is None or not report.tables:
        return summary
    for table, shown in zip(report.tables, _shown_tables(report), strict=True):
        if shown != table:
            summary = summary.replace(table, shown)
    written = _names_written(report)
    words = [word if written.issuperset(_words(word)) else QUOTED for word in summary.split(" ")]
    return " ".join(words)


def _shown_tables(report: CheckReport) -> list[str]:
    if report.schematic is None:  # no table is known to be in the schema
        return [shown_invention(table, report) for table in report.tables]
    unknown = set(report.unknown_tables)
    return [
        shown_invention(table, report)
        if table in unknown or table.rpartition(".")[2] in unknown
        else table
        for table in report.tables
    ]


def shown_invention(name: str, report: CheckReport) -> str:
    """Return an invented name as it may be recorded: one that is written as a string may not."""
    if not _names_written(report).issuperset(_words(name)):
        return QUOTED
    return shown_name(name)


def _names_written(report: CheckReport) -> set[str]:
    """Return the words that masking leaves of a statement: no literal is among them."""
    return set(_words(report.masked_sql or ""))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _findings(report: CheckReport) -> AttributeSet:
    attributes = AttributeSet()
    tables = [shown_invention(name, report) for name in report.unknown_tables]
    columns = [shown_invention(name, report) for name in report.unknown_columns]
    attributes.put_list(semconv.SQLOBS_SUGGESTIONS, _suggestions(report))
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_COLUMNS, columns)
    attributes.put_list(semconv.SQLOBS_HALLUCINATED_TABLES, tables)
    if invented := tables + columns:
        attributes.put(semconv.SQLOBS_HALLUCINATED_FIRST, invented[0])
    if report.schema_hallucination is not None:
        attributes.put(semconv.SQLOBS_HALLUCINATED_COUNT, len(invented))
    if (error := _first_syntax_error(report)) is not None:
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_LINE, error.line)
        attributes.put(semconv.SQLOBS_SYNTAX_ERROR_COLUMN, error.column)
    if report.verdict == "failed":
        attributes.put(semconv.SQLOBS_REPAIRABLE, report.fixed_sql is not None)
    put_codes(attributes, report)
    return attributes


def _suggestions(report: CheckReport) -> list[str]:
    found = (
        f"{shown_invention(finding.identifier, report)} -> "
        f"{_shown_suggestion(finding.suggestion, report.sql)}"
        for finding in report.findings
        if finding.identifier is not None and finding.suggestion is not None
    )
    return list(dict.fromkeys(found))


def _shown_suggestion(name: str, sql: str) -> str:
    """Return a suggested name: one of the schema as it is, an alias only if it is an identifier."""
    is_of_statement = name.translate(_NO_QUOTES) in sql.translate(_NO_QUOTES)
    return shown_name(name) if is_of_statement else name


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
    """Order codes as the primary one is chosen."""
    return sorted(codes, key=lambda code: PRECEDENCE.index(group_of(code)))


def _labels(report: CheckReport) -> AttributeSet:
    attributes = AttributeSet()
    labels = {"syntactic": report.syntactic, "schematic": report.schematic}
    attributes.put(semconv.SQLOBS_SYNTACTIC, report.syntactic)
    attributes.put(semconv.SQLOBS_SCHEMATIC, report.schematic)
    holding = Texts(name for name, holds in labels.items() if holds)
    attributes.put(semconv.SQLOBS_CORRECTNESS_LABELS, holding)
    return attributes
