"""Daily canaries: the judge is tested on known verdicts, and paused while it fails them."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.cache import NoCache
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.trust.canaries import run_canaries
from sqlobs.judge.verdicts.roster import judge_named
from sqlobs_collector.pipeline_metrics import OURS
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.sharing.duty import Duty
from sqlobs_collector.store.judge_rows import CanaryResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.judge.endpoint.budget import Ledger
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.trust.canaries import CanaryReport
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

EVERY_NS: Final = 86_400 * 10**9
RETRY_NS: Final = 3600 * 10**9
"""Retry delay after a run with too few verdicts."""


class CanaryWatch:
    """Keeps the result of the last run in the store, so that a restart does not repeat it."""

    def __init__(
        self,
        store: Store,
        *,
        config: EndpointConfig,
        ledger: Ledger,
        flow: PipelineMetrics,
        examples: str = "",
        duty: Duty | None = None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Set up.

        Args:
            store: Stores the result.
            config: The judge's endpoint.
            ledger: The budget.
            flow: Pipeline metrics.
            examples: Examples in the judge's prompt.
            duty: Of the one process that runs them; None: there is no other.
            clock_ns: Time source, for tests.
        """
        self._store = store
        self._duty = duty or Duty(store)
        self._endpoint = Endpoint(config, cache=NoCache(), ledger=ledger)
        self._judge = judge_named(FLEX, self._endpoint, examples=examples)
        self._flow = flow
        self._clock_ns = clock_ns
        self._watched = f"{config.model} {self._judge.fingerprint}"
        self._last: CanaryResult | None = None
        self._due_ns = 0
        self._look_up()

    def is_due(self) -> bool:
        """Return whether a run is due, after a look whether another process has run them."""
        if self._clock_ns() >= self._due_ns:
            self._look_up()
        return self._duty.is_held and self._clock_ns() >= self._due_ns

    def _look_up(self) -> None:
        with self._store.writing() as writer:
            self._last = writer.inquiries.canary_result(self._watched)
        if self._last is not None:
            self._due_ns = max(self._due_ns, self._last.sung_ns + EVERY_NS)

    @property
    def is_paused(self) -> bool:
        """Whether the judge failed the last conclusive run."""
        return self._last is not None and not self._last.is_sound

    async def run_canaries(self) -> None:
        """Run all canaries on the judge."""
        try:
            report = await run_canaries(self._judge)
        finally:
            await self._endpoint.close()
        self._flow.judge(origin=OURS, model=self._endpoint.config.model, usage=report.usage)
        now_ns = self._clock_ns()
        if report.is_sound is None:
            self._due_ns = now_ns + RETRY_NS
            _log.warning("the judge did not answer %d of %d canaries", report.silent, report.asked)
            return
        self._due_ns = now_ns + EVERY_NS
        self._report(report)
        self._last = CanaryResult(self._watched, now_ns, is_sound=report.is_sound)
        with self._duty.store.writing() as writer:
            writer.inquiries.remember(self._last)

    def _report(self, report: CanaryReport) -> None:
        """Log that the judge is paused or resumed."""
        if not report.is_sound:
            names = ", ".join(str(judgment.case_id) for judgment in report.wrong)
            _log.warning(
                "the judge is paused for one day: of %d canaries, it was wrong about %s",
                report.asked,
                names,
            )
        elif self.is_paused:
            _log.info("the judge passes its canaries again and is resumed")
