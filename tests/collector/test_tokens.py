"""Tokens of the store: created, listed and revoked while the collector runs."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

import httpx
import pytest
import yaml

from sqlobs_collector import service
from sqlobs_collector.cli import main
from sqlobs_collector.receiver.credentials import Credentials
from sqlobs_collector.store.tokens import TokenReader, TokenRow
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import unit
from tests.console.browser import Browser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.collector.running import RunningCollector

store_kind = on_both()
DAY_NS = 24 * 3600 * 10**9


@pytest.fixture
def commands(tmp_path: Path, store_kind, capsys: pytest.CaptureFixture[str]):
    """Run `sqlobs-collector token …` on the store of the test; return exit code and outputs."""
    settings = {"data_dir": str(tmp_path / "data"), "auth": {"workspaces": ["sales", "support"]}}
    if store_kind.url is not None:
        settings["store"] = {"url": store_kind.url}
    (tmp_path / "collector.yaml").write_text(yaml.safe_dump(settings))

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["token", *words, "--config", str(tmp_path / "collector.yaml")])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def collector(launch: Callable[..., RunningCollector], monkeypatch: pytest.MonkeyPatch):
    """A collector that reads its tokens all the time."""
    monkeypatch.setattr(service, "TOKENS_S", 0.05)
    return launch(auth__workspaces=["sales", "support"])


def asked(collector: RunningCollector, path: str, token: str) -> int:
    return httpx.get(
        collector.admin + path, headers={"Authorization": f"Bearer {token}"}
    ).status_code


def sent(collector: RunningCollector, token: str) -> int:
    return httpx.post(
        f"{collector.http}/v1/logs",
        content=records.logs(unit(1)).SerializeToString(),
        headers={"content-type": "application/x-protobuf", "Authorization": f"Bearer {token}"},
    ).status_code


def test_a_token_has_its_rights_until_it_is_revoked(collector, commands):
    """Sending, or reading one workspace; a browser that logged in with it is logged out."""
    assert sent(collector, "nobody") == 401, "with auth.workspaces nobody is let in without a token"
    code, sender, said = commands("create", "--workspace", "sales", "--right", "ingest")
    assert code == 0
    assert "of sales (ingest), valid until 20" in said
    reader = commands("create", "--workspace", "sales", "--right", "read", "--purpose", "ada")[1]
    sender, reader = sender.strip(), reader.strip()
    wait_until(lambda: asked(collector, "/v1/requests", reader) == 200)
    assert sent(collector, sender) == 200
    assert (sent(collector, reader), asked(collector, "/v1/requests", sender)) == (403, 403)
    rows = json.loads(commands("list", "--json")[1])
    assert [(row["rights"], row["purpose"], row["state"]) for row in rows] == [
        (["ingest"], "", "valid"),
        (["read"], "ada", "valid"),
    ]
    assert reader not in commands("list")[1]
    browser = Browser(collector.admin)
    assert browser.login(reader).status_code == 303
    assert browser.get("/requests").status_code == 200
    assert commands("revoke", rows[1]["id"]) == (0, "", f"token {rows[1]['id']} is revoked\n")
    wait_until(lambda: asked(collector, "/v1/requests", reader) == 401)
    assert browser.get("/requests").headers["location"].startswith("/login")
    assert sent(collector, sender) == 200
    assert [row["state"] for row in json.loads(commands("list", "--json")[1])] == [
        *("valid", "revoked"),
    ]


def test_mistakes_are_one_sentence(collector, commands):
    """And create nothing."""
    for words, sentence in (
        (
            ("create", "--right", "read"),
            "set --workspace to one of auth.workspaces (sales, support)",
        ),
        (("create", "--right", "read", "--workspace", "x"), "set --workspace to one of auth.work"),
        (("create", "--right", "root"), "unknown value of --right: root"),
        (("create", "--workspace", "sales"), "--right"),
        (
            ("create", "--right", "read", "--days", "0"),
            "'0' is not a number of days from 1 to 3650",
        ),
        (("revoke", "1f3a9c02"), "no token 1f3a9c02 in the store"),
    ):
        code, out, error = commands(*words)
        assert (code, out, error.count("\n")) == (2, "", 1), error
        assert sentence in error
    assert commands("list") == (0, "", "no tokens in the store\n")


def test_tokens_expire_and_those_that_are_known_outlive_the_store():
    """A revoked token, and one of a workspace that is no longer configured, are unknown at once."""
    now_ns = time.time_ns()

    def row(name: str, *, workspace: str = "sales", left_ns: int = DAY_NS, revoked: bool = False):
        digest = hashlib.sha256(name.encode()).digest()
        return TokenRow(
            *(name, workspace, frozenset({"read"}), digest, ""),
            *(now_ns, now_ns + left_ns, now_ns if revoked else None),
        )

    credentials = Credentials({}, workspaces=["sales"])
    assert not credentials.is_open
    credentials.learn(
        [row("a"), row("old", left_ns=-1), row("b", workspace="x"), row("c", revoked=True)]
    )
    grant = credentials.granted("Bearer a")
    assert (grant.workspaces, grant.rights, grant.name) == (("sales",), {"read"}, "token a")
    for token, message in (("old", "has expired"), ("b", "unknown token"), ("c", "unknown token")):
        with pytest.raises(Exception, match=message):
            credentials.granted(f"Bearer {token}")
    assert credentials.is_valid(grant)
    credentials.learn([])
    assert not credentials.is_valid(grant)


def test_only_digests_are_stored(collector, commands, store_kind, tmp_path: Path):
    """Whoever reads the store cannot use a token."""
    token = commands("create", "--workspace", "sales", "--right", "read")[1].strip()
    engine = store_kind.open(tmp_path / "data")
    [row] = TokenReader(engine).all()
    engine.dispose()
    assert row.digest == hashlib.sha256(token.encode()).digest()
    assert token not in repr(row)
