"""Login with an identity provider: a real flow, and what attackers try."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import yaml
from joserfc.jwk import OctKey, RSAKey

from sqlobs_collector.cli import main
from tests.collector.conftest import launching
from tests.collector.running import wait_until
from tests.console.browser import Browser
from tests.console.provider import CLIENT_ID, providing
from tests.servers import free_port

TOKENS = {name: {"ingest": [f"{name}-in"]} for name in ("sales", "stock")}
GRANTS = {"analysts": {"sales": ["read", "label"]}, "owners": {"stock": ["read", "admin"]}}


def settings(provider, **changes):
    return {
        "auth__tokens": TOKENS,
        "oidc": {
            "issuer": provider,
            "client_id": CLIENT_ID,
            "client_secret": "hush",
            "console_url": "http://127.0.0.1:4319",
            "grants": GRANTS,
            **changes,
        },
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A provider, and a collector that trusts it."""
    with providing() as provider, launching(tmp_path_factory.mktemp("oidc")) as launch:
        yield provider, launch(**settings(provider.issuer))


@pytest.fixture
def provider(served):
    made, _ = served
    made.behave()
    return made


@pytest.fixture
def browser(served):
    _, collector = served
    return Browser(collector.admin)


@contextmanager
def another_provider(**claims):
    """Run `oidc-provider-mock` with one user; return its issuer."""
    issuer = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--user-claims", json.dumps(claims)], stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_until(lambda: responds(issuer), within_s=60)
            yield issuer
        finally:
            process.terminate()


def responds(address):
    try:
        return httpx.get(address).is_success
    except httpx.TransportError:
        return False


def departed(browser, path="/login/oidc"):
    """The parameters that the browser takes to the provider."""
    answer = browser.get(path)
    assert answer.status_code == 303, answer.text
    return {
        name: one for name, [one] in parse_qs(urlsplit(answer.headers["location"]).query).items()
    }


def arrived(browser, state, **more):
    return browser.client.get("/login/oidc/callback", params={"code": "c", "state": state, **more})


def logged_in(browser, provider, **claims):
    """The answer to a browser that comes back with an ID token of these claims."""
    sent = departed(browser)
    provider.says(**{"nonce": sent["nonce"], **claims})
    return arrived(browser, sent["state"])


def refused(answer, sentence):
    assert answer.status_code == 401
    assert sentence in answer.text
    return True


def test_a_person_logs_in_at_a_provider_and_sees_what_the_groups_may(launch):
    """The whole flow with another's provider: its form, its token, its groups."""
    groups = ["analysts", "owners", "other"]
    with another_provider(sub="7", email="ada@example.com", groups=groups) as issuer:
        collector = launch(**settings(issuer))
        browser = Browser(collector.admin)
        form = browser.get("/login?next=/requests").text
        assert 'href="/login/oidc?next=/requests"' in form
        away = browser.get("/login/oidc?next=/requests").headers["location"]
        asked = parse_qs(urlsplit(away).query)
        assert asked["redirect_uri"] == ["http://127.0.0.1:4319/login/oidc/callback"]
        back = httpx.post(away, data={"sub": "7"}).headers["location"]
        answer = browser.get("/login/oidc/callback?" + urlsplit(back).query)
    assert (answer.status_code, 'content="0;url=/requests"' in answer.text) == (200, True)
    assert "<option selected>sales</option>" in browser.get("/requests").text
    assert browser.get("/v1/units").json() == {"units": [], "next": None}
    assert browser.get("/settings").status_code == 403
    browser.post("/workspace", workspace="stock")
    assert browser.get("/settings").status_code == 200
    log = (collector.config.data_dir / "audit.jsonl").read_text()
    assert '"by":"ada@example.com"' in log.replace(" ", "")


def test_the_code_is_exchanged_with_the_secret_and_the_verifier(browser, provider):
    """PKCE: the provider can tell that whoever brings the code asked for it."""
    sent = departed(browser)
    provider.says(nonce=sent["nonce"])
    assert arrived(browser, sent["state"]).status_code == 200
    [form] = provider.asked
    assert (sent["code_challenge_method"], len(form["code_verifier"]) >= 43) == ("S256", True)
    assert form["redirect_uri"] == sent["redirect_uri"]


def test_a_session_of_several_workspaces_has_the_rights_of_the_one_it_shows(browser, provider):
    """Also by a login code that it makes: it gets nobody the rights of another workspace."""
    logged_in(browser, provider, groups=["analysts", "owners"])
    browser.post("/workspace", workspace="stock")
    made = browser.client.post("/v1/login-codes", headers={"X-CSRF-Token": browser.csrf()})
    second = Browser(str(browser.client.base_url))
    second.get(f"/login?code={made.json()['code']}")
    second.post("/workspace", workspace="sales")
    assert second.get("/settings").status_code == 200
    browser.post("/workspace", workspace="sales")
    assert browser.get("/settings").status_code == 403


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"nonce": "of another login"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"aud": "another-client"}, "aud"),
        ({"aud": ["another-client", "third"]}, "aud"),
        ({"iss": "https://evil.example"}, "iss"),
        ({"exp": 1_700_000_000}, "expired"),
        ({"groups": ["strangers"]}, "ada@example.com has no rights here"),
        ({"groups": 5, "email": "", "sub": "9"}, "9 has no rights here"),
    ],
)
def test_an_id_token_that_is_not_for_this_login_opens_no_session(
    browser, provider, claims, sentence
):
    assert refused(logged_in(browser, provider, **claims), sentence)
    assert browser.get("/v1/units").status_code == 401


@pytest.mark.parametrize(
    ("algorithm", "key"),
    [
        ("RS256", RSAKey.generate_key(2048, parameters={"kid": "one"})),
        ("HS256", OctKey.import_key("hush-hush-hush-hush-hush-hush-32", {"kid": "one"})),
    ],
)
def test_an_id_token_that_the_provider_did_not_sign_opens_no_session(
    browser, provider, algorithm, key
):
    provider.algorithm, provider.key = algorithm, key
    assert refused(logged_in(browser, provider), "answer is not valid")


def test_an_id_token_without_signature_opens_no_session(browser, provider):
    """Although the provider says that it can leave out the signature."""
    sent = departed(browser)
    provider.says(nonce=sent["nonce"])
    provider.unsigned = True
    assert refused(arrived(browser, sent["state"]), "answer is not valid")


def test_a_state_is_for_one_browser_and_one_arrival(browser, provider):
    """Login CSRF: an attacker's code in a victim's browser, and the same arrival once more."""
    sent = departed(browser)
    provider.says(nonce=sent["nonce"])
    victim = Browser(str(browser.client.base_url))
    assert refused(arrived(victim, sent["state"]), "was begun elsewhere")
    departed(victim)
    assert refused(arrived(victim, sent["state"]), "state")
    assert arrived(browser, sent["state"]).status_code == 200
    assert refused(arrived(browser, sent["state"]), "was begun elsewhere")


def test_a_refusal_of_the_provider_is_shown_as_text(browser, provider):
    sent = departed(browser)
    answer = arrived(browser, sent["state"], error="access_denied", error_description="<b>No</b>")
    assert refused(answer, "access_denied")
    assert "<b>No</b>" not in answer.text


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_login_leads_to_no_other_host(browser, provider, target):
    """Neither by `next` nor by the `Host` that the redirect URI could be made of."""
    browser.client.headers["X-Forwarded-Host"] = "evil.example"
    sent = departed(browser, f"/login/oidc?next={target}")
    assert sent["redirect_uri"] == "http://127.0.0.1:4319/login/oidc/callback"
    provider.says(nonce=sent["nonce"])
    assert re.findall(r'url=([^"]*)"', arrived(browser, sent["state"]).text) == ["/"]


def test_a_provider_that_calls_itself_another_is_not_asked(launch, provider):
    provider.calls_itself = "https://evil.example"
    answer = Browser(launch(**settings(provider.issuer)).admin).get("/login/oidc")
    assert answer.status_code == 502
    assert "calls itself https://evil.example" in answer.text


def test_a_provider_that_is_down_leaves_the_token(launch):
    """One sentence on the form; the collector starts without it, and finds it when it is back."""
    collector = launch(**settings("http://127.0.0.1:9"))
    browser = Browser(collector.admin)
    answer = browser.get("/login/oidc")
    assert (answer.status_code, "does not respond" in answer.text) == (502, True)
    assert browser.login(collector.token).status_code == 303


def test_without_a_provider_the_form_shows_none(collector):
    browser = Browser(collector.admin)
    assert "/login/oidc" not in browser.get("/login").text
    assert browser.get("/login/oidc").status_code == 404


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"client_id": ""}, "set client_id, console_url and grants, too"),
        ({"issuer": "http://login.example.com"}, "only https is allowed"),
        ({"scopes": ["email"]}, "add openid"),
        ({"grants": {"a": {"sales": ["ingest"]}}}, "people cannot ingest"),
        ({"grants": {"a": {"salse": ["read"]}}}, "names the workspace salse"),
        ({"grants": {"a": {"sales": ["write"]}}}, "oidc.grants"),
    ],
)
def test_what_cannot_work_is_one_sentence_at_the_start(tmp_path, capsys, changes, sentence):
    given = settings("https://login.example.com", **changes)
    path = tmp_path / "collector.yaml"
    path.write_text(yaml.safe_dump({"auth": {"tokens": TOKENS}, "oidc": given["oidc"]}))
    assert main(["validate", "--config", str(path)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
