"""The emitter: sends stored evaluations to the backend, each at least once."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import httpx
import orjson

from sqlobs.urls import shown_url
from sqlobs_collector.disclosure import disclosed
from sqlobs_collector.emission.records import events_of, spans_of
from sqlobs_collector.emission.scores import (
    LANGFUSE_PATH,
    PHOENIX_PATH,
    langfuse_scores,
    phoenix_annotations,
)
from sqlobs_collector.otlp.signals import LOGS, TRACES
from sqlobs_collector.polling_worker import AT_ONCE, PollingWorker
from sqlobs_collector.posting import NOT_SERVED, post
from sqlobs_collector.sharing.duty import Duty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from google.protobuf.message import Message

    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.rows import Unemitted
    from sqlobs_collector.store.writing import Store

_log = logging.getLogger(__name__)

BATCH: Final = 256
GRACE_S: Final = 2.0
"""Grace period in seconds for a running request when the service stops."""
_POLL_S: Final = 1.0
_RETRY_S: Final = 5.0
_TIMEOUT_S: Final = 10.0
_RETRYABLE: Final = frozenset({429, 502, 503, 504})

_BAD_REQUEST: Final = 400
_PARTLY: Final = 207

Fate = Literal["sent", "refused", "unsupported", "later"]
"""`unsupported`: the backend does not serve this signal."""
Sender: TypeAlias = "Callable[[Sequence[Unemitted]], Fate | None]"
"""Sends a batch; `None`: it had nothing for this backend."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A backend of one kind."""

    url: str
    headers: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Destinations:
    """The backends that receive evaluations; at least one is set."""

    otlp: Destination | None = None
    phoenix: Destination | None = None
    langfuse: Destination | None = None


def basic_auth(user: str, password: str) -> dict[str, str]:
    """Return the header of HTTP's basic authentication."""
    credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {credentials}"}


class Emitter:
    """Sends evaluations; marks them as emitted after every backend has accepted them.

    Of several processes, one sends.

    While one backend is unreachable, the batch waits for it; the others get it once.
    """

    def __init__(
        self,
        reader: StoreReader,
        store: Store,
        *,
        destinations: Destinations,
        flow: PipelineMetrics,
        shows_reasoning: bool = False,
        duty: Duty | None = None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._reader = reader
        duty = duty or Duty(store)
        self._store = duty.store
        self._flow = flow
        self._shows_reasoning = shows_reasoning
        self._clock_ns = clock_ns
        self._senders = dict(self._senders_to(destinations))
        self._answered: dict[str, Fate] = {}
        """What became of the batch so far, by sender."""
        self._batch: list[Unemitted] = []
        self._unsupported: set[str] = set()
        self._loop = asyncio.Runner()
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S)
        self._follower = PollingWorker("emitter", duty.while_held(self._poll))

    def _senders_to(self, to: Destinations) -> Iterator[tuple[str, Sender]]:
        """Yield what sends a batch, by the signal that the metric names."""
        if to.otlp is not None:
            yield LOGS.name, partial(self._send_otlp, to.otlp, LOGS, events_of)
            yield TRACES.name, partial(self._send_otlp, to.otlp, TRACES, spans_of)
        if to.phoenix is not None:
            yield "phoenix", partial(self._send_to_phoenix, to.phoenix)
        if to.langfuse is not None:
            yield "langfuse", partial(self._send_to_langfuse, to.langfuse)

    def start(self) -> None:
        """Begin to send."""
        self._follower.start()

    def stop(self) -> None:
        """Stop after a grace period; the rest is sent after the next start. Idempotent."""
        self._follower.stop()
        if not self._client.is_closed:
            self._loop.run(self._client.aclose())
            self._loop.close()

    def emit(self) -> Fate | None:
        """Send the next batch; return its outcome, `None` if there was none."""
        evaluations = self._reader.unemitted(limit=BATCH)
        if evaluations != self._batch:
            self._batch, self._answered = evaluations, {}
        if not evaluations:
            return None
        shown = [self._shown(one) for one in evaluations]
        fates = [self._deliver(name, send, shown) for name, send in self._senders.items()]
        if "later" in fates:
            return "later"
        with self._store.writing() as writer:
            writer.mark_emitted(evaluations, at_ns=self._clock_ns())
        return "refused" if "refused" in fates else "sent"

    def _poll(self) -> float:
        fate = self.emit()
        if fate is None:
            return _POLL_S
        return _RETRY_S if fate == "later" else AT_ONCE

    def _deliver(self, name: str, send: Sender, shown: Sequence[Unemitted]) -> Fate:
        if name in self._answered:
            return self._answered[name]
        if name in self._unsupported:
            return "unsupported"
        fate = send(shown)
        if fate is None:
            return "sent"
        self._flow.relayed(signal=f"evaluation {name}", outcome=fate)
        if fate != "later":
            self._answered[name] = fate
        return fate

    def _shown(self, evaluation: Unemitted) -> Unemitted:
        """Return an evaluation without fields that would reveal questions or rows."""
        is_reasoning = evaluation.kind == "llm" and evaluation.label != "not_evaluated"
        is_hidden = evaluation.kind == "human" or (is_reasoning and not self._shows_reasoning)
        shown = replace(evaluation, value=disclosed(evaluation.metric, evaluation.value))
        return replace(shown, explanation=None) if is_hidden else shown

    def _send_otlp(
        self,
        to: Destination,
        signal: Signal,
        build: Callable[[Sequence[Unemitted]], Message],
        shown: Sequence[Unemitted],
    ) -> Fate | None:
        request = build(shown)
        if not request.ByteSize():
            return None
        fate = self._fate_of(
            self._post(to, signal.path, request.SerializeToString(), "application/x-protobuf")
        )
        if signal is LOGS and fate == "unsupported":
            _log.warning(
                "backend %s does not accept logs: evaluations are sent as spans only",
                shown_url(to.url),
            )
            self._unsupported.add(signal.name)
        return fate

    def _send_to_phoenix(self, to: Destination, shown: Sequence[Unemitted]) -> Fate | None:
        annotations = phoenix_annotations(shown)
        if not annotations:
            return None
        return self._fate_of(self._post_json(to, PHOENIX_PATH, {"data": annotations}))

    def _send_to_langfuse(self, to: Destination, shown: Sequence[Unemitted]) -> Fate | None:
        """Send a list; servers before Langfuse 4 accept one score in a request."""
        scores = langfuse_scores(shown)
        if not scores:
            return None
        response = self._post_json(to, LANGFUSE_PATH, scores)
        if response is None or response.status_code != _BAD_REQUEST:
            return self._fate_of(response)
        fates = [self._fate_of(self._post_json(to, LANGFUSE_PATH, one)) for one in scores]
        return next((fate for fate in ("later", "refused") if fate in fates), "sent")

    def _fate_of(self, response: httpx.Response | None) -> Fate:
        if response is None or response.status_code in _RETRYABLE:
            return "later"
        if response.status_code in NOT_SERVED:
            return "unsupported"
        is_taken = response.is_success and response.status_code != _PARTLY
        return "sent" if is_taken else "refused"

    def _post_json(self, to: Destination, path: str, document: object) -> httpx.Response | None:
        return self._post(to, path, orjson.dumps(document), "application/json")

    def _post(self, to: Destination, path: str, body: bytes, kind: str) -> httpx.Response | None:
        """Return the backend's response; `None` if there is none, or the time is up."""
        return self._loop.run(
            self._answer(to.url.rstrip("/") + path, body, {"Content-Type": kind, **to.headers})
        )

    async def _answer(
        self, url: str, body: bytes, headers: Mapping[str, str]
    ) -> httpx.Response | None:
        posting = asyncio.create_task(post(self._client, url, body, headers, within_s=_TIMEOUT_S))
        try:
            await self._follower.finish({posting}, grace_s=GRACE_S)
            return posting.result()
        except (httpx.HTTPError, TimeoutError, asyncio.CancelledError):
            return None
