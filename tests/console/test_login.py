"""Login, sessions and what protects them."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from sqlobs_collector.admin.protection import MOST_BYTES, Protection
from sqlobs_collector.admin.sessions import CODE_S, SESSION_S, Sessions
from sqlobs_collector.console.layout import link
from sqlobs_collector.receiver.credentials import Grant
from tests.console.browser import Browser
from tests.console.routes import OPEN

TOKENS = {
    "alpha": {"read": ["alpha-read"], "ingest": ["alpha-in"]},
    "beta": {"read": ["beta-read"]},
}
GRANT = Grant(("alpha",), frozenset({"read"}))


def code_of(collector, **headers: str) -> str:
    answer = httpx.post(f"{collector.admin}/v1/login-codes", headers=headers or collector.bearer)
    assert answer.json()["expires_s"] == 60
    return answer.json()["code"]


def test_a_token_becomes_a_session_that_logout_ends(launch):
    """The page that one wanted to see comes after the login."""
    collector = launch(auth__tokens=TOKENS)
    browser = Browser(collector.admin)
    asked = browser.get("/?since=1h")
    assert asked.headers["location"] == "/login?next=%2F%3Fsince%3D1h"
    form = browser.get(asked.headers["location"])
    assert 'name="next" value="/?since=1h"' in form.text
    wrong = browser.login("nonsense")
    assert (wrong.status_code, "Unknown token" in wrong.text) == (401, True)
    useless = browser.login("alpha-in")
    assert (useless.status_code, "can only send" in useless.text) == (403, True)
    done = browser.login("alpha-read", next="/?since=1h")
    assert (done.status_code, done.headers["location"]) == (303, "/?since=1h")
    assert browser.get("/").status_code == 200
    assert browser.get("/v1/units").json() == {"units": [], "next": None}
    kept = browser.cookies
    assert browser.post("/logout").headers["location"] == "/login"
    assert browser.cookies == {}
    assert httpx.get(f"{collector.admin}/v1/units", cookies=kept).status_code == 401


def test_a_cookie_is_for_this_host_and_no_script(collector):
    """`Secure` and the prefix `__Host-` come with HTTPS, also behind a proxy on this machine."""
    port = collector.addresses.admin.port
    plain = httpx.get(f"{collector.admin}/login").headers["set-cookie"]
    name, *attributes = plain.split("; ")
    assert name.startswith(f"sqlobs_session_{port}=")
    assert {one.lower() for one in attributes} == {"httponly", "path=/", "samesite=strict"}
    proxied = httpx.get(f"{collector.admin}/login", headers={"X-Forwarded-Proto": "https"})
    name, *attributes = proxied.headers["set-cookie"].split("; ")
    assert name.startswith(f"__Host-sqlobs_session_{port}=")
    assert "secure" in {one.lower() for one in attributes}


def test_a_login_begins_a_session_that_nobody_knew_before(collector):
    """Session fixation: a cookie that was put into the browser is worth nothing after the login."""
    browser = Browser(collector.admin)
    browser.get("/login")
    [(name, planted)] = browser.cookies.items()
    browser.login(collector.token)
    first = browser.cookies[name]
    assert first != planted
    assert httpx.get(f"{collector.admin}/v1/units", cookies={name: planted}).status_code == 401
    browser.get(f"/login?code={code_of(collector)}")
    assert browser.cookies[name] != first
    assert httpx.get(f"{collector.admin}/v1/units", cookies={name: first}).status_code == 401
    assert browser.get("/v1/units").status_code == 200


def test_a_code_logs_in_once(collector):
    """`sqlobs console` opens it; a code found later in a browser history no longer works."""
    code = code_of(collector)
    browser = Browser(collector.admin)
    assert browser.get(f"/login?code={code}").headers["location"] == "/"
    assert browser.get("/").status_code == 200
    again = Browser(collector.admin).get(f"/login?code={code}")
    assert (again.status_code, "already used" in again.text) == (401, True)
    assert Browser(collector.admin).get("/login?code=").status_code == 401


def test_a_code_gives_no_right_that_its_token_has_not(launch):
    """It is of the workspace of its token."""
    collector = launch(auth__tokens=TOKENS)
    code = code_of(collector, Authorization="Bearer beta-read")
    browser = Browser(collector.admin)
    browser.get(f"/login?code={code}")
    assert ">beta<" in browser.get("/").text
    assert browser.post("/workspace", workspace="alpha").status_code == 303
    assert ">beta<" in browser.get("/").text


def test_the_operator_of_several_workspaces_chooses_one(launch):
    """The first is shown until then."""
    collector = launch(auth__tokens=TOKENS)
    browser = Browser(collector.admin)
    browser.login(collector.token)
    assert "<option selected>alpha</option>" in browser.get("/").text
    browser.post("/workspace", workspace="beta")
    assert "<option selected>beta</option>" in browser.get("/").text


def test_sessions_and_codes_end():
    """After a working day, and after a minute."""
    now = [0.0]
    sessions = Sessions(clock_s=lambda: now[0])
    cookie, code = sessions.open(GRANT), sessions.make_code(GRANT)
    now[0] = CODE_S - 0.1
    assert sessions.spend_code(sessions.make_code(GRANT)) == GRANT
    now[0] = CODE_S
    assert sessions.spend_code(code) is None
    assert sessions.get(cookie) is not None
    now[0] = SESSION_S
    assert sessions.get(cookie) is None


def test_sessions_are_bounded_and_cannot_be_guessed():
    """The oldest ends; 256 random bits each."""
    sessions = Sessions()
    cookies = [sessions.open(GRANT) for _ in range(1001)]
    assert len(set(cookies)) == 1001
    assert min(map(len, cookies)) == 43
    assert sessions.get(cookies[0]) is None
    assert sessions.get(cookies[1]) is not None


@pytest.mark.parametrize("path", ["/login", "/logout", "/workspace", "/v1/login-codes"])
def test_a_page_of_another_site_cannot_send_a_form(launch, path):
    """CSRF: without the session's own token nothing is written, whatever token of others is sent."""
    collector = launch(auth__tokens=TOKENS)
    browser, other = Browser(collector.admin), Browser(collector.admin)
    browser.login("alpha-read")
    other.login("alpha-read")
    fields = {"token": "alpha-read", "workspace": "alpha"}
    for csrf in ("", "0" * 64, other.csrf(), "é"):
        assert browser.post(path, csrf=csrf, **fields).status_code == 403
    as_text = browser.client.post(
        path, content=f"csrf={browser.csrf()}", headers={"Content-Type": "text/plain"}
    )
    assert as_text.status_code in {400, 403}
    assert browser.get("/v1/units").status_code == 200


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/ok\r\nSet-Cookie: a=b",
        "evil.example",
        "",
        " /",
        "/a\\b",
    ],
)
def test_a_login_leads_to_no_other_host(collector, target):
    """Open redirects: with a token and with a code."""
    browser = Browser(collector.admin)
    assert browser.login(collector.token, next=target).headers["location"] == "/"
    again = browser.client.get("/login", params={"code": code_of(collector), "next": target})
    assert again.headers["location"] == "/"


def test_every_response_tells_browsers_what_is_forbidden(collector):
    """Pages, JSON, errors, redirects and static files."""
    style = f"{collector.admin}/static/console.css"
    browser = Browser(collector.admin)
    for url in (*(path for _, path in OPEN), "/", "/v1/units", "/nothing", style):
        headers = browser.get(url).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self'; base-uri 'none'; form-action 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == ("max-age=86400" if url == style else "no-store")
    assert browser.get("/static/../layout.py").status_code == 404
    assert browser.get("/static/..%2flayout.py").status_code == 404


def test_the_api_is_described_in_one_document(collector):
    """Pages are not part of it; nothing of another host is loaded to read it."""
    document = httpx.get(f"{collector.admin}/openapi.json").json()
    assert document["openapi"].startswith("3.")
    assert {"/v1/units", "/v1/why/{identity}", "/metrics"} <= set(document["paths"])
    assert "/login" not in document["paths"]
    assert httpx.get(f"{collector.admin}/docs").status_code == 404


def test_errors_are_json_for_programs_and_a_page_for_people(collector):
    """One sentence each, with the text of others escaped."""
    missing = httpx.get(f"{collector.admin}/v1/nothing")
    assert missing.json() == {"error": "Not Found: /v1/nothing"}
    page = httpx.get(f"{collector.admin}/<b>nothing")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "&lt;b&gt;nothing" in page.text
    asked = httpx.get(f"{collector.admin}/v1/why?limit=0", headers=collector.bearer)
    assert (asked.status_code, asked.json()["error"][:5]) == (400, "limit")


def test_a_body_is_read_up_to_a_limit():
    """Of any endpoint."""

    async def echo(request):
        return PlainTextResponse(str(len(await request.body())))

    application = Starlette(
        routes=[Route("/", echo, methods=["POST"])], middleware=[Middleware(Protection)]
    )

    async def sizes() -> list[int]:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answers = [
                await client.post("/", content=b"x" * size) for size in (MOST_BYTES, MOST_BYTES + 1)
            ]
        return [answer.status_code for answer in answers]

    assert asyncio.run(sizes()) == [200, 413]


def test_a_probe_may_ask_without_the_body(collector):
    """HEAD, as load balancers send it."""
    answer = httpx.head(f"{collector.admin}/healthz")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://jaeger.example/trace/1", True),
        ("http://127.0.0.1:16686/trace/1", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//evil.example", False),
        ("http:///nowhere", False),
        ("http://[", False),
        (None, False),
    ],
)
def test_only_addresses_of_the_web_become_links(url, shown):
    """Templates of links come from the configuration, ids in them from senders."""
    assert link(url) == (url if shown else None)
