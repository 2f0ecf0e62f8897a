"""The running collector: its stages, wired together, started and stopped in order."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from prometheus_client import CollectorRegistry

from sqlobs.errors import ConfigError
from sqlobs.execution.executor import Executor
from sqlobs.semconv import collector as metrics
from sqlobs_collector.admin.application import admin_application, limit_threads
from sqlobs_collector.admin.sources import JournalHealth, Readiness, Sources
from sqlobs_collector.admintoken import OwnToken
from sqlobs_collector.assembly import (
    EvaluatingParts,
    calibrations_of,
    desk_of,
    emitter_of,
    evaluation_selection_of,
    feedback_door,
    golden_set,
    granted,
    host_names,
    intake_limits,
    journal_limits,
    judge_queue_of,
    judge_worker_of,
    notifier_of,
    relay_of,
    retention_limits,
    sampling_rules,
    schemas_of,
    store_place,
    target_settings,
    targets_of,
)
from sqlobs_collector.audit import AuditLog
from sqlobs_collector.console.application import with_console
from sqlobs_collector.datadir import JOURNAL, DirectoryLock, make_directory
from sqlobs_collector.evaluation.cases import CaseReader
from sqlobs_collector.evaluation.evaluator import Evaluator
from sqlobs_collector.evaluation.reachability import TargetWatch
from sqlobs_collector.evaluation.target_budgets import show_target_budgets
from sqlobs_collector.explaining.explanation import Explainer
from sqlobs_collector.hosts import HostGuard
from sqlobs_collector.journal.entry import Place
from sqlobs_collector.journal.files import quarantined, size_bytes
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.journal.scrub import Scrub
from sqlobs_collector.journal.writer import JournalWriter
from sqlobs_collector.judging.budget import show_budget
from sqlobs_collector.notifying.watch import Series
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.polling_worker import PollingWorker
from sqlobs_collector.probing import Prober
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quality.hourly import HourWorker
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.grpc import GrpcReceiver
from sqlobs_collector.receiver.http import HttpReceiver
from sqlobs_collector.receiver.intake import Intake
from sqlobs_collector.sdkmetrics import SdkMetrics
from sqlobs_collector.settings.origins import Origins
from sqlobs_collector.store.comparison import ComparisonReader
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.failures import FailureReader
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.hours import HourReader
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.requests import RequestReader
from sqlobs_collector.store.saved_views import SavedViewReader
from sqlobs_collector.store.target_usage import StoreUsage
from sqlobs_collector.store.tokens import TokenReader
from sqlobs_collector.store.writing import Store
from sqlobs_collector.units.projector import Projector
from sqlobs_collector.webserver import WebServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Engine
    from starlette.types import ASGIApp

    from sqlobs_collector.addresses import Address
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.judging.judge_worker import JudgeWorker
    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.relay import Relay
    from sqlobs_collector.secrets import Secret
    from sqlobs_collector.units.progress import Progress

TOKENS_S: Final = 15.0
"""How long a token of the store may be unknown, or known after it was revoked; those that are known
stay known while the store does not respond."""
GRACE_S: Final = 5
"""Grace period in seconds for running requests when the service stops."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running service listens."""

    http: Address
    grpc: Address
    admin: Address


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
        self._origins = origins or Origins()
        self._running = AsyncExitStack()
        self._journal: JournalWriter | None = None
        self._projector: Projector | None = None
        self.registry = CollectorRegistry()
        self._flow = PipelineMetrics(self.registry)
        self._token = OwnToken(config.data_dir)
        self._sdk_metrics = SdkMetrics(dropped=self._flow.series_dropped)

    async def start(self) -> Addresses:
        """Start every stage, the receivers last.

        Raises:
            ConfigError: The data directory, the store or an address cannot be used.
        """
        try:
            engine = self._open()
            store, reader = Store(engine), StoreReader(engine)
            golden = self._golden(engine, store)
            parts = self._evaluate(store, reader, golden)
            projector, journal = self._project(store, on_units=parts.evaluator.notify)
            relay = await self._forward()
            credentials = self._credentials(engine)
            self._gauge(engine)
            self._add_up(store)
            self._emit(store, reader)
            notifier = self._notify(engine)
            sources = self._sources(engine, parts, journal, credentials, notifier)
            admin = await self._administer(sources)
            intake = Intake(
                credentials=credentials,
                limits=intake_limits(self._config),
                journal=journal,
                relay=relay,
                metrics=self._sdk_metrics,
                flow=self._flow,
            )
            self._running.callback(intake.close)
            http, grpc = await self._receive(intake)
        except BaseException:  # on any error: a running stage would keep the process alive
            await self.stop()
            raise
        self._show(projector, reader)
        self._journal, self._projector = journal, projector
        return Addresses(http=http, grpc=grpc, admin=admin)

    def _sources(
        self,
        engine: Engine,
        parts: EvaluatingParts,
        journal: JournalWriter,
        credentials: Credentials,
        notifier: Notifier,
    ) -> Sources:
        reading = self._open_reading()
        return Sources(
            registry=self.registry,
            sdk_metrics=self._sdk_metrics,
            readiness=self.readiness,
            credentials=credentials,
            audit=self._audit(),
            store=parts.reader,
            cases=CaseReader(
                parts.reader, golden=parts.golden, targets=target_settings(self._config)
            ),
            desk=desk_of(self._config, engine, parts),
            feedback=feedback_door(self._config, journal, self._flow),
            explainer=Explainer(IncidentReader(reading)),
            requests=RequestReader(reading),
            failures=FailureReader(reading),
            comparisons=ComparisonReader(reading),
            quality=QualityReader(reading),
            views=SavedViewReader(reading),
            schemas=schemas_of(self._config, parts.reader),
            writing=parts.store,
            links=self._config.console.links,
            hours=HourReader(reading),
            config=self._config,
            origins=self._origins,
            prober=Prober(),
            notifier=notifier,
        )

    def _audit(self) -> AuditLog:
        log = AuditLog(self._config.data_dir, days=self._config.audit.days)
        self._running.callback(log.close)
        return log

    async def stop(self) -> None:
        """Stop every stage, the receivers first; what was accepted is drained. Idempotent."""
        self._journal = self._projector = None
        await self._running.pop_all().aclose()

    async def readiness(self) -> Readiness:
        """Return whether records are accepted now, according to the last attempt to write one."""
        journal, projector = self._journal, self._projector
        if journal is None or projector is None:
            return Readiness(False, ["the collector is starting or stopping"], JournalHealth())
        difficulty = await journal.difficulty()
        health = _health(projector.progress, quarantined(self._journal_dir))
        return Readiness(difficulty is None, [str(difficulty)] if difficulty else [], health)

    @property
    def _journal_dir(self) -> Path:
        return self._config.data_dir / JOURNAL

    def _open(self) -> Engine:
        lock = DirectoryLock(self._config.data_dir)
        lock.acquire()
        self._running.callback(lock.release)
        make_directory(self._journal_dir)
        engine = open_store(store_place(self._config))
        self._running.callback(engine.dispose)
        return engine

    def _credentials(self, engine: Engine) -> Credentials:
        """Return who may do what; tokens of the store are read again and again."""
        workspaces = self._config.auth.workspaces
        credentials = Credentials(
            granted(self._config), own=self._make_token(), workspaces=workspaces
        )
        if workspaces:
            tokens = TokenReader(engine)

            def poll() -> float:
                credentials.learn(tokens.all())
                return TOKENS_S

            poll()  # before anybody asks
            reader = PollingWorker("tokens", poll)
            reader.start()
            self._running.push_async_callback(asyncio.to_thread, reader.stop)
        return credentials

    def _golden(self, engine: Engine, store: Store) -> GoldenSet:
        golden = golden_set(self._config, GoldenReader(engine))
        with store.writing() as writer:
            writer.golden.rekey(golden.digest_of)
        return golden

    def _open_reading(self) -> Engine:
        engine = store_place(self._config).reading_engine()
        self._running.callback(engine.dispose)
        return engine

    def _evaluate(self, store: Store, reader: StoreReader, golden: GoldenSet) -> EvaluatingParts:
        station = self._judge(store, reader)
        workers = self._config.evaluate.workers
        targets = targets_of(self._config)
        ledger = StoreUsage(store)
        executor = Executor(targets, workers=workers, ledger=ledger) if targets else None
        show_target_budgets(self._flow, ledger, self._config)
        watch = None
        if executor is not None:
            self._running.push_async_callback(asyncio.to_thread, executor.close)
            watch = self._watch_targets(executor)
        schemas = schemas_of(self._config, reader)
        evaluator = Evaluator(
            reader,
            store,
            executor=executor,
            targets=target_settings(self._config),
            workers=workers,
            flow=self._flow,
            golden=golden,
            wanted=evaluation_selection_of(self._config),
            schemas=schemas,
            inquirer=judge_queue_of(self._config, schemas),
            on_execution=_do_nothing if watch is None else watch.heard,
            on_inquiries=_do_nothing if station is None else station.notify,
        )
        evaluator.start()
        self._running.push_async_callback(asyncio.to_thread, evaluator.stop)
        return EvaluatingParts(
            store=store,
            reader=reader,
            golden=golden,
            schemas=schemas,
            executor=executor,
            evaluator=evaluator,
        )

    def _watch_targets(self, executor: Executor) -> TargetWatch:
        settings = target_settings(self._config)
        watch = TargetWatch(executor, settings)
        for alias, target in settings.known.items():
            for workspace in target.workspaces:
                for metric, read in (
                    (metrics.TARGET_UP, partial(watch.is_up, alias)),
                    (metrics.TARGET_HELD, partial(_held, executor, alias)),
                ):
                    self._flow.watch(metric, alias, read=read, workspace=workspace)
        watch.start()
        self._running.push_async_callback(asyncio.to_thread, watch.stop)
        return watch

    def _judge(self, store: Store, reader: StoreReader) -> JudgeWorker | None:
        station = judge_worker_of(self._config, store, self._flow)
        if station is None:
            return None
        station.start()
        self._running.push_async_callback(asyncio.to_thread, station.stop)
        show_budget(self._flow, reader, self._config.judge.limits)
        self._flow.watch(metrics.JUDGE_PAUSED, read=lambda: station.is_paused)
        return station

    def _project(
        self, store: Store, *, on_units: Callable[[], None]
    ) -> tuple[Projector, JournalWriter]:
        config = self._config
        journal = self._open_journal(store, on_commit=lambda: projector.notify())  # noqa: PLW0108 - bound below
        projector = Projector(
            self._read(journal),
            store,
            rules=sampling_rules(config),
            retention=retention_limits(config),
            journal=journal,
            flow=self._flow,
            on_units=on_units,
            scrub=Scrub(self._read(journal)),
        )
        projector.start()
        self._running.push_async_callback(asyncio.to_thread, projector.stop)
        journal.start()
        self._running.push_async_callback(asyncio.to_thread, journal.stop)
        return projector, journal

    def _open_journal(self, store: Store, *, on_commit: Callable[[], None]) -> JournalWriter:
        try:
            journal = JournalWriter(
                self._journal_dir, limits=journal_limits(self._config), on_commit=on_commit
            )
        except OSError as error:
            raise ConfigError(
                f"the journal in {self._journal_dir} cannot be read ({error.strerror}): give the "
                "collector the right to read and write its files"
            ) from error
        with store.writing() as writer:
            standing = writer.journals.get(journal.identity)
        journal.resume(Place(standing.sequence, standing.entries, standing.records))
        return journal

    def _read(self, journal: JournalWriter) -> JournalReader:
        return JournalReader(
            self._journal_dir,
            journal.identity,
            held=journal.held,
            acknowledged=lambda: journal.acknowledged,
        )

    def _gauge(self, engine: Engine) -> None:
        gauges = QualityGauges(
            QualityReader(engine), calibrations=calibrations_of(self._config, engine)
        )
        self.registry.register(gauges)
        gauges.start()
        self._running.push_async_callback(asyncio.to_thread, gauges.stop)

    def _add_up(self, store: Store) -> None:
        hours = HourWorker(store)
        hours.start()
        self._running.push_async_callback(asyncio.to_thread, hours.stop)

    def _emit(self, store: Store, reader: StoreReader) -> None:
        """Send evaluations to a backend, if there is one."""
        emitter = emitter_of(self._config, reader, store, self._flow)
        if emitter is not None:
            emitter.start()
            self._running.push_async_callback(asyncio.to_thread, emitter.stop)

    def _notify(self, engine: Engine) -> Notifier:
        """Evaluate the objectives, and tell a webhook of alerts, if there is one."""
        series = Series(self.registry, self._sdk_metrics)
        notifier = notifier_of(self._config, engine, self._flow, series)
        notifier.start()
        self._running.push_async_callback(asyncio.to_thread, notifier.stop)
        return notifier

    async def _forward(self) -> Relay | None:
        relay = relay_of(self._config, self._flow)
        if relay is not None:
            await relay.start()
            self._running.push_async_callback(relay.stop)
        return relay

    async def _administer(self, sources: Sources) -> Address:
        limit_threads()
        application = with_console(admin_application(sources))
        address = await self._serve(application, "admin", grace_s=1)
        self._token.link(address)
        return address

    def _make_token(self) -> Secret:
        self._running.callback(self._token.remove)
        return self._token.make()

    async def _receive(self, intake: Intake) -> tuple[Address, Address]:
        listen, limits = self._config.listen, self._config.receive
        gate = ByteGate(limits.queue_bytes)
        self._flow.watch(metrics.UNACKNOWLEDGED_BYTES, read=lambda: gate.bytes_in_flight)
        grpc = GrpcReceiver(
            intake,
            gate=gate,
            max_body_bytes=limits.max_body_bytes,
            body_timeout_s=limits.body_timeout_s,
        )
        grpc_address = await grpc.start(
            listen.grpc, setting="listen.grpc", certificate=self._config.tls.of("grpc")
        )
        self._running.push_async_callback(grpc.stop, grace_s=GRACE_S)
        http = HttpReceiver(
            intake,
            gate=gate,
            max_body_bytes=limits.max_body_bytes,
            body_timeout_s=limits.body_timeout_s,
        )
        http_address = await self._serve(http, "http", grace_s=GRACE_S)
        return http_address, grpc_address

    async def _serve(
        self, application: ASGIApp, listener: Literal["http", "admin"], *, grace_s: int
    ) -> Address:
        names = host_names(self._config)
        guarded = application if names is None else HostGuard(application, names)
        certificate = self._config.tls.of(listener)
        server = WebServer(guarded, grace_s=grace_s, certificate=certificate)
        address: Address = getattr(self._config.listen, listener)
        bound = await server.start(address, setting=f"listen.{listener}")
        self._running.push_async_callback(server.stop)
        return bound

    def _show(self, projector: Projector, reader: StoreReader) -> None:
        """Add the gauges that are read at each scrape."""
        watch, progress = self._flow.watch, projector.progress
        watch(metrics.JOURNAL_BYTES, read=lambda: size_bytes(self._journal_dir))
        watch(metrics.JOURNAL_LAG, read=lambda: progress.lag_s)
        watch(metrics.JOURNAL_UNPROJECTED, read=lambda: progress.unprojected_records)
        watch(metrics.JOURNAL_LOST_REQUESTS, read=lambda: progress.standing.lost_entries)
        watch(metrics.JOURNAL_LOST_RECORDS, read=lambda: progress.standing.lost_records)
        watch(metrics.JOURNAL_QUARANTINED, read=lambda: len(quarantined(self._journal_dir)))
        watch(metrics.QUEUE_SIZE, read=lambda: reader.queue()[0])
        watch(metrics.QUEUE_AGE, read=lambda: _age_s(reader.queue()[1]))


def _health(progress: Progress, files: list[str]) -> JournalHealth:
    standing = progress.standing
    return JournalHealth(
        unprojected_records=progress.unprojected_records,
        lag_s=progress.lag_s,
        lost_requests=standing.lost_entries,
        lost_records=standing.lost_records,
        quarantined_files=files,
    )


def _do_nothing(*_: object) -> None:
    """A listener that does nothing."""


def _held(executor: Executor, alias: str) -> float:
    return float(executor.held.get(alias, 0))


def _age_s(since_ns: int | None) -> float:
    return 0.0 if since_ns is None else max(0, time.time_ns() - since_ns) / 10**9
