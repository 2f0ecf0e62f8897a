"""A list of requests: a page of it, the number of matches, and the export."""

from __future__ import annotations

import base64
import csv
import io
import re
from typing import TYPE_CHECKING, Any, Final

import orjson
from pydantic import BaseModel

from sqlobs import semconv
from sqlobs_collector.explaining.question import QuestionError
from sqlobs_collector.store.payload import Said, unpack
from sqlobs_collector.store.requests import Place, RequestCount
from sqlobs_collector.store.searchable import invented_names
from sqlobs_collector.store.selection import MATCHES
from sqlobs_collector.units.paths import time_text
from sqlobs_collector.views.filters import Period

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs_collector.store.requests import RequestReader
    from sqlobs_collector.store.selection import RequestFilter

PAGE: Final = 50
_PLACE: Final = re.compile(rb"([0-9]{1,19})-([0-9]{1,19})")
_NO_PLACE: Final = "after must be the `next` of the page before"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute."""
_AT_ONCE: Final = 500


class InventedNameView(BaseModel):
    """A name that does not exist."""

    kind: str
    name: str
    suggestion: str | None


class RequestSummary(BaseModel):
    """One request, as a list shows it."""

    id: str
    """Trace and span: `4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7`."""
    generation_id: str
    occurred: str
    service: str
    environment: str
    service_version: str | None
    workflow: str
    tenant: str | None
    model: str | None
    prompt_version: str | None
    outcome: str | None
    verdict: str | None
    failure_code: str | None
    state: str
    question: str | None
    sql: str | None
    invented: list[InventedNameView]
    results: dict[str, str]
    """Labels by evaluation; of several versions the last."""
    has_texts: bool
    """They have not expired."""


class RequestPage(BaseModel):
    """A page of a list of requests, newest first."""

    period: Period
    requests: list[RequestSummary]
    count: int
    """Matches in the period."""
    is_count_complete: bool
    """False: there are more than `count`."""
    chosen_from: int | None
    """Text search and evaluation results choose from so many of the latest requests that have them;
    None = from all."""
    next: str | None
    """`after` of the next page; None = this is the last one."""


def request_page(
    reader: RequestReader, chosen: RequestFilter, *, after: str | None, limit: int = PAGE
) -> RequestPage:
    """Return a page of requests.

    Args:
        reader: Of the store.
        chosen: Which requests.
        after: The `next` of the page before; None = the first page.
        limit: The most requests.

    Raises:
        QuestionError: `after` is of no page.
    """
    found = reader.resolved(chosen)
    rows = reader.page(found, after=_place(after) if after else None, limit=limit + 1)
    shown, is_all = rows[:limit], len(rows) <= limit and not after
    count = RequestCount(len(rows), True) if is_all else reader.count(found)
    return RequestPage(
        period=Period.of(chosen),
        requests=summaries(reader, shown),
        count=count.count,
        is_count_complete=count.is_complete,
        chosen_from=MATCHES if chosen.searched or chosen.evaluated else None,
        next=_written(shown[-1]) if len(rows) > limit else None,
    )


def summaries(reader: RequestReader, rows: Sequence[Mapping[str, Any]]) -> list[RequestSummary]:
    """Return rows as a list shows them, with their results."""
    results = reader.results([row["id"] for row in rows])
    return [summary_of(row, dict(results.get(row["id"], []))) for row in rows]


def summary_of(row: Mapping[str, Any], results: Mapping[str, str]) -> RequestSummary:
    """Return one request as a list shows it."""
    said = said_by(row)
    return RequestSummary(
        id=f"{row['trace_id']}-{row['span_id']}",
        generation_id=f"00-{row['trace_id']}-{row['span_id']}-01",
        occurred=time_text(row["occurred_ns"]),
        service=row["service_name"],
        **{
            name: row[name]
            for name in (
                *("environment", "service_version", "workflow", "tenant", "model", "state"),
                *("prompt_version", "outcome", "verdict", "failure_code"),
            )
        },
        question=text_of(said, semconv.SQLOBS_QUESTION_TEXT),
        sql=text_of(said, semconv.SQLOBS_QUERY_TEXT),
        invented=[
            InventedNameView(kind=kind, name=name, suggestion=suggestion)
            for kind, name, suggestion in invented_names(said.attributes)
        ],
        results=dict(results),
        has_texts=row["payload"] is not None,
    )


def said_by(row: Mapping[str, Any]) -> Said:
    """Return what a request said; nothing if that expired."""
    return Said({}, None) if row["payload"] is None else unpack(row["payload"])


def text_of(said: Said, name: str) -> str | None:
    """Return a text of a unit's body, if it was sent."""
    text = said.body.get(name) if isinstance(said.body, dict) else None
    return text if isinstance(text, str) else None


def exported_lines(reader: RequestReader, chosen: RequestFilter) -> Iterator[bytes]:
    """Yield all requests as JSON lines, newest first."""
    for part in _parts(reader, chosen):
        yield b"".join(orjson.dumps(one.model_dump()) + b"\n" for one in part)


def exported_csv(reader: RequestReader, chosen: RequestFilter) -> Iterator[bytes]:
    """Yield all requests as CSV, newest first; formulas are made text."""
    names = [name for name in RequestSummary.model_fields if name != "id"]
    yield _csv([names])
    for part in _parts(reader, chosen):
        yield _csv([[_cell(getattr(one, name)) for name in names] for one in part])


def _parts(reader: RequestReader, chosen: RequestFilter) -> Iterator[list[RequestSummary]]:
    after = None
    while rows := reader.page(chosen, after=after, limit=_AT_ONCE):
        yield summaries(reader, rows)
        after = Place(rows[-1]["occurred_ns"], rows[-1]["id"])


def _cell(value: object) -> object:
    if isinstance(value, list):
        value = "; ".join(one.name for one in value)
    if isinstance(value, dict):
        value = "; ".join(f"{name}={label}" for name, label in value.items())
    is_formula = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value


def _csv(rows: Sequence[Sequence[object]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode(errors="replace")


def _place(text: str) -> Place:
    try:
        found = _PLACE.fullmatch(base64.urlsafe_b64decode(text.encode("ascii")))
    except ValueError:
        found = None
    if found is None:
        raise QuestionError(_NO_PLACE)
    return Place(min(int(found[1]), 2**63 - 1), min(int(found[2]), 2**63 - 1))


def _written(row: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(f"{row['occurred_ns']}-{row['id']}".encode()).decode()
