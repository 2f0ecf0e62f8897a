"""An HTTP server inside a running event loop: started and stopped like any stage."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sqlobs_collector.addresses import Address, bind

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterator

    from starlette.types import ASGIApp
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Base
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from sqlobs_collector.certificates import Certificate
else:
    _Base = AutoHTTPProtocol

_BACKLOG: Final = 2048
_HEAD_S: Final = 10.0
"""How long the head of a request may take to arrive, at least; twice that at most."""
_HEAD_BYTES: Final = 64 * 1024


class _Server(uvicorn.Server):
    """A server that leaves the signals to the service around it, and says when it listens."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self._tls = tls

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        self.config.ssl = self._tls  # uvicorn would make one that reads no file again
        await super().startup(sockets)
        self.listening.set()


class _Protocol(_Base):
    """A connection that is closed where a request's head is late or large.

    uvicorn bounds neither: a connection that sends a header a minute stays open forever, and the
    headers of one request may fill the memory. Bodies are the application's to bound.
    """

    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request's head."""
        super().connection_made(transport)
        self._expect(None)

    def data_received(self, data: bytes) -> None:
        """Take what has come; a head that is still not whole counts."""
        before = self.cycle
        super().data_received(data)
        is_head = self.cycle is before and self._is_between_requests
        self._head_bytes = self._head_bytes + len(data) if is_head else 0
        if self._head_bytes > _HEAD_BYTES:
            self.transport.close()

    def _expect(self, last: object) -> None:
        """Look again after a while whether a request has come since the last one."""
        self.loop.call_later(_HEAD_S, self._look, last)

    def _look(self, last: object) -> None:
        if self.transport.is_closing():
            return
        if self._is_between_requests and self.cycle is last:
            self.transport.close()
        else:
            self._expect(self.cycle if self._is_between_requests else None)

    @property
    def _is_between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # of the request whose head was the last
        return cycle is None or cycle.response_complete


class WebServer:
    """Serves one ASGI application on one address."""

    def __init__(
        self, application: ASGIApp, *, grace_s: int, certificate: Certificate | None = None
    ) -> None:
        self._server = _Server(
            uvicorn.Config(
                application,
                http=_Protocol,
                ws="none",  # a request to upgrade is answered as any other
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                # A proxy on this machine says whom it speaks for; nobody else is believed,
                # whatever FORWARDED_ALLOW_IPS allows.
                forwarded_allow_ips=["127.0.0.1", "::1"],
                backlog=_BACKLOG,
                timeout_graceful_shutdown=grace_s,
            ),
            None if certificate is None else certificate.context,
        )
        self._task: asyncio.Task[None] | None = None

    async def start(self, address: Address, *, setting: str) -> Address:
        """Listen; returns the address with the port that was bound.

        Raises:
            ConfigError: The address is in use or does not belong to this machine.
        """
        listener = bind(address, setting=setting)
        port: int = listener.getsockname()[1]
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        await self._server.listening.wait()
        return Address(address.host, port)

    async def stop(self) -> None:
        """Take no new requests, answer those in progress; idempotent."""
        task, self._task = self._task, None
        if task is not None:
            self._server.should_exit = True
            await task
