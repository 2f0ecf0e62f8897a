"""User feedback on units, oldest first: a history in which nothing is overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import select, tuple_

from sqlobs import semconv
from sqlobs_collector.store import payload
from sqlobs_collector.store.tables import REPORT, SAME_SPAN, UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from sqlobs_collector.store.payload import Value

_OPINION: Final = {
    "kind": semconv.SQLOBS_FEEDBACK_KIND,
    "value": semconv.SQLOBS_FEEDBACK_VALUE,
}
_FIELDS: Final = {
    "score": semconv.GEN_AI_EVALUATION_SCORE_VALUE,
    "label": semconv.GEN_AI_EVALUATION_SCORE_LABEL,
}
_TEXTS: Final = {
    "explanation": semconv.GEN_AI_EVALUATION_EXPLANATION,
    "corrected_sql": semconv.SQLOBS_FEEDBACK_QUERY_TEXT,
}


class Utterance(NamedTuple):
    """A piece of feedback."""

    record_id: str
    occurred_ns: int
    payload: bytes | None = None

    def document(self, *, has_texts: bool) -> dict[str, object]:
        """Return it as an export has it; what has expired is None."""
        said = payload.unpack(self.payload).attributes if self.payload is not None else {}
        names = _FIELDS | _TEXTS if has_texts else _FIELDS
        entry: dict[str, object] = {"record_id": self.record_id, "occurred_ns": self.occurred_ns}
        entry |= opinion_of(said)
        return entry | {name: said.get(attribute) for name, attribute in names.items()}


def opinion_of(said: Mapping[str, Value]) -> dict[str, str | None]:
    """Return kind and value of feedback from the closed lists; what is not listed is `other`."""
    return {name: _listed(said.get(attribute), attribute) for name, attribute in _OPINION.items()}


def _listed(value: Value, attribute: str) -> str | None:
    if not isinstance(value, str):
        return None
    return value if value in semconv.ATTRIBUTES[attribute].values else "other"


def feedback_of(
    connection: Connection, unit_ids: Sequence[int], *, has_texts: bool
) -> dict[int, list[dict[str, object]]]:
    """Return what was said about units, by unit; those of which nothing was said are left out.

    Args:
        connection: To the store.
        unit_ids: The units.
        has_texts: Whether the words of a user and the SQL that they corrected go along.
    """
    query = (
        select(UNIT.c.id, REPORT.c.record_id, REPORT.c.occurred_ns, REPORT.c.payload)
        .join(REPORT, SAME_SPAN)
        .where(UNIT.c.id.in_(unit_ids), REPORT.c.kind == "feedback")
        .order_by(REPORT.c.occurred_ns, REPORT.c.record_id)
    )
    found: dict[int, list[dict[str, object]]] = {}
    for unit_id, *said in connection.execute(query):
        entry = Utterance(*said).document(has_texts=has_texts)
        found.setdefault(unit_id, []).append(entry)
    return found


def feedback_on(
    connection: Connection, workspace: str, spans: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], list[Utterance]]:
    """Return the feedback in the store on requests, by trace and span."""
    key = (REPORT.c.trace_id, REPORT.c.span_id)
    query = (
        select(*key, REPORT.c.record_id, REPORT.c.occurred_ns, REPORT.c.payload)
        .where(REPORT.c.workspace == workspace, REPORT.c.kind == "feedback")
        .where(tuple_(*key).in_(spans))
    )
    found: dict[tuple[str, str], list[Utterance]] = {}
    for trace_id, span_id, *said in connection.execute(query):
        found.setdefault((trace_id, span_id), []).append(Utterance(*said))
    return found
