"""Quotas of workspaces: who has spent one, and what sampling makes of it.

Every process counts on its own between two looks into the store, so that several receivers accept
at most what they take within `REFRESH_S`, and a request each, beyond a quota.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import BurstError
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.sampling import within_quota
from sqlobs_collector.store.intake import IntakeCounts
from sqlobs_collector.store.rollup import HOUR_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs_collector.sampling import RulesOf, SamplingRules
    from sqlobs_collector.settings.quotas import Quota
    from sqlobs_collector.store.intake import IntakeReader
    from sqlobs_collector.store.writing import Store

REFRESH_S: Final = 5.0
_BURST_S: Final = 5
"""Seconds whose requests may come at once."""
_NOTHING: Final = IntakeCounts()


def _refreshing(name: str, refresh: Callable[[], None]) -> PollingWorker:
    def poll() -> float:
        refresh()
        return REFRESH_S

    return PollingWorker(name, poll)


class Quotas:
    """The sampling of an hour, as its quotas and the hour before ask.

    Args:
        rules: The configured rules of a workspace.
        judged: The configured share of its evaluated units to judge.
        quotas: By workspace.
        reader: Reads how much the last hour had.
        clock_ns: The time by which requests are counted.
    """

    def __init__(
        self,
        rules: RulesOf,
        judged: Callable[[str], float],
        quotas: Mapping[str, Quota],
        reader: IntakeReader,
        *,
        clock_ns: Callable[[], int],
    ) -> None:
        self._rules = rules
        self._judged = judged
        self._quotas = quotas
        self._reader = reader
        self._clock_ns = clock_ns
        self._last: Mapping[str, IntakeCounts] = {}
        self._worker = _refreshing("quotas", self.refresh)

    def start(self) -> None:
        """Read the counts, and again and again."""
        if self._quotas:
            self.refresh()
            self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def refresh(self) -> None:
        """Read the counts of the last hour."""
        hour = self._clock_ns() // HOUR_NS
        self._last = self._reader.counts(hour - 1, hour)

    def rules(self, workspace: str) -> SamplingRules:
        """Return the sampling rules of a workspace in this hour."""
        rules = self._rules(workspace)
        quota = self._quotas.get(workspace)
        if quota is None or quota.evaluations_per_hour is None:
            return rules
        last = self._last.get(workspace, _NOTHING)
        return within_quota(
            rules,
            quota.evaluations_per_hour,
            others=last.accepted - last.always,
            always=last.always,
        )

    def judge_rate(self, workspace: str) -> float:
        """Return the share of a workspace's evaluated units to judge in this hour."""
        rate, quota = self._judged(workspace), self._quotas.get(workspace)
        judgeable = self._last.get(workspace, _NOTHING).judgeable
        if quota is None or quota.judged_per_hour is None or not judgeable:
            return rate
        return min(rate, quota.judged_per_hour / judgeable)


class Unlimited:
    """Admits everything."""

    def admit(self, _: str, __: int) -> bool:
        """Return that no quota is spent."""
        return True

    def is_spent(self, _: str) -> bool:
        """Return that no quota is."""
        return False


class IntakeQuotas:
    """Decides about the requests that a receiver gets, on one event loop.

    Args:
        quotas: By workspace.
        store: Of the counts.
        reader: Reads them.
        clock_ns: The time by which requests are counted.
    """

    def __init__(
        self,
        quotas: Mapping[str, Quota],
        store: Store,
        reader: IntakeReader,
        *,
        clock_ns: Callable[[], int],
    ) -> None:
        self._quotas = quotas
        self._store = store
        self._reader = reader
        self._clock_ns = clock_ns
        self._hour = 0
        self._stored: Mapping[str, IntakeCounts] = {}
        self._own: Counter[str] = Counter()
        self._refused: Counter[tuple[str, int]] = Counter()
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, int]] = {}
        self._worker = _refreshing("intake quotas", self.refresh)

    def start(self) -> None:
        """Read the counts, and again and again."""
        if self._quotas:
            self.refresh()
            self._worker.start()

    def stop(self) -> None:
        """Write the last counts, then end; idempotent."""
        self._worker.stop()
        if self._refused:
            self.refresh()

    def admit(self, workspace: str, count: int) -> bool:
        """Count new requests; return False if the quota of this hour is spent.

        Raises:
            BurstError: They came too fast; the client has to retry.
        """
        quota = self._quotas.get(workspace)
        if quota is None or not count:
            return True
        if quota.burst_per_second is not None:
            self._limit_burst(workspace, count, quota.burst_per_second)
        if quota.requests_per_hour is None:
            return True
        with self._lock:
            if self._has_spent(workspace, quota.requests_per_hour):
                self._refused[workspace, self._hour] += count
                return False
            self._own[workspace] += count
            return True

    def is_spent(self, workspace: str) -> bool:
        """Return whether the quota of this hour is spent."""
        quota = self._quotas.get(workspace)
        if quota is None or quota.requests_per_hour is None:
            return False
        with self._lock:
            return self._has_spent(workspace, quota.requests_per_hour)

    def _has_spent(self, workspace: str, most: int) -> bool:
        hour = self._clock_ns() // HOUR_NS
        if hour != self._hour:
            self._hour, self._stored = hour, {}
            self._own.clear()
        known = self._stored.get(workspace, _NOTHING).accepted
        return known + self._own[workspace] >= most

    def refresh(self) -> None:
        """Write what was refused, and read what all receivers accepted in this hour."""
        hour = self._clock_ns() // HOUR_NS
        with self._lock:
            refused, self._refused = self._refused, Counter()
            own = Counter(self._own)
        try:
            if refused:
                with self._store.writing() as writer:
                    writer.intake.refused(refused)
            stored = self._reader.counts(hour, hour + 1)
        except BaseException:
            with self._lock:
                self._refused.update(refused)
            raise
        with self._lock:
            if self._hour == hour:
                self._own.subtract(own)
            self._hour, self._stored = hour, stored

    def _limit_burst(self, workspace: str, count: int, per_second: int) -> None:
        now_ns = self._clock_ns()
        most = per_second * _BURST_S
        left, since_ns = self._buckets.get(workspace, (most, now_ns))
        left = min(most, left + (now_ns - since_ns) / 10**9 * per_second)
        self._buckets[workspace] = (left - count if left > 0 else left, now_ns)
        if left <= 0:
            raise BurstError(workspace, per_second)
