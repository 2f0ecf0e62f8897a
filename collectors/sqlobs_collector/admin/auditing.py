"""Notes who asked the admin port for stored data, or changed something, in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sqlobs_collector.admin.access import Client
    from sqlobs_collector.audit import AuditLog

_NOTHING_STORED: Final = ("/healthz", "/readyz", "/metrics", "/static/", "/docs", "/openapi.json")
"""What shows no request: health, sums, and the console's own files."""


class Auditing:
    """Notes each request with its token and its status, whatever came of it."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"].startswith(_NOTHING_STORED):
            await self._application(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        status: int | None = None

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._application(scope, receive, noticed)
        finally:
            _note(scope, state.get("client"), status)


def _note(scope: Scope, client: Client | None, status: int | None) -> None:
    log: AuditLog = scope["app"].state.sources.audit
    host, _ = scope.get("client") or (None, None)
    log.record(
        f"{scope['method']} {scope['path']}",
        by=None if client is None else client.grant.name,
        workspace=None if client is None else client.workspace,
        status=status,
        address=host,
    )
