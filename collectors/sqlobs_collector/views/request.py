"""One request in full: what was asked and answered, checked, run, judged and said about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import orjson
from pydantic import BaseModel
from sqlglot import TokenType, tokenize
from sqlglot.errors import SqlglotError

from sqlobs import semconv
from sqlobs_collector.disclosure import disclosed
from sqlobs_collector.store.payload import unpack
from sqlobs_collector.units.paths import path_of, time_text
from sqlobs_collector.views.requests import (
    RequestSummary,
    said_by,
    summary_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs_collector.evaluation.schemas import KnownSchema, Schemas
    from sqlobs_collector.store.payload import Said, Value
    from sqlobs_collector.store.reading import StoredUnit
    from sqlobs_collector.store.requests import RequestReader

_STAGES: Final = {
    "retrieval": semconv.SQLOBS_RETRIEVAL_DURATION,
    "model calls": semconv.SQLOBS_LLM_DURATION,
    "check": semconv.SQLOBS_CHECK_DURATION,
    "execution": semconv.SQLOBS_EXECUTION_DURATION,
}
"""In the order in which they usually come; each is the sum of its spans."""
_USAGE: Final = {
    "input tokens": semconv.SQLOBS_USAGE_INPUT_TOKENS,
    "output tokens": semconv.SQLOBS_USAGE_OUTPUT_TOKENS,
    "cost (USD)": semconv.SQLOBS_USAGE_COST,
    "time to first token (s)": semconv.SQLOBS_GENERATION_TIME_TO_FIRST_TOKEN,
}
_EXECUTED: Final = {
    "status": semconv.SQLOBS_EXECUTION_STATUS,
    "error": semconv.ERROR_TYPE,
    "SQLSTATE class": semconv.SQLOBS_EXECUTION_SQLSTATE_CLASS,
    "rows": semconv.SQLOBS_RESULT_ROWS,
    "columns": semconv.SQLOBS_RESULT_COLUMNS,
    "result is empty": semconv.SQLOBS_RESULT_EMPTY,
    "result was truncated": semconv.SQLOBS_RESULT_TRUNCATED,
}
_OF_REFERENCE: Final = ("equals_reference", "reference", "record", "rows", "empty")
_MOST_TABLES: Final = 8
_LONGEST_TOKENIZED: Final = 64 * 1024
_WORD: Final = re.compile(r"\w+")
_ID: Final = re.compile(
    # 4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7, as in ids of generations and in addresses
    r"(?:00-)?(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})(?:-[0-9a-f]{2})?"
)


class Part(BaseModel):
    """A part of a statement: an invented name, or what is between them."""

    text: str
    invented: bool = False
    suggestion: str | None = None


class FindingView(BaseModel):
    """What the check found, at a place of the statement."""

    code: str
    message: str | None = None
    name: str | None = None
    suggestion: str | None = None
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1."""


class AttemptView(BaseModel):
    """One statement that was tried."""

    number: int
    verdict: str | None
    sql: str | None
    parts: list[Part]
    """The statement, its invented names apart."""
    findings: list[FindingView]


class StageView(BaseModel):
    """A part of the time that a request took."""

    name: str
    start_s: float
    duration_s: float


class EvaluationView(BaseModel):
    """One result of an evaluation."""

    metric: str
    version: str
    kind: str
    label: str
    value: float | None
    reason: str | None
    explanation: str | None
    detail: dict[str, Any]
    at: str
    duration_s: float | None
    cost_usd: float | None


class FeedbackView(BaseModel):
    """What a user said."""

    at: str
    kind: str | None
    value: str | None
    score: float | None
    explanation: str | None
    corrected_sql: str | None


class LinkView(BaseModel):
    """The request in another tool."""

    name: str
    url: str


class RequestView(BaseModel):
    """Everything that is known of one request."""

    request: RequestSummary
    target: str | None
    dialect: str | None
    schema_version: str | None
    conversation: str | None
    capture: str | None
    reference: str | None
    hint: str | None
    attempts: list[AttemptView]
    attempts_made: int
    """More than there are in `attempts`: the texts of earlier ones were not sent."""
    syntax_error: str | None
    duration_s: float | None
    stages: list[StageView]
    usage: dict[str, float]
    schema_excerpt: str | None
    """The tables that the statement and its suggestions name."""
    execution: dict[str, Any]
    """As the application ran it."""
    evaluations: list[EvaluationView]
    feedback: list[FeedbackView]
    steps: list[dict[str, Any]]
    """The path through the collector."""
    links: list[LinkView]
    same_question: list[RequestSummary]
    same_conversation: list[RequestSummary]


def read_id(text: str) -> tuple[str, str] | None:
    """Return trace and span of a request's id; None if it is none."""
    found = _ID.fullmatch(text.lower())
    return None if found is None else (found["trace"], found["span"])


def request_view(
    stored: StoredUnit,
    reader: RequestReader,
    schemas: Schemas,
    *,
    links: Mapping[str, str],
    is_operator: bool,
) -> RequestView:
    """Return everything that is known of a request.

    Args:
        stored: The unit with its evaluations and reports.
        reader: Of the store.
        schemas: Finds the schema that it was checked against.
        links: Templates of addresses in other tools, by name.
        is_operator: Whether exact scores may be shown; else they are rounded.
    """
    unit: Mapping[str, Any] = stored.unit
    said = said_by(unit)
    reports = sorted(stored.reports, key=lambda one: (one["occurred_ns"], one["record_id"]))
    same = _neighbors(reader, unit)
    attempts = list(_attempts(said, unit))
    seconds = _number(said.attributes.get(semconv.SQLOBS_GENERATION_DURATION))
    return RequestView(
        request=summary_of(unit, _results(stored)),
        target=unit["target"],
        dialect=unit["dialect"],
        schema_version=unit["schema_version"],
        conversation=unit["conversation"],
        capture=unit["capture"],
        reference=text_of(said, semconv.SQLOBS_REFERENCE_QUERY_TEXT),
        hint=text_of(said, semconv.SQLOBS_HINT_TEXT),
        attempts=attempts,
        attempts_made=int(_number(said.attributes.get(semconv.SQLOBS_ATTEMPTS)) or len(attempts)),
        syntax_error=_text(said.attributes.get(semconv.SQLOBS_SYNTAX_ERROR_MESSAGE)),
        duration_s=seconds,
        stages=list(_stages(said)),
        usage={
            name: number
            for name, key in _USAGE.items()
            if (number := _number(said.attributes.get(key))) is not None
        },
        schema_excerpt=_excerpt(unit, attempts, schemas),
        execution=_execution(said, reports),
        evaluations=[_evaluation(one, is_operator=is_operator) for one in stored.evaluations],
        feedback=[_feedback(one) for one in reports if one["kind"] == "feedback"],
        steps=_steps(stored, is_operator=is_operator),
        links=list(_links(links, unit)),
        same_question=same["question_key"],
        same_conversation=same["conversation"],
    )


def _neighbors(reader: RequestReader, unit: Mapping[str, Any]) -> dict[str, list[RequestSummary]]:
    """Return the requests with the same question, and those of the same conversation."""
    found = reader.neighbors(unit)
    results = reader.results(sorted({row["id"] for rows in found.values() for row in rows}))
    return {
        name: [summary_of(row, dict(results.get(row["id"], ()))) for row in rows]
        for name, rows in found.items()
    }


def _results(stored: StoredUnit) -> dict[str, str]:
    return {
        str(one["metric"]): str(one["label"])
        for one in stored.evaluations
        if one["label"] != "not_evaluated"
    }


def _attempts(said: Said, unit: Mapping[str, Any]) -> Iterator[AttemptView]:
    """Yield the attempts whose texts were sent; a unit of an older release has the last alone."""
    sent = text_of(said, semconv.SQLOBS_ATTEMPT_TEXTS)
    try:
        known = [] if sent is None else orjson.loads(sent)
    except orjson.JSONDecodeError:
        known = []
    for one in known if isinstance(known, list) else []:
        if isinstance(one, dict):
            yield _attempt(one, unit)
    if not known:
        yield _last_attempt(said, unit)


def _attempt(one: Mapping[str, Any], unit: Mapping[str, Any]) -> AttemptView:
    sql = _text(one.get("sql"))
    findings = [
        FindingView.model_validate({name: found.get(name) for name in FindingView.model_fields})
        for found in one.get("findings", ())
        if isinstance(found, dict) and isinstance(found.get("code"), str)
    ]
    names = {found.name: found.suggestion for found in findings if found.name}
    return AttemptView(
        number=int(one.get("number") or 1),
        verdict=_text(one.get("verdict")),
        sql=sql,
        parts=parts_of(sql or "", names, dialect=unit["dialect"]),
        findings=findings,
    )


def _last_attempt(said: Said, unit: Mapping[str, Any]) -> AttemptView:
    summary = summary_of(unit, {})
    sql = summary.sql
    names = {one.name: one.suggestion for one in summary.invented}
    parts = parts_of(sql or "", names, dialect=unit["dialect"])
    codes = said.attributes.get(semconv.SQLOBS_FAILURE_CODES)
    found = list(_found_names(parts, names))
    others = [one for one in codes if isinstance(one, str)] if isinstance(codes, list) else []
    return AttemptView(
        number=int(_number(said.attributes.get(semconv.SQLOBS_ATTEMPTS)) or 1),
        verdict=unit["verdict"],
        sql=sql,
        parts=parts,
        findings=found or [FindingView(code=code) for code in others],
    )


def _found_names(parts: list[Part], names: Mapping[str, str | None]) -> Iterator[FindingView]:
    """Yield each invented name with its first place."""
    before, seen = "", set()
    for part in parts:
        if part.invented and part.text.casefold() not in seen:
            seen.add(part.text.casefold())
            yield FindingView(
                code="invented name",
                name=part.text,
                suggestion=part.suggestion,
                line=before.count("\n") + 1,
                column=len(before) - before.rfind("\n"),
            )
        before += part.text
    for name, suggestion in names.items():
        if _last_part(name) not in seen:
            yield FindingView(code="invented name", name=name, suggestion=suggestion)


def parts_of(sql: str, names: Mapping[str, str | None], *, dialect: str | None) -> list[Part]:
    """Return a statement with its invented names apart."""
    wanted = {_last_part(name): suggestion for name, suggestion in names.items()}
    parts, place = [], 0
    for start, end in _places(sql, dialect) if wanted else ():
        word = sql[start:end].strip("\"`[]'").casefold()
        if word in wanted and start >= place:
            parts += [Part(text=sql[place:start])] if start > place else []
            parts.append(Part(text=sql[start:end], invented=True, suggestion=wanted[word]))
            place = end
    return [*parts, Part(text=sql[place:])] if sql[place:] else parts


def _places(sql: str, dialect: str | None) -> list[tuple[int, int]]:
    """Return where tokens are; words, if the statement has none or is very long."""
    if len(sql) <= _LONGEST_TOKENIZED:
        try:
            return [
                (one.start, one.end + 1)
                for one in tokenize(sql, read=dialect)
                if one.token_type is not TokenType.STRING
            ]
        except (SqlglotError, ValueError):
            pass
    return [one.span() for one in _WORD.finditer(sql[:_LONGEST_TOKENIZED])]


def _last_part(name: str) -> str:
    """Return the identifier of a name: `total` of `orders.total`."""
    return name.rpartition(".")[2].strip('"`[]').casefold()


def _stages(said: Said) -> Iterator[StageView]:
    start_s = 0.0
    for name, key in _STAGES.items():
        seconds = _number(said.attributes.get(key))
        if seconds:
            yield StageView(name=name, start_s=start_s, duration_s=seconds)
            start_s += seconds
    whole_s = _number(said.attributes.get(semconv.SQLOBS_GENERATION_DURATION))
    if whole_s is not None and whole_s > start_s:
        yield StageView(name="everything else", start_s=start_s, duration_s=whole_s - start_s)


def _excerpt(unit: Mapping[str, Any], attempts: list[AttemptView], schemas: Schemas) -> str | None:
    known = schemas.find(
        workspace=unit["workspace"], version=unit["schema_version"], alias=unit["target"]
    )
    return None if known is None else _tables_of(known, attempts)


def _tables_of(known: KnownSchema, attempts: list[AttemptView]) -> str | None:
    words = {word.casefold() for one in attempts for word in _WORD.findall(one.sql or "")}
    words |= {
        word.casefold()
        for one in attempts
        for found in one.findings
        for word in _WORD.findall(found.suggestion or "")
    }
    tables = [one.name for one in known.schema.tables if one.name.casefold() in words]
    return known.schema.render(tables[:_MOST_TABLES]) if tables else None


def _execution(said: Said, reports: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how the application ran the statement; a later report tells more than the unit."""
    attributes = dict(said.attributes)
    for one in reports:
        if one["kind"] == "execution" and one["payload"] is not None:
            attributes |= unpack(one["payload"]).attributes
    return {name: attributes[key] for name, key in _EXECUTED.items() if key in attributes}


def _evaluation(row: Mapping[str, Any], *, is_operator: bool) -> EvaluationView:
    value = row["value"] if is_operator else disclosed(row["metric"], row["value"])
    return EvaluationView(
        **{
            name: row[name]
            for name in (
                *("metric", "version", "kind", "label", "reason", "explanation"),
                *("duration_s", "cost_usd"),
            )
        },
        value=value,
        detail=orjson.loads(row["detail"]) if row["detail"] and is_operator else {},
        at=time_text(row["created_ns"]),
    )


def _feedback(report: Mapping[str, Any]) -> FeedbackView:
    said = {} if report["payload"] is None else unpack(report["payload"]).attributes
    return FeedbackView(
        at=time_text(report["occurred_ns"]),
        kind=_text(said.get(semconv.SQLOBS_FEEDBACK_KIND)),
        value=_text(said.get(semconv.SQLOBS_FEEDBACK_VALUE)),
        score=_number(said.get(semconv.GEN_AI_EVALUATION_SCORE_VALUE)),
        explanation=_text(said.get(semconv.GEN_AI_EVALUATION_EXPLANATION)),
        corrected_sql=_text(said.get(semconv.SQLOBS_FEEDBACK_QUERY_TEXT)),
    )


def _steps(stored: StoredUnit, *, is_operator: bool) -> list[dict[str, Any]]:
    steps: Any = path_of(stored)["steps"]
    for step in steps if not is_operator else ():
        if "metric" in step and "value" in step:
            step["value"] = disclosed(step["metric"], step["value"])
    return [dict(step) for step in steps]


def _links(templates: Mapping[str, str], unit: Mapping[str, Any]) -> Iterator[LinkView]:
    """Yield the addresses that templates make of a request's ids: hex digits and numbers alone."""
    ids = {
        "{trace_id}": unit["trace_id"],
        "{span_id}": unit["span_id"],
        "{occurred_ms}": str(unit["occurred_ns"] // 10**6),
    }
    for name, template in templates.items():
        url = template
        for place, value in ids.items():
            url = url.replace(place, value)
        yield LinkView(name=name, url=url)


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Value) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]  # a number
