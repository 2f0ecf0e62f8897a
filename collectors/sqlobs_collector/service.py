"""The running collector: its stages, wired together, started and stopped in order."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry

from sqlobs.errors import ConfigError
from sqlobs_collector.admin import admin_application
from sqlobs_collector.flow import Flow
from sqlobs_collector.journal.segment import size_bytes
from sqlobs_collector.journal.writer import JournalLimits, JournalWriter
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.grpc import GrpcReceiver
from sqlobs_collector.receiver.http import HttpReceiver
from sqlobs_collector.receiver.intake import Intake, IntakeLimits
from sqlobs_collector.relay import Relay, RelaySettings
from sqlobs_collector.webserver import WebServer

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs_collector.addresses import Address
    from sqlobs_collector.config import CollectorConfig

_log = logging.getLogger(__name__)

GRACE_S: Final = 5
"""How long requests under way may take when the service stops."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running service listens."""

    http: Address
    grpc: Address
    admin: Address


class Service:
    """Everything that `sqlobs-collector serve` runs, in one process."""

    def __init__(self, config: CollectorConfig) -> None:
        self._config = config
        self._lock = _DirectoryLock(config.data_dir)
        self.registry = CollectorRegistry()
        self._flow = Flow(self.registry)
        self._journal_dir = config.data_dir / "journal"
        self._journal = JournalWriter(
            self._journal_dir,
            limits=JournalLimits(config.journal.max_bytes, config.journal.min_free_bytes),
        )
        self._relay = _relay(config, self._flow)
        intake = Intake(
            credentials=Credentials(config.auth.tokens),
            limits=IntakeLimits(config.receive.max_body_bytes, config.receive.max_record_bytes),
            journal=self._journal,
            relay=self._relay,
            flow=self._flow,
        )
        gate = ByteGate(config.receive.queue_bytes)
        limit = int(config.receive.max_body_bytes)
        self._grpc = GrpcReceiver(intake, gate=gate, max_body_bytes=limit)
        receiver = HttpReceiver(intake, gate=gate, max_body_bytes=limit)
        self._http = WebServer(receiver, grace_s=GRACE_S)
        admin = admin_application(registry=self.registry, unready=self.unready)
        self._admin = WebServer(admin, grace_s=1)
        self._is_running = False
        self._flow.watch(
            "unacknowledged_bytes",
            documentation="Bytes received and not yet acknowledged.",
            read=lambda: gate.bytes_in_flight,
        )
        self._flow.watch(
            "journal_bytes",
            documentation="Bytes that the journal's files occupy.",
            read=lambda: size_bytes(self._journal_dir),
        )

    async def start(self) -> Addresses:
        """Start every stage, the receivers last.

        Raises:
            ConfigError: The data directory or an address cannot be used.
        """
        self._lock.acquire()
        _make_directory(self._journal_dir)
        listen = self._config.listen
        try:
            self._journal.start()
            if self._relay is not None:
                await self._relay.start()
            admin = await self._admin.start(listen.admin, setting="listen.admin")
            grpc = await self._grpc.start(listen.grpc, setting="listen.grpc")
            http = await self._http.start(listen.http, setting="listen.http")
        except ConfigError:
            await self.stop()
            raise
        self._is_running = True
        return Addresses(http=http, grpc=grpc, admin=admin)

    async def stop(self) -> None:
        """Stop every stage, the receivers first; what was accepted is drained. Idempotent."""
        self._is_running = False
        await asyncio.gather(self._http.stop(), self._grpc.stop(grace_s=GRACE_S))
        await asyncio.to_thread(self._journal.stop)
        if self._relay is not None:
            await self._relay.stop()
        await self._admin.stop()
        self._lock.release()

    def unready(self) -> list[str]:
        """Return the reasons why records are not taken now; none when all is well."""
        if not self._is_running:
            return ["the collector is starting or stopping"]
        shortage = self._journal.shortage
        return [] if shortage is None else [str(shortage)]


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


def _make_directory(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"cannot create {directory} ({error.strerror}): set data_dir to a directory that the "
            "collector may write"
        ) from error


class _DirectoryLock:
    """Keeps a second collector out of a data directory, as long as the process lives."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            ConfigError: Another collector holds it, or the directory cannot be written.
        """
        _make_directory(self._directory)
        try:
            descriptor = os.open(self._directory / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise ConfigError(
                f"cannot write {self._directory} ({error.strerror}): set data_dir to a directory "
                "that the collector may write"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise ConfigError(
                f"another collector uses {self._directory}: stop it, or set data_dir to another "
                "directory"
            ) from error
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
