"""Relays other producers' records to a backend, from a bounded queue, without the journal."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx

from sqlobs.urls import shown_url
from sqlobs_collector.posting import NOT_SERVED, post

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.pipeline_metrics import PipelineMetrics

_log = logging.getLogger(__name__)

_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_BACKOFF_S: Final = (0.5, 1.0, 2.0, 4.0)
_MAX_WAIT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class RelaySettings:
    """The backend and the queue limit."""

    url: str
    headers: Mapping[str, str]
    queue_bytes: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class _Parcel:
    signal: str
    body: bytes


class Relay:
    """Sends requests to a backend in sequence, with retries; then drops and counts them."""

    def __init__(self, settings: RelaySettings, *, flow: PipelineMetrics) -> None:
        self._settings = settings
        self._flow = flow
        self._queue: asyncio.Queue[_Parcel | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._is_failing = False
        self._unsupported: set[str] = set()
        self.waiting_bytes = 0

    async def start(self) -> None:
        """Begin to send."""
        self._task = asyncio.create_task(self._send_forever(), name="sqlobs-relay")

    def consume(self, signal: str, body: bytes) -> None:
        """Queue a serialized request without waiting; dropped if the queue is full."""
        if self.waiting_bytes + len(body) > self._settings.queue_bytes:
            self._flow.relayed(signal=signal, outcome="dropped")
            return
        self.waiting_bytes += len(body)
        self._queue.put_nowait(_Parcel(signal, body))

    async def stop(self, *, grace_s: float = 5.0) -> None:
        """Send the queue within a time limit, then stop; idempotent."""
        task, self._task = self._task, None
        if task is None:
            return
        self._queue.put_nowait(None)
        done, _ = await asyncio.wait([task], timeout=grace_s)
        if not done:
            task.cancel()
            await asyncio.wait([task])
            _log.warning("relay stopped with %d bytes unsent", self.waiting_bytes)

    async def _send_forever(self) -> None:
        async with httpx.AsyncClient(timeout=self._settings.timeout_s) as client:
            while (parcel := await self._queue.get()) is not None:
                outcome = await self._deliver(client, parcel)
                self._flow.relayed(signal=parcel.signal, outcome=outcome)
                self.waiting_bytes -= len(parcel.body)
                self._report(outcome, parcel.signal)

    async def _deliver(self, client: httpx.AsyncClient, parcel: _Parcel) -> str:
        for pause_s in (*_BACKOFF_S, None):
            wanted_s = await self._attempt(client, parcel)
            if isinstance(wanted_s, str):
                return wanted_s
            if pause_s is not None:
                await asyncio.sleep(min(max(pause_s, wanted_s), _MAX_WAIT_S))
        return "dropped"

    async def _attempt(self, client: httpx.AsyncClient, parcel: _Parcel) -> str | float:
        """Return the outcome, or the seconds before the next attempt."""
        try:
            response = await post(
                client,
                f"{self._settings.url.rstrip('/')}/v1/{parcel.signal}",
                parcel.body,
                {"Content-Type": "application/x-protobuf", **self._settings.headers},
                within_s=self._settings.timeout_s,
            )
        except (httpx.HTTPError, TimeoutError):
            return 0.0
        if response.is_success:
            return "sent"
        if response.status_code in NOT_SERVED:
            return "unsupported"
        if response.status_code not in _RETRYABLE:
            return "refused"
        wait = response.headers.get("Retry-After", "")
        return float(wait) if wait.isdecimal() else 0.0

    def _report(self, outcome: str, signal: str) -> None:
        """Log once if the backend starts or stops accepting records."""
        shown = shown_url(self._settings.url)
        if outcome == "unsupported":
            if signal not in self._unsupported:
                _log.warning("backend %s does not accept %s: they are dropped", shown, signal)
            self._unsupported.add(signal)
        elif self._is_failing != (outcome != "sent"):
            self._is_failing = not self._is_failing
            if self._is_failing:
                _log.warning("backend %s does not accept records: %s", shown, outcome)
            else:
                _log.info("backend %s accepts records again", shown)
