"""The settings page, its endpoint and `sqlobs settings`: values, origins, tokens, probes."""

from __future__ import annotations

import json
import socket
import time

import pytest

from sqlobs.cli import main
from sqlobs_collector.admin.problems import BusyError
from sqlobs_collector.config import load_with_origins
from sqlobs_collector.probing import Prober
from tests.collector.running import wait_until
from tests.collector.test_golden import Client
from tests.console.browser import Browser

SECRET = "nobody-may-see-this"  # noqa: S105 - of a test
TOKENS = {
    "alpha": {
        "ingest": [SECRET],
        "read": ["env:ALPHA_READ"],
        "admin": ["env:ALPHA_READ", f"sha256:{'ab' * 32}"],
    },
    "beta": {"read": ["beta-read"], "admin": ["beta-admin"]},
}


@pytest.fixture
def serving(launch, shop, monkeypatch):
    """A collector of two workspaces, each with a target."""
    monkeypatch.setenv("ALPHA_READ", "alpha-admin")
    return launch(
        auth__tokens=TOKENS,
        targets={
            "shop": {"url": f"sqlite:///{shop}", "workspaces": ["alpha"]},
            "far": {"url": "postgresql://reader:hidden@10.0.0.1/far", "workspaces": ["beta"]},
        },
    )


def of(found: dict, key: str) -> tuple[object, str]:
    [one] = [one for one in found["settings"] if one["key"] == key]
    return one["value"], one["origin"]


def test_each_setting_says_where_it_comes_from(tmp_path, monkeypatch):
    """Flag over environment over file over default; a table given as a whole has one origin."""
    monkeypatch.setenv("SQLOBS_DIGEST_KEY", "key")
    path = tmp_path / "collector.yaml"
    path.write_text("journal: {max_bytes: 1MiB, grace_s: 1}\nreceive: {queue_bytes: 5}\n")
    _, origins = load_with_origins(
        path,
        environ={
            "SQLOBS_COLLECTOR__JOURNAL__MAX_BYTES": "2MiB",
            "SQLOBS_COLLECTOR__CONSOLE": "{links: {Jaeger: 'http://jaeger/{trace_id}'}}",
            "SQLOBS_DIGEST_KEY": "key",
        },
        flags={"receive.queue_bytes": 7},
    )
    assert {
        ".".join(key): origins.of(key)
        for key in (
            ("journal", "grace_s"),
            ("journal", "max_bytes"),
            ("console", "links", "Jaeger"),
            ("golden", "digest_key"),
            ("receive", "queue_bytes"),
            ("receive", "max_body_bytes"),
        )
    } == {
        "journal.grace_s": f"file {path}",
        "journal.max_bytes": "environment SQLOBS_COLLECTOR__JOURNAL__MAX_BYTES",
        "console.links.Jaeger": "environment SQLOBS_COLLECTOR__CONSOLE",
        "golden.digest_key": "environment SQLOBS_DIGEST_KEY",
        "receive.queue_bytes": "flag",
        "receive.max_body_bytes": "default",
    }


def test_an_admin_sees_the_targets_and_tokens_of_their_workspace(serving):
    """Without values; a token that has several rights is one."""
    found = Client(serving, "alpha-admin").get("/v1/settings")
    assert of(found, "retention.unit_s")[1] == "default"
    assert of(found, "targets.shop.workspaces") == (["alpha"], "flag")
    assert [one["key"] for one in found["settings"] if "far" in one["key"]] == []
    assert found["tokens"] == [
        {
            "name": "auth.tokens.alpha.ingest[0]",
            "reference": "***",
            "workspace": "alpha",
            "rights": ["ingest"],
        },
        {
            "name": "auth.tokens.alpha.read[0]",
            "reference": "env:ALPHA_READ",
            "workspace": "alpha",
            "rights": ["read", "admin"],
        },
        {
            "name": "auth.tokens.alpha.admin[1]",
            "reference": "sha256:abababab…",
            "workspace": "alpha",
            "rights": ["admin"],
        },
    ]
    assert found["probes"] is None
    text = json.dumps(found)
    assert SECRET not in text
    assert "alpha-admin" not in text


def test_the_operator_sees_all_without_passwords(serving):
    """In a browser; the address of a target is a secret as a whole."""
    browser = Browser(serving.admin)
    browser.login(serving.token)
    shown = browser.get("/settings").text
    assert "targets.far.url" in shown
    assert "auth.tokens.beta.admin[0]" in shown
    assert "reader:hidden" not in shown
    assert "beta-admin" not in shown


def test_targets_are_probed_on_request(launch, shop, tmp_path, capsys):
    """The command prints what the endpoint returns; exit code 1: one cannot be used."""
    gone = {"url": f"sqlite:///{tmp_path}/none.db"}
    collector = launch(targets={"shop": {"url": f"sqlite:///{shop}"}, "gone": gone})
    assert main(["settings", "--admin", collector.admin]) == 0
    assert "targets.gone.url" in capsys.readouterr().out
    assert main(["settings", "--probe", "--admin", collector.admin]) == 1
    told = capsys.readouterr().out
    assert "targets.shop: answers" in told
    assert "targets.gone: unavailable: " in told
    assert main(["settings", "--probe", "--json", "--admin", collector.admin]) == 1
    probes = json.loads(capsys.readouterr().out)["probes"]
    assert [(one["subject"], one["is_usable"]) for one in probes] == [
        ("targets.shop", True),
        ("targets.gone", False),
    ]


def test_a_judge_that_does_not_respond_holds_up_nobody(launch):
    """The client gets an answer in time; a second one is told to come later."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base_url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        config = launch(judge__base_url=base_url, judge__model="m").config
        prober = Prober(within_s=0.2)
        started = time.monotonic()
        [found] = prober.findings(config)
        assert time.monotonic() - started < 4
        assert str(found) == "judge: does not respond within 0.2 seconds"
        with pytest.raises(BusyError, match="try again"):
            prober.findings(config)
    wait_until(lambda: can_probe(prober, config))


def can_probe(prober: Prober, config) -> bool:
    try:
        return bool(prober.findings(config))
    except BusyError:
        return False
