"""The running collector: its stages, wired together, started and stopped in order."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry

from sqlobs.errors import ConfigError
from sqlobs.execution.executor import Executor
from sqlobs.execution.target import Limits, Policy, Target
from sqlobs.semconv import collector as metrics
from sqlobs_collector.admin import admin_application
from sqlobs_collector.datadir import DirectoryLock, kept_key, make_directory
from sqlobs_collector.emission.emitter import Emitter
from sqlobs_collector.evaluation.evaluator import Evaluator
from sqlobs_collector.evaluation.golden import GoldenFile
from sqlobs_collector.evaluation.requests import Targets, TargetSettings
from sqlobs_collector.flow import Flow
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.journal.segment import size_bytes
from sqlobs_collector.journal.writer import JournalLimits, JournalWriter
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.grpc import GrpcReceiver
from sqlobs_collector.receiver.http import HttpReceiver
from sqlobs_collector.receiver.intake import Intake, IntakeLimits
from sqlobs_collector.relay import Relay, RelaySettings
from sqlobs_collector.sampling import SamplingRules
from sqlobs_collector.sdkmetrics import SdkMetrics
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.writing import Store
from sqlobs_collector.units.projector import Projector, RetentionLimits
from sqlobs_collector.webserver import WebServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy import Engine
    from starlette.types import ASGIApp

    from sqlobs_collector.addresses import Address
    from sqlobs_collector.config import CollectorConfig

GRACE_S: Final = 5
"""How long requests under way may take when the service stops."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running service listens."""

    http: Address
    grpc: Address
    admin: Address


class Service:
    """Everything that `sqlobs-collector serve` runs, in one process.

    Stages start in the order in which records reach them last, and stop in the reverse: the
    receivers first, then what they fed, which drains.
    """

    def __init__(self, config: CollectorConfig) -> None:
        self._config = config
        self._running = AsyncExitStack()
        self._journal: JournalWriter | None = None
        self.registry = CollectorRegistry()
        self._flow = Flow(self.registry)
        self._sdk_metrics = SdkMetrics()
        self.registry.register(self._sdk_metrics)

    async def start(self) -> Addresses:
        """Start every stage, the receivers last.

        Raises:
            ConfigError: The data directory, the store or an address cannot be used.
        """
        try:
            engine = self._open()
            store, reader = Store(engine), StoreReader(engine)
            evaluator = self._evaluate(store, reader)
            projector, journal = self._project(store, on_units=evaluator.notify)
            relay = await self._forward()
            credentials = Credentials(self._config.auth.tokens)
            self._gauge(engine)
            self._emit(store, reader)
            admin = await self._administer(credentials, reader)
            intake = Intake(
                credentials=credentials,
                limits=_intake_limits(self._config),
                journal=journal,
                relay=relay,
                metrics=self._sdk_metrics,
                flow=self._flow,
            )
            http, grpc = await self._receive(intake)
        except ConfigError:
            await self.stop()
            raise
        self._show(projector, reader)
        self._journal = journal
        return Addresses(http=http, grpc=grpc, admin=admin)

    async def stop(self) -> None:
        """Stop every stage, the receivers first; what was accepted is drained. Idempotent."""
        self._journal = None
        await self._running.pop_all().aclose()

    def unready(self) -> list[str]:
        """Return the reasons why records are not taken now; none when all is well."""
        if self._journal is None:
            return ["the collector is starting or stopping"]
        shortage = self._journal.shortage
        return [] if shortage is None else [str(shortage)]

    @property
    def _journal_dir(self) -> Path:
        return self._config.data_dir / "journal"

    def _open(self) -> Engine:
        lock = DirectoryLock(self._config.data_dir)
        lock.acquire()
        self._running.callback(lock.release)
        make_directory(self._journal_dir)
        engine = open_store(self._config.data_dir)
        self._running.callback(engine.dispose)
        return engine

    def _evaluate(self, store: Store, reader: StoreReader) -> Evaluator:
        workers = self._config.evaluate.workers
        targets = _targets(self._config)
        executor = Executor(targets, workers=workers) if targets else None
        if executor is not None:
            self._running.push_async_callback(asyncio.to_thread, executor.close)
        evaluator = Evaluator(
            reader,
            store,
            executor=executor,
            targets=_target_settings(self._config),
            workers=workers,
            flow=self._flow,
            golden=self._golden(),
        )
        evaluator.start()
        self._running.push_async_callback(asyncio.to_thread, evaluator.stop)
        return evaluator

    def _golden(self) -> GoldenFile | None:
        golden = self._config.golden
        if golden.file is None:
            return None
        if golden.digest_key is not None:
            key = golden.digest_key.reveal().encode()
        else:
            key = kept_key(self._config.data_dir / "digest.key")
        return GoldenFile.read(golden.file, key=key)

    def _project(
        self, store: Store, *, on_units: Callable[[], None]
    ) -> tuple[Projector, JournalWriter]:
        config = self._config
        journal = JournalWriter(
            self._journal_dir,
            limits=JournalLimits(
                max_bytes=config.journal.max_bytes,
                min_free_bytes=config.journal.min_free_bytes,
                grace_s=config.journal.grace_s,
            ),
            on_commit=lambda: projector.notify(),  # noqa: PLW0108 - bound below
        )
        projector = Projector(
            JournalReader(self._journal_dir),
            store,
            rules=SamplingRules(config.sampling.rate, config.sampling.always),
            retention=RetentionLimits(
                payload_s=config.retention.payload_s,
                sampled_out_payload_s=config.retention.sampled_out_payload_s,
                unit_s=config.retention.unit_s,
            ),
            journal=journal,
            flow=self._flow,
            on_units=on_units,
        )
        projector.start()
        self._running.push_async_callback(asyncio.to_thread, projector.stop)
        journal.start()
        self._running.push_async_callback(asyncio.to_thread, journal.stop)
        return projector, journal

    def _gauge(self, engine: Engine) -> None:
        gauges = QualityGauges(QualityReader(engine))
        self.registry.register(gauges)
        gauges.start()
        self._running.push_async_callback(asyncio.to_thread, gauges.stop)

    def _emit(self, store: Store, reader: StoreReader) -> None:
        """Send evaluations to a backend, if there is one."""
        emit, forward = self._config.emit, self._config.forward
        url = emit.url or forward.url
        if url is None:
            return
        headers = emit.headers if emit.url else forward.headers
        emitter = Emitter(
            reader,
            store,
            url=str(url),
            headers={name: secret.reveal() for name, secret in headers.items()},
            flow=self._flow,
        )
        emitter.start()
        self._running.push_async_callback(asyncio.to_thread, emitter.stop)

    async def _forward(self) -> Relay | None:
        relay = _relay(self._config, self._flow)
        if relay is not None:
            await relay.start()
            self._running.push_async_callback(relay.stop)
        return relay

    async def _administer(self, credentials: Credentials, reader: StoreReader) -> Address:
        application = admin_application(
            registry=self.registry,
            unready=self.unready,
            credentials=credentials,
            store=reader,
        )
        return await self._serve(
            application, self._config.listen.admin, setting="listen.admin", grace_s=1
        )

    async def _receive(self, intake: Intake) -> tuple[Address, Address]:
        listen, limits = self._config.listen, self._config.receive
        gate = ByteGate(limits.queue_bytes)
        self._flow.watch(metrics.UNACKNOWLEDGED_BYTES, read=lambda: gate.bytes_in_flight)
        grpc = GrpcReceiver(intake, gate=gate, max_body_bytes=limits.max_body_bytes)
        grpc_address = await grpc.start(listen.grpc, setting="listen.grpc")
        self._running.push_async_callback(grpc.stop, grace_s=GRACE_S)
        http = HttpReceiver(intake, gate=gate, max_body_bytes=limits.max_body_bytes)
        http_address = await self._serve(http, listen.http, setting="listen.http", grace_s=GRACE_S)
        return http_address, grpc_address

    async def _serve(
        self, application: ASGIApp, address: Address, *, setting: str, grace_s: int
    ) -> Address:
        server = WebServer(application, grace_s=grace_s)
        bound = await server.start(address, setting=setting)
        self._running.push_async_callback(server.stop)
        return bound

    def _show(self, projector: Projector, reader: StoreReader) -> None:
        """Add the gauges that are read at each scrape."""
        watch = self._flow.watch
        watch(metrics.JOURNAL_BYTES, read=lambda: size_bytes(self._journal_dir))
        watch(metrics.JOURNAL_LAG, read=lambda: projector.lag_s)
        watch(metrics.QUEUE_SIZE, read=lambda: reader.queue()[0])
        watch(metrics.QUEUE_AGE, read=lambda: _age_s(reader.queue()[1]))


def _age_s(since_ns: int | None) -> float:
    return 0.0 if since_ns is None else max(0, time.time_ns() - since_ns) / 10**9


def _targets(config: CollectorConfig) -> list[Target]:
    return [
        Target.from_url(
            alias,
            target.url.reveal(),
            policy=Policy(
                functions=frozenset(target.functions),
                tables=None if target.tables is None else frozenset(target.tables),
            ),
            session=tuple(target.session),
        )
        for alias, target in config.targets.items()
    ]


def _target_settings(config: CollectorConfig) -> Targets:
    known = {target.alias: target.dialect for target in _targets(config)}
    return Targets(
        known={
            alias: TargetSettings(
                dialect=known[alias],
                limits=Limits(
                    timeout_s=target.limits.timeout_s,
                    max_rows=target.limits.max_rows,
                    max_bytes=target.limits.max_bytes,
                ),
                session=target.session,
            )
            for alias, target in config.targets.items()
        },
        default=next((alias for alias, one in config.targets.items() if one.default), None),
    )


def _intake_limits(config: CollectorConfig) -> IntakeLimits:
    return IntakeLimits(config.receive.max_body_bytes, config.receive.max_record_bytes)


def _relay(config: CollectorConfig, flow: Flow) -> Relay | None:
    forward = config.forward
    if forward.url is None:
        return None
    settings = RelaySettings(
        url=str(forward.url),
        headers={name: secret.reveal() for name, secret in forward.headers.items()},
        queue_bytes=forward.queue_bytes,
        timeout_s=forward.timeout_s,
    )
    return Relay(settings, flow=flow)
