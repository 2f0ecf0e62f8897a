"""Evaluations as Phoenix annotations and as Langfuse scores, on the span that was evaluated; pure.

Both identify an evaluation by an ID that sqlobs sets, so that a repeated request changes nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs_collector.emission.records import identity_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs_collector.store.rows import Unemitted

Document = dict[str, object]

PHOENIX_PATH: Final = "/v1/span_annotations"
"""Phoenix keeps an annotation that arrives before its span for ten minutes."""
LANGFUSE_PATH: Final = "/api/public/scores"
_ANNOTATORS: Final = {"llm": "LLM", "human": "HUMAN"}
_VERDICTS: Final = {"pass": 1.0, "fail": 0.0}


def phoenix_annotations(evaluations: Iterable[Unemitted]) -> list[Document]:
    """Return the annotations of the evaluations whose spans were sampled."""
    return [_annotation(one) for one in evaluations if one.trace_sampled]


def langfuse_scores(evaluations: Iterable[Unemitted]) -> list[Document]:
    """Return the scores of the evaluations that have a verdict and whose spans were sampled."""
    return [_score(one) for one in evaluations if one.trace_sampled and one.label in _VERDICTS]


def _annotation(one: Unemitted) -> Document:
    result = {"label": one.label, "score": one.value, "explanation": one.explanation or one.reason}
    return {
        "span_id": one.span_id,
        "name": one.metric,
        "annotator_kind": _ANNOTATORS.get(one.kind, "CODE"),
        "result": _known(result),
        "metadata": _metadata(one),
        "identifier": f"sqlobs:{one.version}",
    }


def _score(one: Unemitted) -> Document:
    return {
        "id": identity_of(one, size=16).hex(),
        "traceId": one.trace_id,
        "observationId": one.span_id,
        "name": one.metric,
        "value": _VERDICTS[one.label] if one.value is None else one.value,
        "dataType": "NUMERIC",
        **_known({"comment": one.explanation, "environment": _environment(one.environment)}),
        "metadata": _metadata(one),
        "timestamp": datetime.fromtimestamp(one.created_ns / 1e9, tz=UTC).isoformat(),
    }


def _metadata(one: Unemitted) -> Document:
    known = {
        "label": one.label,
        "reason": one.reason,
        "kind": one.kind,
        "version": one.version,
        "workflow": one.workflow or None,
        "probability": one.probability,
    }
    return _known(known)


def _environment(name: str) -> str | None:
    """Return an environment as Langfuse accepts it: `prod_eu-1`; None for any other name."""
    is_plain = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    is_accepted = is_plain and name == name.lower() and not name.startswith("langfuse")
    return name if is_accepted else None


def _known(values: Mapping[str, object]) -> Document:
    return {name: value for name, value in values.items() if value is not None}
