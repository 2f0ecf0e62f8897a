"""The emitter: sends stored evaluations to the backend, each at least once."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import httpx

from sqlobs.urls import shown_url
from sqlobs_collector.disclosure import disclosed
from sqlobs_collector.emission.records import events_of, spans_of
from sqlobs_collector.otlp.signals import LOGS, TRACES
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.posting import post

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.protobuf.message import Message

    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Unemitted
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

BATCH: Final = 256
GRACE_S: Final = 2.0
"""How long a request under way may take when the service stops."""
_POLL_S: Final = 1.0
_RETRY_S: Final = 5.0
_TIMEOUT_S: Final = 10.0
_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_NOT_SERVED: Final = frozenset({404, 405, 501})

Fate = Literal["sent", "refused", "later"]


class Emitter:
    """Marks an evaluation as emitted once the backend has answered for it."""

    def __init__(
        self,
        reader: StoreReader,
        store: Store,
        *,
        url: str,
        headers: Mapping[str, str],
        flow: PipelineMetrics,
        shows_reasoning: bool = False,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        self._store = store
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/x-protobuf", **headers}
        self._flow = flow
        self._shows_reasoning = shows_reasoning
        self._clock_ns = clock_ns
        self._takes_logs = True
        self._loop = asyncio.Runner()
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S)
        self._follower = PollingWorker("emitter", self._poll)

    def start(self) -> None:
        """Begin to send."""
        self._follower.start()

    def stop(self) -> None:
        """End; a request under way gets a moment, the rest waits for the next start. Idempotent."""
        self._follower.stop()
        if not self._client.is_closed:
            self._loop.run(self._client.aclose())
            self._loop.close()

    def emit(self) -> Fate | None:
        """Send the next batch; returns what became of it, `None` when there was none."""
        evaluations = self._reader.unemitted(limit=BATCH)
        if not evaluations:
            return None
        fates: list[Fate] = []
        for signal in (LOGS, TRACES):
            fates.append(self._deliver(evaluations, signal))
            if fates[-1] == "later":
                return "later"
        with self._store.writing() as writer:
            writer.mark_emitted(evaluations, at_ns=self._clock_ns())
        return "refused" if "refused" in fates else "sent"

    def _poll(self) -> float:
        fate = self.emit()
        if fate is None:
            return _POLL_S
        return _RETRY_S if fate == "later" else AT_ONCE

    def _deliver(self, evaluations: Sequence[Unemitted], signal: Signal) -> Fate:
        if signal is LOGS and not self._takes_logs:
            return "sent"
        shown = [self._shown(one) for one in evaluations]
        request = events_of(shown) if signal is LOGS else spans_of(shown)
        if not request.ByteSize():
            return "sent"
        fate = self._post(signal, request)
        self._flow.relayed(signal=f"evaluation {signal.name}", outcome=fate)
        return fate

    def _shown(self, evaluation: Unemitted) -> Unemitted:
        """Return an evaluation without what would tell of questions or rows."""
        is_reasoning = evaluation.kind == "llm" and evaluation.label != "not_evaluated"
        is_hidden = evaluation.kind == "human" or (is_reasoning and not self._shows_reasoning)
        shown = replace(evaluation, value=disclosed(evaluation.metric, evaluation.value))
        return replace(shown, explanation=None) if is_hidden else shown

    def _post(self, signal: Signal, request: Message) -> Fate:
        response = self._loop.run(self._answer(signal, request.SerializeToString()))
        if response is None:
            return "later"
        if response.is_success:
            return "sent"
        if signal is LOGS and response.status_code in _NOT_SERVED:
            _log.warning(
                "backend %s does not accept logs: evaluations are sent as spans only",
                shown_url(self._url),
            )
            self._takes_logs = False
            return "sent"
        return "later" if response.status_code in _RETRYABLE else "refused"

    async def _answer(self, signal: Signal, body: bytes) -> httpx.Response | None:
        """Return the backend's answer; `None`: there is none, or no time left to wait for it."""
        posting = asyncio.create_task(
            post(self._client, self._url + signal.path, body, self._headers, within_s=_TIMEOUT_S)
        )
        try:
            await self._follower.finish({posting}, grace_s=GRACE_S)
            return posting.result()
        except (httpx.HTTPError, TimeoutError, asyncio.CancelledError):
            return None
