"""Protects against DNS rebinding: requests must use a known host name for the collector.

A page of evil.example whose name resolves to 127.0.0.1 can send requests here and read the
responses; these have `Host: evil.example`. IP addresses need no DNS lookup, and names without a dot
(`collector`) are resolved only within this network.
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
    """Returns status 421 for a request whose `Host` is an unknown domain name."""

    def __init__(self, application: ASGIApp, names: Iterable[str]) -> None:
        """Set up.

        Args:
            application: The application for all other requests.
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
        """Return the host name of a request if it is not one of the collector's."""
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
