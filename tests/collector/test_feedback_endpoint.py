"""`POST /v1/feedback`: what browsers and programs say of answers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import httpx
import pytest
import yaml

from sqlobs_collector.receiver.rate_limit import RateLimit
from tests.collector import records
from tests.collector.running import journaled, wait_until
from tests.collector.test_golden import Client, asked, compared, identity
from tests.collector.test_units import send

SENDER, READER = "alpha-feedback", "alpha-read"
ORIGIN = "https://app.example"
TOKENS = {
    name: {right: [f"{name}-{right}"] for right in ("ingest", "read", "feedback")}
    for name in ("alpha", "beta")
}


def post(collector, token: str | None = SENDER, *, origin=None, **said) -> httpx.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    headers |= {} if origin is None else {"Origin": origin}
    document = {"generation_id": f"{identity(1)}-01", "kind": "thumb", "value": "down", **said}
    return httpx.post(f"{collector.admin}/v1/feedback", json=document, headers=headers)


def told(collector, count: int, token: str = READER) -> list[dict]:
    client = Client(collector, token)
    return wait_until(
        lambda: [
            one["feedback"]
            for one in client.get("/v1/units")["units"]
            if len(one["feedback"]) >= count
        ]
    )[0]


def test_several_kinds_of_feedback_on_one_answer_are_a_history(launch):
    """As `record_feedback` sends them; nothing is overwritten."""
    collector = launch(auth__tokens=TOKENS)
    send(collector, records.logs(asked(1)), Authorization="Bearer alpha-ingest")
    for said in (
        {"kind": "thumb", "value": "down", "reason": "It counts regions."},
        {"kind": "rating", "value": 2},
        {"kind": "edit", "value": "corrected", "corrected_sql": "SELECT 4"},
        {"kind": "thumb", "value": "up"},
    ):
        answer = post(collector, **said)
        assert (answer.status_code, answer.json()) == (202, {"stored": True})
    shown = [
        {name: one[name] for name in ("kind", "value", "score", "label")}
        for one in told(collector, 4)
    ]
    assert shown == [
        {"kind": "thumb", "value": "down", "score": 0.0, "label": "fail"},
        {"kind": "rating", "value": "2", "score": 0.25, "label": "fail"},
        {"kind": "edit", "value": "corrected", "score": 0.0, "label": "fail"},
        {"kind": "thumb", "value": "up", "score": 1.0, "label": "pass"},
    ]
    found = told(collector, 4)
    assert (found[0]["explanation"], found[2]["corrected_sql"]) == (
        "It counts regions.",
        "SELECT 4",
    )


def test_corrected_sql_becomes_a_candidate(launch, shop):
    """It is checked and run; a person promotes it, the sender cannot."""
    collector = launch(targets={"shop": {"url": f"sqlite:///{shop}", "default": True}})
    send(collector, records.logs(asked(1)))
    compared(collector, 1)
    said = {"kind": "edit", "value": "corrected", "corrected_sql": "SELECT count(*) FROM orders"}
    assert post(collector, collector.token, **said).status_code == 202
    client = Client(collector)

    def candidate():
        [one] = client.get("/v1/units")["units"]
        return [found for found in one["evaluations"] if found["metric"] == "correction"]

    [found] = wait_until(candidate)
    assert found["detail"]["execution"] == "pass"
    assert client.get("/v1/golden")["cases"] == []


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"generation_id": "x"}, "generation_id: "),
        ({"kind": "smile"}, "kind: Value error, use one of thumb, rating, edit, follow_up"),
        ({"value": "sideways"}, "unknown value of thumb: use one of up, down"),
        ({"tenant": "acme"}, "tenant: Extra inputs are not permitted"),
        ({"reason": "x" * 4001}, "reason: String should have at most 4000 characters"),
    ],
)
def test_invalid_feedback_is_one_sentence_and_is_not_stored(launch, said, sentence):
    collector = launch(auth__tokens=TOKENS)
    answer = post(collector, **said)
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]
    assert journaled(collector.config.data_dir) == []


def test_a_large_body_is_not_read(launch):
    collector = launch(auth__tokens=TOKENS)
    answer = httpx.post(
        f"{collector.admin}/v1/feedback",
        content=b" " * (64 * 1024 + 1),
        headers={"Authorization": "Bearer alpha-feedback"},
    )
    assert answer.status_code == 413


def test_a_feedback_token_reads_nothing_and_reaches_its_workspace_alone(launch):
    """Whoever finds it in a page may send feedback, and do nothing else."""
    collector = launch(auth__tokens=TOKENS)
    for name in TOKENS:
        send(collector, records.logs(asked(1)), Authorization=f"Bearer {name}-ingest")
    post(collector)
    assert len(told(collector, 1)) == 1
    [other] = Client(collector, "beta-read").get("/v1/units")["units"]
    assert other["feedback"] == []
    for path in ("/v1/units", "/v1/why", "/v1/golden", "/v1/review", "/metrics"):
        assert Client(collector, "alpha-feedback").ask("GET", path).status_code == 403
    for token, status in (("alpha-read", 403), ("nobody", 401), (None, 401)):
        assert post(collector, token).status_code == status


def test_pages_of_configured_origins_may_send(launch):
    """A browser asks first; others get no permission, and no answer tells of an answer."""
    collector = launch(auth__tokens=TOKENS, feedback__origins=[ORIGIN])
    url = f"{collector.admin}/v1/feedback"

    def preflight(origin: str) -> dict[str, str]:
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = httpx.options(url, headers=asked)
        assert answer.status_code == 204
        prefix = "access-control-"
        return {name: text for name, text in answer.headers.items() if name.startswith(prefix)}

    assert preflight(ORIGIN) == {
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "Authorization, Content-Type",
        "access-control-max-age": "600",
    }
    assert preflight("https://evil.example") == {}
    allowed = post(collector, origin=ORIGIN)
    assert allowed.status_code == 202
    assert allowed.headers["access-control-allow-origin"] == ORIGIN
    wrong = post(collector, "nobody", origin=ORIGIN)
    assert (wrong.status_code, wrong.headers["access-control-allow-origin"]) == (401, ORIGIN)
    refused = post(collector, origin="https://evil.example")
    assert refused.status_code == 403
    assert "feedback.origins" in refused.json()["error"]


def test_too_much_feedback_is_refused_for_a_while(launch):
    """Per token and address, and per token over all addresses; others are not affected."""
    collector = launch(
        auth__tokens=TOKENS, feedback__address_per_minute=2, feedback__token_per_minute=3
    )
    statuses = [post(collector).status_code for _ in range(3)]
    assert statuses == [202, 202, 429]
    late = post(collector)
    assert late.headers["retry-after"] == "5"
    assert post(collector, "beta-feedback").status_code == 202


def test_a_rate_limit_recovers_and_forgets():
    now_s = 0.0
    limit = RateLimit(60, clock_s=lambda: now_s)
    assert [limit.allows("a") for _ in range(61)] == [True] * 60 + [False]
    assert limit.allows("b")
    now_s = 1.0
    assert [limit.allows("a") for _ in range(2)] == [True, False]
    for number in range(10_001):
        limit.allows(f"other {number}")
    assert len(limit._left) == 10_000


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_acknowledged_feedback_survives_kill_9(tmp_path):
    """At any moment: what was answered with 202 is in the store after the next start."""
    ports = {name: _free() for name in ("http", "grpc", "admin")}
    settings = {
        "data_dir": str(tmp_path / "data"),
        "listen": {name: f"127.0.0.1:{port}" for name, port in ports.items()},
        "journal": {"min_free_bytes": 0},
        "auth": {"tokens": {"alpha": TOKENS["alpha"]}},
        "feedback": {"address_per_minute": 100_000, "token_per_minute": 100_000},
    }
    config = tmp_path / "collector.yaml"
    config.write_text(yaml.safe_dump(settings))
    admin = f"http://127.0.0.1:{ports['admin']}"
    acknowledged: list[str] = []
    for round_ in range(1, 3):
        process = _start(config, admin)
        sender = threading.Thread(target=_send_until_it_dies, args=(admin, acknowledged))
        sender.start()
        wait_until(lambda enough=round_ * 8: len(acknowledged) >= enough, within_s=100)
        process.send_signal(signal.SIGKILL)
        process.wait()
        sender.join()
    process = _start(config, admin)
    try:
        unit = records.logs(asked(1)).SerializeToString()
        headers = {
            "Authorization": "Bearer alpha-ingest",
            "Content-Type": "application/x-protobuf",
        }
        httpx.post(f"http://127.0.0.1:{ports['http']}/v1/logs", content=unit, headers=headers)
        bearer = {"Authorization": "Bearer alpha-read"}

        def stored() -> set[str]:
            units = httpx.get(f"{admin}/v1/units", headers=bearer).json()["units"]
            return {one["explanation"] for each in units for one in each["feedback"]}

        wait_until(lambda: set(acknowledged) <= stored(), within_s=100)
        assert len(stored()) <= len(acknowledged) + 2  # those that the kills left unanswered
    finally:
        process.terminate()
        process.wait()


def _send_until_it_dies(admin: str, acknowledged: list[str]) -> None:
    said = {"generation_id": f"{identity(1)}-01", "kind": "thumb", "value": "up"}
    with httpx.Client(headers={"Authorization": f"Bearer {SENDER}"}, timeout=60) as client:
        while True:
            reason = f"number {len(acknowledged)}"
            try:
                answer = client.post(f"{admin}/v1/feedback", json={**said, "reason": reason})
            except httpx.TransportError:
                return
            assert answer.status_code == 202
            acknowledged.append(reason)


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def _start(config, admin: str) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlobs_collector", "serve", "--config", str(config)],
        env={**os.environ},
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: _is_ready(admin), within_s=100)
    return process


def _is_ready(admin: str) -> bool:
    try:
        return httpx.get(f"{admin}/readyz").status_code == 200
    except httpx.TransportError:
        return False
