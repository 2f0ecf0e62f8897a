"""OTLP over gRPC: a generic handler that takes the bytes as they come."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

# Set before the first import of grpc: its C core else logs a busy port in its own words, and warns
# at every process that the collector starts.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
import grpc.aio

from sqlobs_collector.addresses import Address, unavailable
from sqlobs_collector.errors import (
    ForbiddenError,
    IntakeError,
    LateBodyError,
    PermanentError,
    RetryableError,
    TooLargeError,
    UnauthenticatedError,
)
from sqlobs_collector.otlp import answers
from sqlobs_collector.otlp.signals import SIGNALS
from sqlobs_collector.receiver.intake import Upload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sqlobs_collector.certificates import Certificate
    from sqlobs_collector.otlp.signals import Signal
    from sqlobs_collector.receiver.gate import ByteGate, Passage
    from sqlobs_collector.receiver.intake import Intake

    _Context = grpc.aio.ServicerContext[bytes, bytes]

_READERS: Final = 8
"""So many messages are read at a time: gRPC tells their size only when they are there, so that they
come on top of what the gate counts."""
_TURN_S: Final = 5.0
"""How long a call waits to be read; then it is to be retried."""
_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),  # a second collector must fail, not share the port
    # What a client may send before somebody reads it, and how long its handshake may take.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.max_concurrent_streams", 100),
    ("grpc.server_handshake_timeout_ms", 10_000),
)
STATUS_TRAILER: Final = "grpc-status-details-bin"
"""Where gRPC puts details, and the standard puts the time to retry after."""
RETRY_TRAILER: Final = "google.rpc.retryinfo-bin"
"""Where the Python exporter, alone, looks for the time to retry after."""


class _Export(grpc.GenericRpcHandler):
    """Serves the `Export` methods of the three signals, without generated stubs."""

    def __init__(self, export: Callable[[Signal, _Context], Awaitable[bytes]]) -> None:
        self._export = export
        self._signals = {signal.method: signal for signal in SIGNALS}

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Return the handler of a method; `None` makes gRPC answer UNIMPLEMENTED."""
        signal = self._signals.get(handler_call_details.method)
        if signal is None:
            return None

        async def handle(_: AsyncIterator[bytes], context: _Context) -> bytes:
            return await self._export(signal, context)

        # On the wire a call is a stream of one message; only a stream's handler is called before
        # its message has arrived, and can look at the credential and the clock.
        return grpc.stream_unary_rpc_method_handler(handle)


class GrpcReceiver:
    """The server of the gRPC port."""

    def __init__(
        self, intake: Intake, *, gate: ByteGate, max_body_bytes: int, body_timeout_s: float
    ) -> None:
        self._intake = intake
        self._gate = gate
        self._max_body_bytes = max_body_bytes
        self._body_timeout_s = body_timeout_s
        self._turns = asyncio.Semaphore(_READERS)
        self._server: grpc.aio.Server | None = None

    async def start(
        self, address: Address, *, setting: str, certificate: Certificate | None = None
    ) -> Address:
        """Listen, with TLS if there is a certificate; return the address with the bound port.

        Raises:
            ConfigError: The address is in use or does not belong to this machine.
        """
        server = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", self._max_body_bytes),  # decompressed
                *_OPTIONS,
            ],
        )
        server.add_generic_rpc_handlers((_Export(self._export),))
        try:
            if certificate is None:
                port = server.add_insecure_port(str(address))
            else:
                port = server.add_secure_port(str(address), _credentials(certificate))
        except RuntimeError as error:
            raise unavailable(address, setting=setting, cause="address in use") from error
        await server.start()
        self._server = server
        return Address(address.host, port)

    async def stop(self, *, grace_s: float) -> None:
        """Reject new calls and wait for running ones; idempotent."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace_s)

    async def _export(self, signal: Signal, context: _Context) -> bytes:
        try:
            with self._gate.passage() as passage:
                upload = await self._upload(signal, context, passage)
                acceptance = await self._intake.export(signal, upload, passage)
        except IntakeError as error:
            await context.abort(_code(error), str(error), trailing_metadata=_trailers(error))
        return answers.accepted(
            signal, rejected=acceptance.rejected, message=acceptance.message, form="protobuf"
        )

    async def _upload(self, signal: Signal, context: _Context, passage: Passage) -> Upload:
        metadata = dict(context.invocation_metadata() or ())
        sent = metadata.get("authorization")
        authorization = str(sent) if sent else None
        try:
            self._intake.authenticate(authorization)  # do not wait for other bodies
            async with self._turn():
                body = await self._body(context)
                passage.take(len(body))
        except IntakeError as error:
            self._intake.refused(signal.name, error)
            raise
        return Upload(body=body, encoding="identity", form="protobuf", authorization=authorization)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Let one of a few calls be read; the others' messages stay with their clients."""
        try:
            await asyncio.wait_for(self._turns.acquire(), _TURN_S)
        except TimeoutError:
            message = "too many calls are queued; retry later"
            raise RetryableError(message, reason="overload") from None
        try:
            yield
        finally:
            self._turns.release()

    async def _body(self, context: _Context) -> bytes:
        try:
            async with asyncio.timeout(self._body_timeout_s):
                message = await context.read()
        except TimeoutError:
            raise LateBodyError(self._body_timeout_s) from None
        if not isinstance(message, bytes):
            raise PermanentError("the call ended without a message")
        return message


def _credentials(certificate: Certificate) -> grpc.ServerCredentials:
    """Return credentials that ask for the newest certificate at each handshake."""

    def configuration() -> grpc.ServerCertificateConfiguration:
        pems = certificate.pems()
        return grpc.ssl_server_certificate_configuration(
            [(pems.key, pems.chain)], root_certificates=pems.client_ca
        )

    return grpc.dynamic_ssl_server_credentials(
        configuration(), configuration, require_client_authentication=certificate.asks_clients
    )


def _code(error: IntakeError) -> grpc.StatusCode:
    if isinstance(error, RetryableError):
        return grpc.StatusCode.UNAVAILABLE
    if isinstance(error, UnauthenticatedError):
        return grpc.StatusCode.UNAUTHENTICATED
    if isinstance(error, ForbiddenError):
        return grpc.StatusCode.PERMISSION_DENIED
    if isinstance(error, TooLargeError):
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    return grpc.StatusCode.INVALID_ARGUMENT


def _trailers(error: IntakeError) -> tuple[tuple[str, bytes], ...]:
    details = (STATUS_TRAILER, answers.status_of(error).SerializeToString())
    if not isinstance(error, RetryableError):
        return (details,)
    return (details, (RETRY_TRAILER, answers.retry_info(error).SerializeToString()))
