"""The names that requests may call the collector by: a browser's page must not reach it.

A page of evil.example whose name suddenly leads to 127.0.0.1 (DNS rebinding) may send requests
here and read the answers; they carry `Host: evil.example`. An address was looked up nowhere, and a
name without a dot (`collector`) is in nobody's gift but this network's.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

_MISDIRECTED: Final = 421
_MOST_SHOWN: Final = 100


class HostGuard:
    """Answers 421 to a request whose `Host` is a domain name that is unknown."""

    def __init__(self, application: ASGIApp, names: Iterable[str]) -> None:
        """Set up.

        Args:
            application: What answers the other requests.
            names: Known domain names, without a port.
        """
        self._application = application
        self._names = frozenset(name.lower().rstrip(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        strange = self._strange(scope) if scope["type"] == "http" else None
        if strange is None:
            await self._application(scope, receive, send)
            return
        message = (
            f"unknown host name {strange[:_MOST_SHOWN]!r}: use localhost or the collector's IP"
            " address, or add the name to auth.hosts"
        )
        answer = JSONResponse({"error": message}, status_code=_MISDIRECTED)
        await answer(scope, receive, send)

    def _strange(self, scope: Scope) -> str | None:
        """Return the name that a request calls us by, if we are not called that."""
        for name, value in scope["headers"]:
            if name == b"host":
                host = _host(value.decode("latin-1"))
                if "." in host and host not in self._names and not _is_address(host):
                    return host
        return None


def _host(header: str) -> str:
    """Return the host of `name:4319` or `[::1]:4319`."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].rstrip(".")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
