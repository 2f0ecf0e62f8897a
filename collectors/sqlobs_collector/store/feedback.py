"""What users said about units, oldest first: a history, in which nothing is overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from sqlobs import semconv
from sqlobs_collector.store import payload
from sqlobs_collector.store.tables import REPORT, SAME_SPAN, UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

_FIELDS = {
    "kind": semconv.SQLOBS_FEEDBACK_KIND,
    "value": semconv.SQLOBS_FEEDBACK_VALUE,
    "score": semconv.GEN_AI_EVALUATION_SCORE_VALUE,
    "label": semconv.GEN_AI_EVALUATION_SCORE_LABEL,
}
_TEXTS = {
    "explanation": semconv.GEN_AI_EVALUATION_EXPLANATION,
    "corrected_sql": semconv.SQLOBS_FEEDBACK_QUERY_TEXT,
}


def feedback_of(
    connection: Connection, unit_ids: Sequence[int], *, has_texts: bool
) -> dict[int, list[dict[str, object]]]:
    """Return what was said about units, by unit; those of which nothing was said are left out.

    Args:
        connection: To the store.
        unit_ids: The units.
        has_texts: Whether the words of a user and the SQL that they put right go along.
    """
    query = (
        select(UNIT.c.id, REPORT.c.record_id, REPORT.c.occurred_ns, REPORT.c.payload)
        .join(REPORT, SAME_SPAN)
        .where(UNIT.c.id.in_(unit_ids), REPORT.c.kind == "feedback")
        .order_by(REPORT.c.occurred_ns, REPORT.c.record_id)
    )
    found: dict[int, list[dict[str, object]]] = {}
    for unit_id, record_id, occurred_ns, packed in connection.execute(query):
        said = payload.unpack(packed).attributes if packed is not None else {}
        names = _FIELDS | _TEXTS if has_texts else _FIELDS
        entry: dict[str, object] = {"record_id": record_id, "occurred_ns": occurred_ns}
        entry |= {name: said.get(attribute) for name, attribute in names.items()}
        found.setdefault(unit_id, []).append(entry)
    return found
