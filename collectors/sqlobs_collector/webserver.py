"""An HTTP server of ours inside a running event loop: started and stopped like any stage."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

from sqlobs_collector.addresses import Address, bind

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from starlette.types import ASGIApp

_BACKLOG: Final = 2048


class _Server(uvicorn.Server):
    """A server that leaves the signals to the service around it, and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        self.listening.set()


class WebServer:
    """Serves one ASGI application on one address."""

    def __init__(self, application: ASGIApp, *, grace_s: int) -> None:
        self._server = _Server(
            uvicorn.Config(
                application,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                # A proxy on this machine says whom it speaks for; nobody else is believed,
                # whatever FORWARDED_ALLOW_IPS allows.
                forwarded_allow_ips=["127.0.0.1", "::1"],
                backlog=_BACKLOG,
                timeout_graceful_shutdown=grace_s,
            )
        )
        self._task: asyncio.Task[None] | None = None

    async def start(self, address: Address, *, setting: str) -> Address:
        """Listen; returns the address with the port that was bound.

        Raises:
            ConfigError: The address is busy or not of this machine.
        """
        listener = bind(address, setting=setting)
        port: int = listener.getsockname()[1]
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        await self._server.listening.wait()
        return Address(address.host, port)

    async def stop(self) -> None:
        """Take no new requests, answer those under way; idempotent."""
        task, self._task = self._task, None
        if task is not None:
            self._server.should_exit = True
            await task
