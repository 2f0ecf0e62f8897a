"""A unit's content, decoded from its payload once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs_collector.store import payload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.store.payload import Value
    from sqlobs_collector.store.rows import Queued


@dataclass(frozen=True, slots=True)
class Content:
    """The available texts of a unit, and its attributes."""

    attributes: Mapping[str, Value]
    sql: str | None
    question: str | None
    reference: str | None
    hints: str | None


def content_of(unit: Queued) -> Content:
    """Return a unit's content; empty if its payload has expired."""
    if unit.payload is None:
        return Content({}, None, None, None, None)
    attributes, body = payload.unpack(unit.payload)
    texts = body if isinstance(body, dict) else {}
    return Content(
        attributes,
        sql=_text(texts, semconv.SQLOBS_QUERY_TEXT),
        question=_text(texts, semconv.SQLOBS_QUESTION_TEXT),
        reference=_text(texts, semconv.SQLOBS_REFERENCE_QUERY_TEXT),
        hints=_text(texts, semconv.SQLOBS_HINT_TEXT),
    )


def _text(texts: Mapping[str, Value], name: str) -> str | None:
    value = texts.get(name)
    return value if isinstance(value, str) and value.strip() else None
