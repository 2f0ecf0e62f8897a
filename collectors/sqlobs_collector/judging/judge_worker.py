"""Calls the judge for queued inquiries, within limits and budget, and stores the verdicts.

An inquiry is marked before its call and closed with its verdict in one transaction. An inquiry that
is still marked when its process has ended may have been billed: it is not repeated, and its
evaluation states this reason.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs_collector.judging.answers import (
    INTERRUPTED,
    SORTING,
    evaluation_of,
    no_judgment,
    sorting_inquiry,
    sorting_of,
    unsorted,
)
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store.judge_budget import SPENT
from sqlobs_collector.store.question import unpack_question

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from sqlobs.failure_codes import Reason
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment, Usage
    from sqlobs.judge.verdicts.categories import Categorization
    from sqlobs_collector.judging.canaries import CanaryWatch
    from sqlobs_collector.judging.workspace_judges import WorkspaceJudges
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.judge_rows import Pending
    from sqlobs_collector.store.writing import Store, StoreWriter

_log = logging.getLogger(__name__)

RETRIES_S: Final = (5, 30, 300, 1800)
"""Retry delays after an unreachable judge; then the inquiry is abandoned."""
GRACE_S: Final = 5.0
"""Grace period in seconds for running calls when the service stops."""
_POLL_S: Final = 2.0
_ROUNDS: Final = 4
"""Inquiries fetched at a time, per concurrent call."""


class JudgeWorker:
    """Processes the inquiries in the store."""

    def __init__(
        self,
        store: Store,
        *,
        endpoint: Endpoint,
        judges: WorkspaceJudges,
        flow: PipelineMetrics,
        sorts: bool = False,
        watch: CanaryWatch | None = None,
        worker: str = "",
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Set up.

        Args:
            store: Stores the inquiries.
            endpoint: The judge's endpoint.
            judges: The judges of each workspace, which ask through it.
            flow: Pipeline metrics.
            sorts: Whether a second call categorizes verdicts with a reference.
            watch: Pauses a judge that fails its canaries; None = no canaries.
            worker: The id of this process.
            clock_ns: Time source, for tests.
        """
        self._store = store
        self._endpoint = endpoint
        self._flow = flow
        self._clock_ns = clock_ns
        self._judges = judges
        self._sorts = sorts
        self._fingerprints = judges.fingerprints()
        self._watch = watch
        self._worker = worker
        self._follower = PollingWorker("judge", self._poll)

    def start(self) -> None:
        """Begin to ask."""
        self._follower.start()

    def notify(self) -> None:
        """Wake the worker: there may be inquiries."""
        self._follower.notify()

    def stop(self) -> None:
        """Stop; running calls get a grace period, other inquiries stay queued. Idempotent."""
        self._follower.stop()

    def give_up_interrupted(self) -> None:
        """Close the inquiries that ended processes left running; they are not repeated."""
        with self._store.writing() as writer:
            for pending in writer.inquiries.interrupted():
                self._give_up(writer, pending, INTERRUPTED)

    @property
    def is_paused(self) -> bool:
        """Whether the judge is paused because it failed its canaries."""
        return self._watch is not None and self._watch.is_paused

    def judge(self) -> int:
        """Process the due inquiries; return their number."""
        self.give_up_interrupted()
        self._run_canaries()
        if self.is_paused:
            return 0
        limit = self._endpoint.config.concurrency * _ROUNDS
        with self._store.writing() as writer:
            due = writer.inquiries.due(at_ns=self._clock_ns(), limit=limit)
        if due:
            slots = asyncio.Semaphore(self._endpoint.config.concurrency)
            asyncio.run(self._finish([self._judge(one, slots) for one in due]))
        return len(due)

    def _run_canaries(self) -> None:
        """Run the canaries, if due."""
        if self._watch is None or self._follower.is_stopping:
            return
        if self._watch.is_due():
            asyncio.run(self._finish([self._watch.run_canaries()]))

    def _poll(self) -> float:
        return AT_ONCE if self.judge() else _POLL_S

    async def _finish(self, calls: Iterable[Coroutine[object, object, None]]) -> None:
        """Wait for all calls; only for the grace period when the service stops."""
        tasks = {asyncio.create_task(call) for call in calls}
        try:
            await self._follower.finish(tasks, grace_s=GRACE_S)
        finally:
            await self._endpoint.close()

    async def _judge(self, pending: Pending, slots: asyncio.Semaphore) -> None:
        async with slots:
            if self._follower.is_stopping or not self._begin(pending):
                return
            try:
                await self._ask(pending)
            except Exception:  # noqa: BLE001 - one inquiry must not hold up the others
                _log.exception("a judge request failed")
                with self._store.writing() as writer:
                    self._give_up(writer, pending)

    async def _ask(self, pending: Pending) -> None:
        started_s = time.monotonic()
        item, judgment = unpack_question(pending.question)
        judges = self._judges.of(pending.origin.workspace)
        if judgment is None:
            judgment = await judges.by_evaluation[pending.metric].judge(item)
            self._settle(pending, item, judgment, took_s=time.monotonic() - started_s)
        else:
            self._settle_sorting(pending, await judges.categorizer.categorize(item, judgment))

    def _begin(self, pending: Pending) -> bool:
        with self._store.writing() as writer:
            return writer.inquiries.begin(pending, self._worker, at_ns=self._clock_ns())

    def _settle(
        self, pending: Pending, item: JudgeItem, judgment: Judgment, *, took_s: float
    ) -> None:
        now_ns = self._clock_ns()
        row = evaluation_of(
            pending,
            judgment,
            item=item,
            at_ns=now_ns,
            took_s=took_s,
            fingerprint=self._fingerprints.get(pending.metric),
        )
        inquiry = sorting_inquiry(row, item, judgment) if self._sorts else None
        with self._store.writing() as writer:
            if not writer.inquiries.is_asked_by(pending, self._worker):
                return  # deleted with its unit, or given up while this process did not respond
            is_final = self._end(writer, pending, judgment.reason)
            writer.put_evaluations([row if is_final else replace(row, emitted_ns=now_ns)])
            writer.inquiries.put([inquiry] if inquiry else [])
        self._count_usage(pending, judgment.usage)
        if is_final:
            self._count(pending, judgment)

    def _settle_sorting(self, pending: Pending, found: Categorization) -> None:
        with self._store.writing() as writer:
            if not writer.inquiries.is_asked_by(pending, self._worker):
                return
            writer.inquiries.sort(pending.unit_id, FLEX, pending.version, sorting_of(found))
            self._end(writer, pending, found.reason)
        self._count_usage(pending, found.usage)

    def _give_up(self, writer: StoreWriter, pending: Pending, explanation: str = "") -> None:
        """Close an inquiry that failed because of an internal error."""
        if pending.metric == SORTING:
            writer.inquiries.sort(pending.unit_id, FLEX, pending.version, unsorted("error"))
        elif writer.stored_units([pending.unit_id]):
            judgment = no_judgment(pending.metric, explanation)
            row = evaluation_of(pending, judgment, item=None, at_ns=self._clock_ns(), took_s=0.0)
            writer.put_evaluations([row])
            self._count(pending, judgment)
        writer.inquiries.close(pending)

    def _end(self, writer: StoreWriter, pending: Pending, reason: Reason | None) -> bool:
        """Close an inquiry, or postpone it if the judge is unreachable; return whether closed."""
        is_final = reason != "judge_unavailable" or pending.attempts >= len(RETRIES_S)
        if is_final:
            writer.inquiries.close(pending)
            self._count_stopped(writer, pending, reason)
        else:
            wait_ns = RETRIES_S[pending.attempts] * 10**9
            writer.inquiries.put_off(pending, due_ns=self._clock_ns() + wait_ns)
        return is_final

    def _count(self, pending: Pending, judgment: Judgment) -> None:
        self._flow.evaluation(
            origin=pending.origin, name=pending.metric, label=judgment.label, kind="llm"
        )

    def _count_stopped(self, writer: StoreWriter, pending: Pending, reason: Reason | None) -> None:
        spent = next((one for one in SPENT if one == reason), None)
        if spent is not None:
            window, workspace = self._endpoint.window, pending.origin.workspace
            writer.judge_budget.stopped(window, workspace, spent)

    def _count_usage(self, pending: Pending, usage: Usage) -> None:
        self._flow.judge(origin=pending.origin, model=self._endpoint.config.model, usage=usage)
