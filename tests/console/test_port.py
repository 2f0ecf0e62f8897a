"""The admin port answers health at once, and makes the console when somebody asks for it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from types import SimpleNamespace

import httpx
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

from sqlobs_collector.admin.health import health_application
from sqlobs_collector.admin.port import AdminPort
from sqlobs_collector.audit import AuditLog


async def _page(_request: object) -> PlainTextResponse:
    return PlainTextResponse("the console")


def _asked(tmp_path, make, *rounds: list[str]) -> list[list[tuple[int, str] | str]]:
    """Return the answers to rounds of paths, each round's asked for at the same time."""
    audit = AuditLog(tmp_path, days=1)
    port = AdminPort(health_application(SimpleNamespace(audit=audit)), make)

    async def answered(client: httpx.AsyncClient, path: str) -> tuple[int, str] | str:
        try:
            answer = await client.get(path)
        except RuntimeError as error:
            return str(error)
        return answer.status_code, answer.text

    async def asked() -> list[list[tuple[int, str] | str]]:
        transport = httpx.ASGITransport(app=port)
        async with httpx.AsyncClient(transport=transport, base_url="http://host") as client:
            return [
                await asyncio.gather(*(answered(client, path) for path in paths))
                for paths in rounds
            ]

    try:
        return asyncio.run(asked())
    finally:
        audit.close()


def test_the_console_is_made_once_and_not_for_health(tmp_path):
    """Several first requests wait for the same console."""
    made: list[Starlette] = []

    def make() -> Starlette:
        made.append(Starlette())
        made[-1].add_route("/", _page)
        return made[-1]

    health, pages = _asked(tmp_path, make, ["/healthz"], ["/", "/", "/", "/healthz"])
    assert health == [(200, "ok\n")]
    assert pages == [(200, "the console")] * 3 + [(200, "ok\n")]
    assert len(made) == 1


def test_a_console_that_could_not_be_made_is_tried_again(tmp_path):
    """The request that met the error fails alone."""
    failures = [RuntimeError("no memory")]

    def make() -> Starlette:
        if failures:
            raise failures.pop()
        application = Starlette()
        application.add_route("/", _page)
        return application

    assert _asked(tmp_path, make, ["/"], ["/"]) == [["no memory"], [(200, "the console")]]


def test_a_process_without_the_console_loads_no_web_framework():
    """Receivers and evaluators answer health and metrics with less memory."""
    program = (
        "import sys\n"
        "import sqlobs_collector.service\n"
        "print(sorted({'fastapi', 'jinja2', 'markdown_it'} & set(sys.modules)))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert completed.stdout == "[]\n"
