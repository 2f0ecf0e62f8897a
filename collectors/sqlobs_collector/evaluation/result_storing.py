"""Stores the results of units, in the transaction of whoever had them evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlobs_collector.evaluation.outcomes import judgeable, row_of, transition_of
from sqlobs_collector.store.judge_rows import Inquiry
from sqlobs_collector.store.rows import Evaluated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs_collector.evaluation.outcomes import Scored
    from sqlobs_collector.store.rows import Transition
    from sqlobs_collector.store.writing import StoreWriter


class StoredResults(NamedTuple):
    """What was stored."""

    transitions: list[Transition]
    """One a unit, in their order."""
    has_inquiries: bool
    """The judge is to be asked."""


def evaluations_of(one: Scored, *, now_ns: int) -> list[Evaluated]:
    """Return the results of a unit as rows, without those that a judge will give."""
    rows = [row_of(one, score, now_ns=now_ns) for score in one.kept]
    return [*rows, *one.candidates]


def store_results(writer: StoreWriter, scored: Sequence[Scored], *, now_ns: int) -> StoredResults:
    """Store evaluations and the units' next states, and queue what the judge is to be asked."""
    transitions = [transition_of(one, now_ns=now_ns) for one in scored]
    writer.put_evaluations([row for one in scored for row in evaluations_of(one, now_ns=now_ns)])
    inquiries = [inquiry for one in scored for inquiry in one.inquiries]
    asked = [one for one in inquiries if isinstance(one, Inquiry)]
    unasked = [one for one in inquiries if isinstance(one, Evaluated)]
    writer.put_evaluations([one for one in unasked if not writer.inquiries.is_answered(one)])
    writer.inquiries.put(asked)
    writer.intake.judgeable(judgeable(scored, now_ns=now_ns))
    writer.move(transitions)
    if waiting := [one.unit.unit_id for one in scored if one.awaits_schema]:
        writer.queue_with_schema(waiting, at_ns=now_ns)
    return StoredResults(transitions, bool(asked))
