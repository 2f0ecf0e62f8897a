"""The running collector: the stages of its roles, wired together, started and stopped in order."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry

from sqlobs.semconv import collector as metrics
from sqlobs_collector.admin.health import health_application
from sqlobs_collector.admin.port import AdminPort
from sqlobs_collector.admin.sources import JournalHealth, Readiness, Vitals
from sqlobs_collector.admintoken import OwnToken
from sqlobs_collector.assembly import emitter_of, granted, store_place
from sqlobs_collector.audit import AuditLog
from sqlobs_collector.datadir import DirectoryLock
from sqlobs_collector.pipeline_metrics import PipelineMetrics, Step
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.settings.origins import Origins
from sqlobs_collector.sharing.heartbeat import Heartbeat
from sqlobs_collector.sharing.store_clock import StoreClock
from sqlobs_collector.stages.administering import console_sources
from sqlobs_collector.stages.evaluating import evaluating_parts, start_judge
from sqlobs_collector.stages.journaling import start_journaling
from sqlobs_collector.stages.keeping import start_keeping, start_notifier
from sqlobs_collector.stages.listening import listen_for_otlp, serve, start_relay
from sqlobs_collector.stages.running import Running
from sqlobs_collector.stages.series import start_series
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.health import StoreHealth
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.tokens import TokenReader
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine
    from starlette.types import ASGIApp

    from sqlobs_collector.addresses import Address
    from sqlobs_collector.admin.sources import Sources
    from sqlobs_collector.assembly import EvaluatingParts
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.sdkmetrics import ShownSeries
    from sqlobs_collector.stages.journaling import Journaling

TOKENS_S: Final = 15.0
"""How long a token of the store may be unknown, or known after it was revoked; those that are known
stay known while the store does not respond."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running service listens; records are accepted by the role `receive` only."""

    admin: Address
    http: Address | None = None
    grpc: Address | None = None

    @property
    def by_listener(self) -> dict[str, Address]:
        """The addresses in use, by the name of their listener."""
        found = {"http": self.http, "grpc": self.grpc, "admin": self.admin}
        return {name: address for name, address in found.items() if address is not None}


class Service:
    """Everything that `sqlobs-collector serve` runs, in one process.

    Stages start from the end of the pipeline to the receivers and stop in reverse order, so that
    each one drains.
    """

    def __init__(self, config: CollectorConfig, *, origins: Origins | None = None) -> None:
        """Set up.

        Args:
            config: What to run.
            origins: Where its settings come from, for the page that shows them.
        """
        self._config = config
        self._roles = config.roles
        self._origins = origins or Origins()
        self._exits = AsyncExitStack()
        self._is_started = False
        self._journaling: Journaling | None = None
        self.registry = CollectorRegistry()
        self._flow = PipelineMetrics(self.registry)
        self._store_health = StoreHealth(on_failure=self._flow.store_failed)
        self._flow.watch(metrics.STORE_UP, read=lambda: float(self._store_health.is_up))
        self._token = OwnToken(config.data_dir)

    async def start(self) -> Addresses:
        """Start every stage of the process's roles, the receivers last.

        Raises:
            ConfigError: The data directory, the store or an address cannot be used.
        """
        try:
            addresses = await self._start(self._open())
        except BaseException:  # on any error: a running stage would keep the process alive
            await self.stop()
            raise
        self._is_started = True
        return addresses

    async def stop(self) -> None:
        """Stop every stage, the receivers first; what was accepted is drained. Idempotent."""
        self._is_started = False
        await self._exits.pop_all().aclose()
        self._journaling = None

    async def readiness(self) -> Readiness:
        """Return whether the process works; with a journal, whether it accepts records now."""
        trouble = self._store_health.reason
        if not self._is_started:
            reasons = ["the collector is starting or stopping"]
            return Readiness(False, reasons, trouble, JournalHealth())
        if self._journaling is None:
            return Readiness(True, [], trouble, JournalHealth())
        reasons, health = await self._journaling.readiness()
        return Readiness(not reasons, reasons, trouble, health)

    def _open(self) -> Running:
        lock = DirectoryLock(self._config.data_dir)
        lock.acquire()
        self._exits.callback(lock.release)
        engine = open_store(store_place(self._config))
        self._exits.callback(engine.dispose)
        self._store_health.watch(engine)
        store = Store(engine)
        clock_ns = self._clock(engine)
        heartbeat = Heartbeat(
            store,
            is_alone=self._config.store.url is None,
            on_given_up=lambda origins: self._flow.units(
                Step(origin, "error", "error") for origin in origins
            ),
            clock_ns=clock_ns,
        )
        running = Running(
            config=self._config,
            registry=self.registry,
            flow=self._flow,
            engine=engine,
            store=store,
            reader=StoreReader(engine),
            worker=heartbeat.worker,
            clock_ns=clock_ns,
            exits=self._exits,
        )
        if self._has("evaluate", "judge"):
            running.start(heartbeat)
        return running

    def _clock(self, engine: Engine) -> Callable[[], int]:
        if self._config.store.url is None:
            return time.time_ns
        clock = StoreClock(engine)
        clock.start()
        self._exits.push_async_callback(asyncio.to_thread, clock.stop)
        return clock

    async def _start(self, running: Running) -> Addresses:
        judge = start_judge(running) if "judge" in self._roles else None
        parts = None
        if self._has("evaluate", "console"):
            parts = evaluating_parts(running, judge)
        on_units = _do_nothing if parts is None else parts.evaluator.notify
        journaling = None
        if self._has("receive", "console"):
            journaling = self._journaling = start_journaling(running, on_units=on_units)
        relay = await start_relay(running) if "receive" in self._roles else None
        credentials = self._credentials(running)
        singleton = None
        if "singleton" in self._roles:
            singleton = running.duty("singleton")
            start_keeping(running, singleton, on_units=on_units)
        if "emit" in self._roles:
            _start_emitter(running)
        points, series = start_series(running, singleton)
        notifier = None
        if self._has("singleton", "console"):
            notifier = start_notifier(running, series, singleton)
        vitals = self._vitals(credentials, series)
        admin = await self._administer(running, vitals, parts, journaling, notifier)
        if journaling is None or "receive" not in self._roles:
            return Addresses(admin)
        http, grpc = await listen_for_otlp(
            running,
            journaling.journal,
            relay=relay,
            credentials=credentials,
            sdk_metrics=points,
        )
        return Addresses(admin, http, grpc)

    def _has(self, *roles: str) -> bool:
        return not self._roles.isdisjoint(roles)

    def _vitals(self, credentials: Credentials, series: ShownSeries) -> Vitals:
        audit = AuditLog(self._config.data_dir, days=self._config.audit.days)
        self._exits.callback(audit.close)
        return Vitals(
            registry=self.registry,
            sdk_metrics=series,
            readiness=self.readiness,
            credentials=credentials,
            audit=audit,
        )

    def _credentials(self, running: Running) -> Credentials:
        """Return who may do what; tokens of the store are read again and again."""
        workspaces = self._config.auth.workspaces
        self._exits.callback(self._token.remove)
        credentials = Credentials(
            granted(self._config), own=self._token.make(), workspaces=workspaces
        )
        if workspaces:
            tokens = TokenReader(running.engine)

            def poll() -> float:
                credentials.learn(tokens.all())
                return TOKENS_S

            poll()  # before anybody asks
            running.start(PollingWorker("tokens", poll))
        return credentials

    async def _administer(
        self,
        running: Running,
        vitals: Vitals,
        parts: EvaluatingParts | None,
        journaling: Journaling | None,
        notifier: Notifier | None,
    ) -> Address:
        application: ASGIApp = health_application(vitals)
        if "console" in self._roles and parts and journaling and notifier:
            sources = console_sources(
                running,
                vitals,
                parts,
                journal=journaling.journal,
                notifier=notifier,
                origins=self._origins,
            )
            application = AdminPort(application, partial(_console, sources))
        address = await serve(running, application, "admin", grace_s=1)
        self._token.link(address)
        return address


def _console(sources: Sources) -> ASGIApp:
    """Return the console with its endpoints; not imported before somebody asks for it."""
    from sqlobs_collector.admin.application import admin_application
    from sqlobs_collector.console.application import with_console

    return with_console(admin_application(sources))


def _start_emitter(running: Running) -> None:
    """Send evaluations to a backend, if there is one."""
    duty = running.duty("emission")
    emitter = emitter_of(running.config, running.reader, running.store, running.flow, duty)
    if emitter is not None:
        running.start(emitter)


def _do_nothing(*_: object) -> None:
    """A listener that does nothing."""
