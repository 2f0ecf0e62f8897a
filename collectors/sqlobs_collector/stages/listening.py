"""The listeners of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.semconv import collector as metrics
from sqlobs_collector.assembly import host_names, intake_limits, masker_of, relay_of
from sqlobs_collector.hosts import HostGuard
from sqlobs_collector.quotas import IntakeQuotas
from sqlobs_collector.receiver.gate import ByteGate
from sqlobs_collector.receiver.grpc import GrpcReceiver
from sqlobs_collector.receiver.http import HttpReceiver
from sqlobs_collector.receiver.intake import Intake
from sqlobs_collector.store.intake import IntakeReader
from sqlobs_collector.webserver import WebServer

if TYPE_CHECKING:
    from typing import Literal

    from starlette.types import ASGIApp

    from sqlobs_collector.addresses import Address
    from sqlobs_collector.journal.writer import JournalWriter
    from sqlobs_collector.receiver.credentials import Credentials
    from sqlobs_collector.receiver.intake import MetricsConsumer
    from sqlobs_collector.relay import Relay
    from sqlobs_collector.stages.running import Running

GRACE_S: Final = 5
"""Grace period in seconds for running requests when the service stops."""


async def start_relay(running: Running) -> Relay | None:
    """Start what forwards other records, if there is a backend."""
    relay = relay_of(running.config, running.flow)
    if relay is not None:
        await relay.start()
        running.exits.push_async_callback(relay.stop)
    return relay


async def listen_for_otlp(
    running: Running,
    journal: JournalWriter,
    *,
    relay: Relay | None,
    credentials: Credentials,
    sdk_metrics: MetricsConsumer,
) -> tuple[Address, Address]:
    """Accept records over HTTP and gRPC; return both addresses.

    Raises:
        ConfigError: An address cannot be used.
    """
    config = running.config
    quotas = IntakeQuotas(
        config.quotas,
        running.store,
        IntakeReader(running.engine),
        clock_ns=running.clock_ns,
    )
    running.start(quotas)
    intake = Intake(
        credentials=credentials,
        limits=intake_limits(config),
        masker=masker_of(config),
        journal=journal,
        relay=relay,
        metrics=sdk_metrics,
        flow=running.flow,
        quotas=quotas,
    )
    running.exits.callback(intake.close)
    gate = ByteGate(config.receive.queue_bytes)
    running.flow.watch(metrics.UNACKNOWLEDGED_BYTES, read=lambda: gate.bytes_in_flight)
    max_bytes, timeout_s = config.receive.max_body_bytes, config.receive.body_timeout_s
    grpc = GrpcReceiver(intake, gate=gate, max_body_bytes=max_bytes, body_timeout_s=timeout_s)
    grpc_address = await grpc.start(
        config.listen.grpc, setting="listen.grpc", certificate=config.tls.of("grpc")
    )
    running.exits.push_async_callback(grpc.stop, grace_s=GRACE_S)
    http = HttpReceiver(intake, gate=gate, max_body_bytes=max_bytes, body_timeout_s=timeout_s)
    return await serve(running, http, "http", grace_s=GRACE_S), grpc_address


async def serve(
    running: Running, application: ASGIApp, listener: Literal["http", "admin"], *, grace_s: int
) -> Address:
    """Serve an application on one of the configured addresses; return the one in use.

    Raises:
        ConfigError: The address cannot be used.
    """
    names = host_names(running.config)
    guarded = application if names is None else HostGuard(application, names)
    certificate = running.config.tls.of(listener)
    server = WebServer(guarded, grace_s=grace_s, certificate=certificate)
    address: Address = getattr(running.config.listen, listener)
    bound = await server.start(address, setting=f"listen.{listener}")
    running.exits.push_async_callback(server.stop)
    return bound
