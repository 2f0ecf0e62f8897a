"""The judge's station: asks what waits, within limits and budget, and stores the verdicts.

An enquiry is marked before its call and closed with its verdict in one transaction. What a crash
leaves marked may have been paid for, so it is not asked again: it says so instead.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import TYPE_CHECKING, Final

from sqlobs.judge.judgement import Judgement
from sqlobs.judge.verdicts.roster import judge_named
from sqlobs_collector.follower import AT_ONCE, Follower
from sqlobs_collector.store.question import unpack_question
from sqlobs_collector.store.rows import Evaluated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs_collector.flow import Flow
    from sqlobs_collector.store.rows import Pending
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

FLEX: Final = ("flex", "flex_noref")
"""The judges of a unit with a reference, and of one without."""
FURTHER: Final = ("adherence", "efficiency", "injection")
"""The judges that may be asked besides: none of them needs a reference."""
RETRIES_S: Final = (5, 30, 300, 1800)
"""The waits after each time the judge could not be reached; then it is given up."""
GRACE_S: Final = 5.0
"""How long a call under way may take when the service stops."""
INTERRUPTED: Final = (
    "the collector ended while the judge was asked; the call may have been paid for, and is not "
    "made again"
)
_EXPLANATION_CHARACTERS: Final = 4000
_POLL_S: Final = 2.0
_TICK_S: Final = 0.1
_ROUNDS: Final = 4
"""Enquiries taken at a time, per call that may be under way."""


class JudgeStation:
    """Works off the enquiries of the store."""

    def __init__(
        self,
        store: Store,
        *,
        endpoint: Endpoint,
        flow: Flow,
        votes: int = 1,
        examples: Mapping[str, str] | None = None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._endpoint = endpoint
        self._flow = flow
        self._clock_ns = clock_ns
        known = examples or {}
        self._judges: dict[str, Judge] = {
            name: judge_named(
                name,
                endpoint,
                votes=votes if name in FURTHER else 1,
                examples=known.get(name, ""),
            )
            for name in (*FLEX, *FURTHER)
        }
        self._follower = Follower("judge", self._turn)

    def start(self) -> None:
        """Begin to ask."""
        self.give_up_interrupted()
        self._follower.start()

    def notify(self) -> None:
        """Take notice that there may be enquiries."""
        self._follower.notify()

    def stop(self) -> None:
        """End; calls under way get a moment, the other enquiries wait. Idempotent."""
        self._follower.stop()

    def give_up_interrupted(self) -> None:
        """Settle what was being asked when the last process ended: unknown, and not repeated."""
        with self._store.writing() as writer:
            for pending in writer.enquiries.interrupted():
                given_up = Judgement(
                    name=pending.metric,
                    label="not_evaluated",
                    reason="error",
                    explanation=INTERRUPTED,
                    decided_by="nobody",
                )
                writer.put_evaluations([self._row(pending, given_up, took_s=0.0)])
                writer.enquiries.close(pending)

    def judge(self) -> int:
        """Ask what is due; returns how many enquiries there were."""
        limit = self._endpoint.config.concurrency * _ROUNDS
        with self._store.writing() as writer:
            due = writer.enquiries.due(at_ns=self._clock_ns(), limit=limit)
        if due:
            asyncio.run(self._judge_all(due))
        return len(due)

    def _turn(self) -> float:
        return AT_ONCE if self.judge() else _POLL_S

    async def _judge_all(self, due: Sequence[Pending]) -> None:
        slots = asyncio.Semaphore(self._endpoint.config.concurrency)
        tasks = {asyncio.create_task(self._judge(one, slots)) for one in due}
        try:
            await self._finish(tasks)
        finally:
            await self._endpoint.close()

    async def _finish(self, tasks: set[asyncio.Task[None]]) -> None:
        """Wait for the tasks; when the service stops, not for long."""
        stop_by: float | None = None
        while tasks:
            done, tasks = await asyncio.wait(tasks, timeout=_TICK_S)
            for task in done:
                task.result()
            if self._follower.is_stopping:
                stop_by = stop_by or time.monotonic() + GRACE_S
            if stop_by is not None and time.monotonic() >= stop_by:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                return

    async def _judge(self, pending: Pending, slots: asyncio.Semaphore) -> None:
        async with slots:
            if self._follower.is_stopping or not self._begin(pending):
                return
            started_s = time.monotonic()
            try:
                judgement = await self._judges[pending.metric].judge(
                    unpack_question(pending.question)
                )
            except Exception:  # noqa: BLE001 - one enquiry must not hold up the others
                _log.exception("a unit cannot be judged")
                judgement = Judgement(
                    name=pending.metric, label="not_evaluated", reason="error", decided_by="nobody"
                )
            self._settle(pending, judgement, took_s=time.monotonic() - started_s)

    def _begin(self, pending: Pending) -> bool:
        with self._store.writing() as writer:
            return writer.enquiries.begin(pending, at_ns=self._clock_ns())

    def _settle(self, pending: Pending, judgement: Judgement, *, took_s: float) -> None:
        is_final = judgement.reason != "judge_unavailable" or pending.attempts >= len(RETRIES_S)
        row = self._row(pending, judgement, took_s=took_s, is_final=is_final)
        with self._store.writing() as writer:
            if not writer.stored_units([pending.unit_id]):
                return  # retention took it meanwhile, and the enquiry with it
            writer.put_evaluations([row])
            if is_final:
                writer.enquiries.close(pending)
            else:
                wait_ns = RETRIES_S[pending.attempts] * 10**9
                writer.enquiries.put_off(pending, due_ns=self._clock_ns() + wait_ns)
        self._count(pending, judgement, is_final=is_final)

    def _row(
        self, pending: Pending, judgement: Judgement, *, took_s: float, is_final: bool = True
    ) -> Evaluated:
        now_ns = self._clock_ns()
        return Evaluated(
            unit_id=pending.unit_id,
            metric=pending.metric,
            version=pending.version,
            label=judgement.label,
            kind="llm",
            created_ns=now_ns,
            value=judgement.score,
            reason=judgement.reason,
            explanation=judgement.explanation[:_EXPLANATION_CHARACTERS] or None,
            detail=json.dumps(_detail(judgement)),
            probability=pending.probability,
            duration_s=took_s,
            cost_usd=judgement.usage.cost_usd,
            emitted_ns=None if is_final else now_ns,
        )

    def _count(self, pending: Pending, judgement: Judgement, *, is_final: bool) -> None:
        model = self._endpoint.config.model
        self._flow.judge(origin=pending.origin, model=model, usage=judgement.usage)
        if is_final:
            self._flow.evaluation(
                origin=pending.origin, name=pending.metric, label=judgement.label, kind="llm"
            )


def _detail(judgement: Judgement) -> dict[str, object]:
    """Return how the verdict came about, what is known of it."""
    known = {
        "model": judgement.model,
        "prompt": judgement.prompt_version,
        "decided_by": judgement.decided_by,
        "codes": list(judgement.codes),
        "suspicious": list(judgement.suspicious),
        "is_repaired": judgement.is_repaired,
        "is_cached": judgement.is_cached,
        "input_tokens": judgement.usage.input_tokens,
        "output_tokens": judgement.usage.output_tokens,
    }
    return {name: value for name, value in known.items() if value}
