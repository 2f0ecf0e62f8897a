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
from sqlobs.monitoring.inhibition import SOURCES, inhibitions_of
from sqlobs.monitoring.notices import notice_of
from sqlobs.monitoring.promql import SERVICE, WORKFLOW
from sqlobs.monitoring.rules import Alert
from sqlobs.semconv.labels import model_label
from sqlobs_collector.notifying.alarms import WORKSPACE
from sqlobs_collector.notifying.messages import Message, body_of
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.posting import post
from sqlobs_collector.store.incidents import Incident

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.monitoring.notices import Notice
    from sqlobs.monitoring.objectives import Objectives
    from sqlobs.monitoring.settings import RuleSettings
    from sqlobs_collector.notifying.alarms import Alarm
    from sqlobs_collector.notifying.messages import Form
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
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
_COLUMNS: Final = ("service_name", "environment", "workflow")
"""The store's names of the labels of a workflow."""
_STALE: Final = "SqlobsSchemaStale"
_INVENTED: Final = "schema_hallucination"
_RETRYABLE: Final = frozenset({408, 429})
_SERVER_ERROR: Final = 500

Key = tuple[str, tuple[tuple[str, str], ...]]
"""An alert and its labels."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """The webhook that receives alerts, and the form of its requests."""

    url: str
    form: Form
    headers: Mapping[str, str]


@dataclass(slots=True)
class _Firing:
    alarm: Alarm
    since_ns: int
    """When its condition began to hold."""
    held_ns: int
    """When it held last."""
    notice: Notice | None = None
    """What was told; None: it has not held for long enough."""
    starts_ns: int = 0


@dataclass(frozen=True, slots=True)
class FiringAlert:
    """An alert that has begun and has not ended."""

    alarm: Alarm
    notice: Notice
    starts_ns: int


class Notifier:
    """Evaluates the objectives from the store; posts an alert when it begins and when it ends.

    Without a webhook it evaluates them for the console alone.

    What fires is kept in memory: after a restart, an alert that still holds is sent again.
    """

    def __init__(
        self,
        watch: Callable[[int], Iterable[Alarm]],
        incidents: IncidentReader,
        *,
        settings: RuleSettings,
        webhook: Webhook | None,
        flow: PipelineMetrics,
        tells: Callable[[], bool] = lambda: True,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Set up.

        Args:
            watch: Returns the alerts whose condition holds at a time.
            incidents: Tells which model, prompt version and code fail most.
            settings: Objectives, links and labels.
            webhook: Receives the alerts.
            flow: Counts what is sent.
            tells: Returns whether this process tells the webhook, and no other.
            clock_ns: Time, for tests.
        """
        self._watch = watch
        self._incidents = incidents
        self._settings = settings
        self._webhook = webhook
        self._flow = flow
        self._tells = tells
        self._has_told = True
        self._clock_ns = clock_ns
        rules = (rule for group in groups(settings) for rule in group.rules)
        self._rules = {rule.name: rule for rule in rules if isinstance(rule, Alert)}
        self._shown: Sequence[FiringAlert] = ()
        self._firing: dict[Key, _Firing] = {}
        self._unsent: list[Message] = []
        self._loop = asyncio.Runner()
        self._follower = PollingWorker("notifier", self._poll)

    def start(self) -> None:
        """Begin to watch."""
        self._follower.start()

    def stop(self) -> None:
        """Stop. Idempotent."""
        self._follower.stop()
        self._loop.close()

    def evaluate(self) -> Sequence[Message]:
        """Return what there is to tell, with what could not be sent before."""
        now_ns = self._clock_ns()
        found = [*self._watch(now_ns)]
        unchecked = [one.labels for one in found if one.rate == "unchecked"]
        told = [one for one in found if not _is_said_better(one, found)]
        told.sort(key=lambda one: one.alert not in SOURCES)  # what mutes others comes first
        self._unsent += [*self._begun(told, now_ns), *self._ended(unchecked, now_ns)]
        self._shown = tuple(
            FiringAlert(one.alarm, one.notice, one.starts_ns)
            for one in self._firing.values()
            if one.notice is not None
        )
        if self._webhook is None:
            self._unsent.clear()
        return self._unsent

    @property
    def firing(self) -> Sequence[FiringAlert]:
        """The alerts that fired at the last evaluation."""
        return self._shown

    @property
    def objectives(self) -> Objectives:
        """What workflows are to keep."""
        return self._settings.objectives

    def _begun(self, found: Iterable[Alarm], now_ns: int) -> Iterable[Message]:
        for alarm in found:
            one = self._firing.setdefault(alarm.key, _Firing(alarm, now_ns, now_ns))
            one.held_ns = now_ns
            hold_ns = self._rules[alarm.alert].hold_s * 10**9
            is_due = one.notice is None and now_ns - one.since_ns >= hold_ns
            if is_due and not self._is_muted(alarm):
                one.notice, one.starts_ns = self._notice(alarm, now_ns), now_ns
                yield Message(one.notice, "firing", now_ns)

    def _is_muted(self, alarm: Alarm) -> bool:
        """Return whether an alert that was told, and is not over, says enough."""
        told = [one.alarm for one in self._firing.values() if one.notice is not None]
        return any(
            one.alert == each.source
            and all(
                one.labels.get(name) == alarm.labels.get(name) for name in (WORKSPACE, *each.equal)
            )
            for each in inhibitions_of(alarm.alert)
            for one in told
        )

    def _ended(self, unchecked: Sequence[Mapping[str, str]], now_ns: int) -> Iterable[Message]:
        """Yield what is over: verdicts that are missing end no alert on invented names."""
        for key, one in list(self._firing.items()):
            alarm = one.alarm
            if alarm.rate == _INVENTED and any(
                each.items() <= alarm.labels.items() for each in unchecked
            ):
                one.held_ns = now_ns
            kept_ns = 0 if one.notice is None else self._rules[alarm.alert].kept_s * 10**9
            if now_ns - one.held_ns > kept_ns:
                del self._firing[key]
                if one.notice is not None:
                    yield Message(one.notice, "resolved", one.starts_ns, now_ns)

    def _notice(self, alarm: Alarm, now_ns: int) -> Notice:
        return notice_of(
            self._rules[alarm.alert].document(self._settings),
            alarm.labels,
            value=alarm.value,
            at_s=now_ns / 10**9,
            names=self._culprits(alarm, now_ns),
        )

    def _culprits(self, alarm: Alarm, now_ns: int) -> Mapping[str, str]:
        """Return the model, the prompt version and the code at which most requests fail."""
        if alarm.rate is None:
            return {}
        places = zip(_COLUMNS, WORKFLOW, strict=True)
        where = {column: alarm.labels[name] for column, name in places if name in alarm.labels}
        workspace = alarm.labels.get(WORKSPACE, DEFAULT_WORKSPACE)
        incident = Incident(workspace, alarm.rate, now_ns - _LOOKED_AT_NS, now_ns, where)
        return _most_frequent(self._incidents.bad(incident, limit=_SAMPLE))

    def _poll(self) -> float:
        begun_s = time.monotonic()
        self.evaluate()
        took_s = time.monotonic() - begun_s
        self._take_turns()
        if self._unsent and not self.send():
            return _RETRY_S
        return max(EVERY_S, took_s / _SHARE_OF_TIME)

    def _take_turns(self) -> None:
        """Leave it to another process to tell the webhook, or take its place.

        What the other one could not tell is not known: all that fires is sent again.
        """
        tells = self._tells()
        if not tells:
            self._unsent = []
        elif not self._has_told:
            self._unsent = [Message(one.notice, "firing", one.starts_ns) for one in self._shown]
        self._has_told = tells

    def send(self) -> bool:
        """Tell the webhook; return whether it is not to be told again."""
        if self._webhook is None:
            return True
        body = orjson.dumps(body_of(self._unsent, self._webhook.form))
        status = self._loop.run(self._answer(body, self._webhook))
        if status is None or status in _RETRYABLE or status >= _SERVER_ERROR:
            self._flow.relayed(signal="notice", outcome="later")
            return False
        is_taken = httpx.codes.is_success(status)
        if not is_taken:
            _log.warning("the webhook of notify.url rejects alerts with status %d", status)
        self._flow.relayed(signal="notice", outcome="sent" if is_taken else "refused")
        self._unsent = []
        return True

    async def _answer(self, body: bytes, to: Webhook) -> int | None:
        headers = {"Content-Type": "application/json", **to.headers}
        async with httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
            posting = asyncio.create_task(post(client, to.url, body, headers, within_s=_TIMEOUT_S))
            try:
                await self._follower.finish({posting}, grace_s=_GRACE_S)
                return posting.result().status_code
            except (httpx.HTTPError, TimeoutError, asyncio.CancelledError):
                return None


def _is_said_better(alarm: Alarm, found: Sequence[Alarm]) -> bool:
    """Return whether a stale schema, which has its own alert, explains missing verdicts."""
    return alarm.rate == "unchecked" and any(
        one.alert == _STALE and all(one.labels.get(name) == alarm.labels[name] for name in SERVICE)
        for one in found
    )


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
