"""The applications' metrics over several receivers: their series are those of one receiver.

Each receiver brings its points into the store. The process that does what one does for all shows
them, so that totals count once whichever receiver has got them last.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.sdkmetrics import MAX_LINES, SILENCE_S, SdkMetrics
from sqlobs_collector.sdkpoints import points_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )

    from sqlobs_collector.series_point import Labels, SeriesPoint
    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.store.writing import Store

REFRESH_S: Final = 5.0
_OVERLAP_S: Final = 3 * REFRESH_S
_DRAIN_S: Final = 5.0


class SeriesSender:
    """Brings the points that a receiver gets into the store.

    Args:
        store: The shared one.
        dropped: Called with the number of points of series beyond the most that may wait.
    """

    def __init__(self, store: Store, *, dropped: Callable[[int], None]) -> None:
        self._store = store
        self._dropped = dropped
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, Labels], SeriesPoint] = {}
        self._worker = PollingWorker("series", self._poll, drain_s=_DRAIN_S)

    def start(self) -> None:
        """Start the thread."""
        self._worker.start()

    def stop(self) -> None:
        """Bring what waits, then end; idempotent."""
        self._worker.stop()

    def consume(self, request: ExportMetricsServiceRequest, *, workspace: str) -> None:
        """Keep the points of a request for the store."""
        for point in points_of(request, workspace=workspace):
            with self._lock:  # released between points: small requests do not wait
                self._keep(point)

    def send(self) -> int:
        """Bring what waits into the store; return how many series."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if not waiting:
            return 0
        try:
            with self._store.writing() as writer:
                writer.series.add(waiting.values())
        except BaseException:
            with self._lock:
                newer, self._waiting = self._waiting, waiting
                for point in newer.values():
                    self._keep(point)
            raise
        return len(waiting)

    def _keep(self, point: SeriesPoint) -> None:
        if point.key not in self._waiting and len(self._waiting) >= MAX_LINES:
            self._dropped(1)
            return
        self._waiting[point.key] = point.after(self._waiting.get(point.key))

    def _poll(self) -> float:
        return AT_ONCE if self.send() and self._worker.is_stopping else REFRESH_S


class SharedSeries:
    """Shows the series of all receivers, in the process that does what one does for all.

    Args:
        store: The shared one.
        duty: What one process does for all; None: this one reads them for its pages alone.
        dropped: Called with the number of points that are not shown.
    """

    def __init__(self, store: Store, duty: Duty | None, *, dropped: Callable[[int], None]) -> None:
        self._store = store
        self._duty = duty
        self._shown = SdkMetrics(dropped=dropped)
        self._within_s: float = SILENCE_S
        self._worker = PollingWorker("shown series", self._poll)

    def start(self) -> None:
        """Start the thread."""
        self._worker.start()

    def stop(self) -> None:
        """End; idempotent."""
        self._worker.stop()

    def text(
        self, *, workspace: str | None = None, is_named: bool = True, is_openmetrics: bool = False
    ) -> str:
        """Return the series as `SdkMetrics.text` does; empty while another process shows them."""
        if self._duty is None or not self._duty.is_held:
            return ""
        return self._shown.text(
            workspace=workspace, is_named=is_named, is_openmetrics=is_openmetrics
        )

    def values(self, names: frozenset[str]) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Return the newest values as `SdkMetrics.values` does."""
        return self._shown.values(names)

    def refresh(self) -> None:
        """Read what changed; the process with the duty deletes what is silent."""
        with self._store.writing() as writer:
            for point in writer.series.changed(within_s=self._within_s):
                self._shown.put(replace(point, is_delta=False))  # the store has added it up
        self._within_s = _OVERLAP_S
        if self._duty is not None and self._duty.is_held:
            with self._duty.store.writing() as writer:
                writer.series.forget_silent(after_s=SILENCE_S)

    def _poll(self) -> float:
        self.refresh()
        return REFRESH_S
