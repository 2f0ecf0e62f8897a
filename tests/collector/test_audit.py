"""The audit log: who read stored requests, and who changed what."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import httpx
import yaml

from sqlobs_collector.audit import FILE_NAME, AuditLog
from sqlobs_collector.cli import main
from tests.collector.running import wait_until
from tests.console.browser import Browser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.collector.running import RunningCollector

TOKENS = {
    "sales": {"ingest": ["in"], "read": ["out"], "label": ["rater"]},
    "support": {"ingest": ["other-in"], "read": ["other"]},
}


def lines(data_dir: Path) -> list[dict[str, object]]:
    path = data_dir / FILE_NAME
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_each_request_for_stored_data_is_a_line(launch: Callable[..., RunningCollector]):
    """With its token and what came of it, but without what was searched for."""
    collector = launch(auth__tokens=TOKENS)
    directory = collector.config.data_dir
    for path in ("/metrics", "/healthz", "/readyz"):
        httpx.get(collector.admin + path, headers={"Authorization": "Bearer out"})
    assert lines(directory) == []
    for method, path, token in (
        ("GET", "/v1/requests?q=secret", "out"),
        ("GET", "/v1/requests", "rater"),
        ("GET", "/v1/requests", "nobody"),
        ("DELETE", "/v1/golden/1", "out"),
    ):
        headers = {"Authorization": f"Bearer {token}"}
        httpx.request(method, collector.admin + path, headers=headers)
    browser = Browser(collector.admin)
    browser.login("other")
    browser.get("/requests")
    wait_until(lambda: len(lines(directory)) >= 9)  # a line is written after its answer is sent
    found = lines(directory)
    assert [(one["by"], one["workspace"], one["action"], one["status"]) for one in found] == [
        ("auth.tokens.sales.read", "sales", "GET /v1/requests", 200),
        ("auth.tokens.sales.label", "sales", "GET /v1/requests", 403),
        (None, None, "GET /v1/requests", 401),
        ("auth.tokens.sales.read", "sales", "DELETE /v1/golden/1", 403),
        (None, None, "GET /login", 200),
        (None, None, "GET /", 303),
        (None, None, "GET /login", 200),
        ("auth.tokens.support.read", "support", "POST /login", 303),
        ("auth.tokens.support.read", "support", "GET /requests", 200),
    ]
    assert {one["address"] for one in found} == {"127.0.0.1"}
    assert "secret" not in (directory / FILE_NAME).read_text()
    assert (directory / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_the_log_can_be_switched_off(launch: Callable[..., RunningCollector]):
    """No file is made."""
    collector = launch(audit__days=0)
    assert httpx.get(f"{collector.admin}/v1/units", headers=collector.bearer).status_code == 200
    assert not (collector.config.data_dir / FILE_NAME).exists()


def test_commands_are_lines_of_their_user(launch: Callable[..., RunningCollector], tmp_path: Path):
    """Beside those of the collector that runs."""
    collector = launch(auth__workspaces=["sales"])
    directory = collector.config.data_dir
    settings = {"data_dir": str(directory), "auth": {"workspaces": ["sales"]}}
    (tmp_path / "collector.yaml").write_text(yaml.safe_dump(settings))
    config = ["--config", str(tmp_path / "collector.yaml")]
    assert main(["token", "create", "--right", "read", *config]) == 0
    assert main(["export", "--texts", "--output", str(tmp_path / "units.jsonl"), *config]) == 0
    assert main(["backfill", "--dry-run", *config]) == 0
    created, exported = lines(directory)
    assert str(created["by"]).startswith("user ")
    assert str(created["action"]).startswith("token create ")
    assert (exported["by"], exported["action"]) == (created["by"], "export --texts")


def test_a_file_a_day_is_kept_for_some_days(tmp_path: Path):
    """The oldest are deleted when a day ends."""
    for day in ("2026-01-01", "2026-01-02", "2026-01-03"):
        (tmp_path / f"{FILE_NAME}.{day}").write_text("{}\n")
    (tmp_path / FILE_NAME).write_text("{}\n")
    os.utime(tmp_path / FILE_NAME, (1_767_500_000, 1_767_500_000))  # 2026-01-04
    log = AuditLog(tmp_path, days=2)
    log.record("GET /v1/requests", by="a")
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(FILE_NAME, f"{FILE_NAME}.2026-01-03", f"{FILE_NAME}.2026-01-04"),
    ]
    assert [one["by"] for one in lines(tmp_path)] == ["a"]


def test_a_full_disk_costs_a_line_and_no_request(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """And is said in the collector's own log."""
    path = tmp_path / FILE_NAME
    path.symlink_to("/dev/full")
    log = AuditLog(tmp_path, days=1)
    log.record("GET /v1/requests", by="a")
    log.close()
    assert "cannot be written" in caplog.text
