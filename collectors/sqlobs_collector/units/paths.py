"""The path of a request with the reason for every skip, as shown by `sqlobs why`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

from sqlobs import semconv
from sqlobs_collector.store.dispatcher import MOST_CLAIMS
from sqlobs_collector.store.payload import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.store.payload import Said
    from sqlobs_collector.store.reading import StoredUnit

Step = dict[str, object]
_COLUMNS: Final = (
    *("environment", "service_version", "workflow", "tenant", "target", "model", "prompt_version"),
    *("outcome", "verdict", "failure_code", "state", "reason"),
)
"""What a summary has as the store has it."""
_FOUND: Final = {
    "failure_codes": semconv.SQLOBS_FAILURE_CODES,
    "hallucinated_tables": semconv.SQLOBS_HALLUCINATED_TABLES,
    "hallucinated_columns": semconv.SQLOBS_HALLUCINATED_COLUMNS,
    "suggestions": semconv.SQLOBS_SUGGESTIONS,
    "syntax_error": semconv.SQLOBS_SYNTAX_ERROR_MESSAGE,
}


def path_of(stored: StoredUnit) -> dict[str, object]:
    """Return one unit's path as a JSON document: who it is, its steps in order, where it stands."""
    unit = stored.unit
    steps = [_received(unit), _sampled(unit)]
    steps += [_reported(report) for report in stored.reports]
    steps += [_evaluated(evaluation) for evaluation in stored.evaluations]
    steps += [_inquired(inquiry) for inquiry in stored.inquiries]
    steps += [_given_up(unit)] if unit["state"] == "error" else []
    return {
        **summary_of(unit),
        **said_of(unit["payload"]),
        "steps": sorted(steps, key=lambda step: str(step["at"])),
    }


def summary_of(unit: Mapping[str, object]) -> dict[str, object]:
    """Return who one request is and how it ended, as a JSON document."""
    return {
        "generation_id": f"00-{unit['trace_id']}-{unit['span_id']}",
        "occurred": time_text(unit["occurred_ns"]),
        "service": unit["service_name"],
        **{name: unit[name] for name in _COLUMNS},
        "question": _texts(unit["payload"]).get(semconv.SQLOBS_QUESTION_TEXT),
    }


def said_of(payload: object) -> dict[str, object]:
    """Return what a request said of itself: its statement, and what the checker found."""
    texts, attributes = _texts(payload), {} if payload is None else _unpacked(payload).attributes
    attempts = texts.get(semconv.SQLOBS_ATTEMPT_TEXTS)
    return {
        "sql": texts.get(semconv.SQLOBS_QUERY_TEXT),
        "reference": texts.get(semconv.SQLOBS_REFERENCE_QUERY_TEXT),
        **{name: attributes[key] for name, key in _FOUND.items() if key in attributes},
        **({"attempts": _listed(attempts)} if isinstance(attempts, str) else {}),
    }


def _listed(document: str) -> list[object]:
    """Return the attempts of a unit; what is no list of them is none."""
    try:
        found = json.loads(document)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _texts(payload: object) -> Mapping[str, object]:
    body = None if payload is None else _unpacked(payload).body
    return body if isinstance(body, dict) else {}


def _unpacked(payload: object) -> Said:
    return unpack(cast("bytes", payload))


def _received(unit: Mapping[str, object]) -> Step:
    return {
        "at": time_text(unit["received_ns"]),
        "step": "received",
        "as": unit["source"],
        "occurred": time_text(unit["occurred_ns"]),
        "capture": unit["capture"],
    }


def _sampled(unit: Mapping[str, object]) -> Step:
    if unit["rule"] is None:
        waiting = "only the span arrived; the collector waits 60 s for the unit"
        return {
            "at": time_text(unit["state_ns"]),
            "step": "sampling",
            "label": "held",
            "why": waiting,
        }
    is_kept = unit["state"] != "sampled_out"
    return {
        "at": time_text(unit["state_ns"]),
        "step": "sampling",
        "label": "kept" if is_kept else "sampled_out",
        "rule": unit["rule"],
        "probability": unit["probability"],
        "why": _why(str(unit["rule"]), unit["probability"], is_kept=is_kept),
    }


def _why(rule: str, probability: object, *, is_kept: bool) -> str:
    known = isinstance(probability, float)
    odds = f"probability {probability:.4g}" if known else "an unknown probability"
    if rule.startswith("always:"):
        return f"`{rule.removeprefix('always:')}` is in sampling.always; kept with {odds}"
    verb = "keeps" if is_kept else "excludes"
    return f"sampling.rate {verb} this trace's randomness; sampled with {odds}"


def _reported(report: Mapping[str, object]) -> Step:
    return {
        "at": time_text(report["received_ns"]),
        "step": report["kind"],
        "occurred": time_text(report["occurred_ns"]),
        "negative": report["is_negative"],
    }


def _evaluated(evaluation: Mapping[str, object]) -> Step:
    shown = ("metric", "version", "kind", "label", "value", "reason", "probability", "explanation")
    detail = json.loads(str(evaluation["detail"] or "{}"))
    return {
        "at": time_text(evaluation["created_ns"]),
        "step": "evaluation",
        **{name: evaluation[name] for name in shown},
        **{name: detail[name] for name in ("reference",) if name in detail},
        **{name: evaluation[name] for name in ("side", "categories") if evaluation[name]},
    }


def _inquired(inquiry: Mapping[str, object]) -> Step:
    return {
        "at": time_text(inquiry["begun_ns"] or inquiry["queued_ns"]),
        "step": "judge",
        "label": "waiting" if inquiry["begun_ns"] is None else "asked",
        "metric": inquiry["metric"],
        "version": inquiry["version"],
    }


def _given_up(unit: Mapping[str, object]) -> Step:
    return {
        "at": time_text(unit["state_ns"]),
        "step": "given up",
        "reason": unit["reason"],
        "why": f"its evaluation ended {MOST_CLAIMS} processes; it is not tried again",
    }


def time_text(nanoseconds: object) -> str:
    """Write a time as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(int(str(nanoseconds)) / 10**9, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
