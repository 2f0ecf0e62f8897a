"""Every page and endpoint, by right and workspace."""

from __future__ import annotations

import re
from itertools import product
from typing import get_args

import httpx
import pytest

from sqlobs_collector.settings.receiving import Right
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit, why
from tests.console.browser import Browser
from tests.console.routes import ANYONE, CSRF_ALONE, OPEN, RIGHTS, routes

WORKSPACES = ("alpha", "beta")
TOKENS = {
    workspace: {right: [f"{workspace}-{right}"] for right in get_args(Right)}
    for workspace in WORKSPACES
}
TRACE = records.trace_id(1).hex()


def path_of(path: str) -> str:
    """An address of the route; nothing has this id."""
    return re.sub(r"\{[^}]*\}", "0" * 32, path)


@pytest.fixture(scope="module")
def web():
    """A client without cookies; each of httpx's own functions would read all certificates."""
    with httpx.Client(timeout=30) as client:
        yield client


@pytest.fixture
def guarded(launch):
    return launch(auth__tokens=TOKENS)


def test_every_route_is_listed_with_its_right():
    """A new one is asked without a token, too."""
    assert routes() == OPEN | CSRF_ALONE | ANYONE | set(RIGHTS)


@pytest.mark.parametrize(("tokens"), [{}, TOKENS], ids=["no tokens", "tokens"])
def test_nothing_stored_is_shown_without_a_token_or_session(launch, web, tokens):
    """Being on this machine is no right. Pages lead to the login, which leads back."""
    collector = launch(auth__tokens=tokens)
    for method, path in sorted(ANYONE | set(RIGHTS)):
        for headers in ({}, {"Cookie": "sqlobs_session=x"}, {"Authorization": "Bearer wrong"}):
            answer = web.request(method, collector.admin + path_of(path), headers=headers)
            if method == "GET" and not path.startswith("/v1/"):
                assert answer.status_code == 303
                assert answer.headers["location"].startswith("/login?next=%2F")
            else:
                assert answer.status_code == 401, (method, path)
                assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_and_its_session_have_the_rights_that_it_is_listed_under(guarded, web):
    """Each route with each right; 403 says which right is missing."""
    for right in get_args(Right):
        browser = Browser(guarded.admin)
        browser.login(f"alpha-{right}")
        for (method, path), needed in RIGHTS.items():
            bearer = {"Authorization": f"Bearer alpha-{right}"}
            answer = web.request(method, guarded.admin + path_of(path), headers=bearer)
            assert (answer.status_code == 403) is (right != needed), (right, method, path)
            assert (f"not to {needed}" in answer.text) is (right != needed)
            if right not in {"ingest", "feedback"}:
                told = browser.client.request(method, path_of(path), headers={"X-CSRF-Token": "-"})
                is_write = method != "GET"
                assert (told.status_code == 403) is (right != needed or is_write)


def test_a_token_sees_its_workspace_alone(guarded, web):
    """The same trace is in both; each reader finds its own, the operator must choose."""
    for number, workspace in enumerate(WORKSPACES):
        body = records.logs(unit(1, sqlobs__workflow=f"flow{number}"))
        send(guarded, body, Authorization=f"Bearer {workspace}-ingest")
        out = {"Authorization": f"Bearer {workspace}-read"}
        wait_until(lambda out=out: why(guarded, TRACE, **out))
    for (workspace, number), (_, path) in product(
        zip(WORKSPACES, range(2), strict=True), sorted(RIGHTS)
    ):
        if RIGHTS.get(("GET", path)) != "read":
            continue
        bearer = {"Authorization": f"Bearer {workspace}-read"}
        shown = web.get(guarded.admin + path_of(path), headers=bearer)
        assert f"flow{1 - number}" not in shown.text
    assert web.get(f"{guarded.admin}/v1/units", headers=guarded.bearer).status_code == 400
