"""Verdicts that come after the deadline has ended their span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs._version import __version__
from sqlobs.tracing.records.record import EvaluationRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.tracing.records.record import GenerationRecord

_SCORES: Final = {"pass": 1.0, "fail": 0.0}


def late_evaluations(record: GenerationRecord) -> Iterator[EvaluationRecord]:
    """Give the online evaluations of a record as results of their own."""
    for name, label in record.evaluations:
        yield EvaluationRecord(
            span=record.span,
            name=name,
            label=label,
            kind="native" if record.check_method == "native" else "static",
            evaluator="sqlobs.check",
            evaluator_version=__version__,
            score=_SCORES.get(label),
        )
