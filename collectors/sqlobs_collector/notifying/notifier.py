"""The notifier: tells a webhook of alerts that begin and end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import httpx
import orjson

from sqlobs.monitoring.annotations import CODE, MODEL, PROMPT
from sqlobs.monitoring.files import groups
from sqlobs.monitoring.notices import notice_of
from sqlobs.monitoring.rules import Alert
from sqlobs.semconv.labels import model_label
from sqlobs_collector.notifying.messages import Message, body_of
from sqlobs_collector.notifying.watching import alarms
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.posting import post
from sqlobs_collector.store.incidents import Incident

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.monitoring.notices import Notice
    from sqlobs.monitoring.settings import RuleSettings
    from sqlobs_collector.notifying.messages import Form
    from sqlobs_collector.notifying.watching import Alarm
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.alert_counts import AlertCountReader, Place
    from sqlobs_collector.store.incidents import IncidentReader

_log = logging.getLogger(__name__)

EVERY_S: Final = 30.0
"""Between two evaluations, as with Prometheus."""
_RETRY_S: Final = 5.0
_TIMEOUT_S: Final = 10.0
_GRACE_S: Final = 2
_SHARE_OF_TIME: Final = 0.1
"""Highest share of time spent on counting: a large store is counted less often."""
_SAMPLE: Final = 500
"""Failed requests whose model, prompt version and code are counted."""
_LOOKED_AT_NS: Final = 1800 * 10**9
_INVENTED: Final = "schema_hallucination"
_RETRYABLE: Final = frozenset({408, 429})
_SERVER_ERROR: Final = 500

Key = tuple[str, "Place"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """The webhook that receives alerts, and the form of its requests."""

    url: str
    form: Form
    headers: Mapping[str, str]


@dataclass(slots=True)
class _Firing:
    notice: Notice
    starts_ns: int
    kept_ns: int
    held_ns: int
    rate: str


class Notifier:
    """Evaluates the objectives from the store; posts an alert when it begins and when it ends.

    What fires is kept in memory: after a restart, an alert that still holds is sent again.
    """

    def __init__(
        self,
        counts: AlertCountReader,
        incidents: IncidentReader,
        *,
        settings: RuleSettings,
        webhook: Webhook,
        flow: PipelineMetrics,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._counts = counts
        self._incidents = incidents
        self._settings = settings
        self._webhook = webhook
        self._flow = flow
        self._clock_ns = clock_ns
        rules = (rule for group in groups(settings) for rule in group.rules)
        self._rules = {
            rule.name: rule.document(settings) for rule in rules if isinstance(rule, Alert)
        }
        self._firing: dict[Key, _Firing] = {}
        self._unsent: list[Message] = []
        self._loop = asyncio.Runner()
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S)
        self._follower = PollingWorker("notifier", self._poll)

    def start(self) -> None:
        """Begin to watch."""
        self._follower.start()

    def stop(self) -> None:
        """Stop. Idempotent."""
        self._follower.stop()
        if not self._client.is_closed:
            self._loop.run(self._client.aclose())
            self._loop.close()

    def evaluate(self) -> Sequence[Message]:
        """Return what there is to tell, with what could not be sent before."""
        now_ns = self._clock_ns()
        found = alarms(self._counts, self._settings.objectives, now_ns=now_ns)
        unchecked = {one.place for one in found if one.rate == "unchecked"}
        self._unsent += [*self._begun(found, now_ns), *self._ended(unchecked, now_ns)]
        return self._unsent

    def _begun(self, found: Iterable[Alarm], now_ns: int) -> Iterable[Message]:
        for alarm in found:
            key = (alarm.condition.alert, alarm.place)
            known = self._firing.get(key)
            if known is not None:
                known.held_ns = now_ns
                continue
            notice = self._notice(alarm, now_ns)
            kept_ns = round(alarm.condition.kept_s * 10**9)
            self._firing[key] = _Firing(notice, now_ns, kept_ns, now_ns, alarm.rate)
            yield Message(notice, "firing", now_ns)

    def _ended(self, unchecked: set[Place], now_ns: int) -> Iterable[Message]:
        """Yield what is over: verdicts that are missing end no alert on invented names."""
        for key, one in list(self._firing.items()):
            _, place = key
            if one.rate == _INVENTED and any(place[: len(each)] == each for each in unchecked):
                one.held_ns = now_ns
            if now_ns - one.held_ns > one.kept_ns:
                del self._firing[key]
                yield Message(one.notice, "resolved", one.starts_ns, now_ns)

    def _notice(self, alarm: Alarm, now_ns: int) -> Notice:
        workspace, service, environment, workflow, *_ = alarm.place
        where = {"service_name": service, "environment": environment, "workflow": workflow}
        incident = Incident(workspace, alarm.rate, now_ns - _LOOKED_AT_NS, now_ns, where)
        rows = self._incidents.bad(incident, limit=_SAMPLE)
        return notice_of(
            self._rules[alarm.condition.alert],
            alarm.labels,
            value=alarm.share,
            at_s=now_ns / 10**9,
            names=_most_frequent(rows),
        )

    def _poll(self) -> float:
        begun_s = time.monotonic()
        self.evaluate()
        took_s = time.monotonic() - begun_s
        if self._unsent and not self.send():
            return _RETRY_S
        return max(EVERY_S, took_s / _SHARE_OF_TIME)

    def send(self) -> bool:
        """Tell the webhook; return whether it is not to be told again."""
        body = orjson.dumps(body_of(self._unsent, self._webhook.form))
        status = self._loop.run(self._answer(body))
        if status is None or status in _RETRYABLE or status >= _SERVER_ERROR:
            self._flow.relayed(signal="notice", outcome="later")
            return False
        is_taken = httpx.codes.is_success(status)
        if not is_taken:
            _log.warning("the webhook of notify.url rejects alerts with status %d", status)
        self._flow.relayed(signal="notice", outcome="sent" if is_taken else "refused")
        self._unsent = []
        return True

    async def _answer(self, body: bytes) -> int | None:
        to = self._webhook
        headers = {"Content-Type": "application/json", **to.headers}
        posting = asyncio.create_task(
            post(self._client, to.url, body, headers, within_s=_TIMEOUT_S)
        )
        try:
            await self._follower.finish({posting}, grace_s=_GRACE_S)
            return posting.result().status_code
        except (httpx.HTTPError, TimeoutError, asyncio.CancelledError):
            return None


def _most_frequent(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the labels at which most requests failed."""
    found: dict[str, str] = {}
    for label, values in (
        (MODEL, [model_label(row["model"]) for row in rows if row["model"]]),
        (PROMPT, [row["prompt_version"] for row in rows if row["prompt_version"]]),
        (CODE, [row["failure_code"] for row in rows if row["failure_code"]]),
    ):
        if values:
            [(found[label], _)] = Counter(values).most_common(1)
    return found
