"""Judging by the Batch API, on a server that offers it over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.batch import judge_in_batch
from sqlobs.judge.endpoint.budget import Amount, BudgetLimits
from sqlobs.judge.endpoint.clock import SystemClock
from sqlobs.judge.endpoint.prices import Price
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.replay import completion
from sqlobs.judge.verdicts.flex import FlexJudge
from tests.judge.servers import config, item

PRICE = {"prices": {"recorded": Price(2.0, 2.0)}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        """Stay silent."""

    def do_POST(self):
        """Take a file, a batch, or a direct call."""
        server, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        server.paths.append(self.path)
        if self.path == "/v1/files":
            head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n"
            parts = BytesParser().parsebytes(head + body).get_payload()
            server.file = next(
                part.get_payload(decode=True) for part in parts if part.get_filename()
            )
            self._send({"id": "file-1", "object": "file"})
        elif self.path == "/v1/batches" and server.takes_batches:
            self._send(self._batch("validating"))
        elif self.path == "/v1/chat/completions":
            self._send(completion(json.loads(body), server.says))
        else:
            self._send({"error": {"message": "unknown"}}, status=404)

    def do_GET(self):
        """Tell how the batch is doing, or what it gave."""
        server = self.server
        if self.path.startswith("/v1/files/"):
            lines = map(json.loads, server.file.splitlines())
            self._send(None, body="\n".join(map(server.answer, lines)).encode())
        else:
            server.looks += 1
            self._send(self._batch("completed" if server.looks > 2 else "in_progress"))

    def _batch(self, status):
        done = {"output_file_id": "file-2"} if status == "completed" else {}
        return {"id": "batch-1", "object": "batch", "status": status, "endpoint": "/v1/chat/completions",
                "input_file_id": "file-1", "completion_window": "24h", "created_at": 1, **done}  # fmt: skip

    def _send(self, document, *, status=200, body=None):
        body = json.dumps(document).encode() if body is None else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class BatchServer(ThreadingHTTPServer):
    """Does one batch; case 2 is left out, the line of case 3 is broken, case 4 is unreadable."""

    daemon_threads = True

    def __init__(self):
        self.paths, self.looks, self.file, self.takes_batches = [], 0, b"", True
        self.says = json.dumps({"reasoning": "Direct.", "correct": False})
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def base_url(self):
        """The address to give to a client."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, line):
        """Return the line of the output for a line of the input."""
        asked = line["body"]["messages"][1]["content"]
        number = next(n for n in range(5) if f"berth {n}?" in asked)
        if number in {2, 3}:
            return "{" if number == 3 else ""
        text = "Hm." if number == 4 else json.dumps({"reasoning": "Batch.", "correct": True})
        body = completion(line["body"], text)
        return json.dumps({"custom_id": line["custom_id"], "response": {"body": body}})


@pytest.fixture
def server():
    """Serve from a thread."""
    running = BatchServer()
    thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def _judge(server, tmp_path, *, count=5, **changes):
    items = [item(question=f"Which boats lie in berth {number}?") for number in range(count)]

    async def run(store):
        return await judge_in_batch(
            FlexJudge, items, config(server, **changes), store=store,
            ticket=tmp_path / "ticket", poll_s=0.01,
        )  # fmt: skip

    with SqliteStore(tmp_path / "judge.db") as store:
        return asyncio.run(run(store)), store.used(SystemClock().day())


def test_a_batch_answers_and_what_it_leaves_is_asked_directly(server, tmp_path):
    """Missing, broken and unreadable answers are asked for; the others cost half and no call."""
    found, used = _judge(server, tmp_path, **PRICE)
    assert [judgement.explanation for judgement in found] == [
        "Batch.",
        "Batch.",
        "Direct.",
        "Direct.",
        "Direct.",
    ]
    assert [judgement.label for judgement in found] == ["pass"] * 2 + ["fail"] * 3
    assert [judgement.usage.calls for judgement in found] == [0, 0, 1, 1, 1]
    assert server.paths.count("/v1/chat/completions") == 3
    direct = sum(j.usage.input_tokens + j.usage.output_tokens for j in found)
    # Two dollars a million tokens, of which the batch's cost half
    assert used.micro_usd == (used.tokens - direct) + 2 * direct
    assert not (tmp_path / "ticket").exists()


def test_a_second_run_finds_everything(server, tmp_path):
    """Nothing is sent again."""
    _judge(server, tmp_path)
    server.paths.clear()
    found, _ = _judge(server, tmp_path)
    assert (server.paths, len(found)) == ([], 5)


def test_a_killed_run_goes_on_with_its_batch(server, tmp_path):
    """The ticket names it: no second batch is made."""
    _judge(server, tmp_path)
    (tmp_path / "ticket").write_text("batch-1")
    (tmp_path / "judge.db").unlink()
    server.paths.clear()
    # The batch of the ticket was made of the same questions: its answers are for this run, too
    found, _ = _judge(server, tmp_path)
    assert "/v1/batches" not in server.paths
    assert [judgement.explanation for judgement in found][:2] == ["Batch.", "Batch."]


def test_a_batch_beyond_the_budget_is_not_sent(server, tmp_path):
    """The most that it may take is known before."""
    limits = BudgetLimits(usd=0.001, window="run")
    with pytest.raises(
        ConfigError, match=r"the batch of 5 calls may take \d+ tokens \(0.0\d USD\)"
    ):
        _judge(server, tmp_path, budget=limits, **PRICE)
    assert server.paths == []


def test_a_server_without_batches_is_said_to_be(server, tmp_path):
    """One sentence; nothing is kept that would hinder the next run."""
    server.takes_batches = False
    with pytest.raises(
        ConfigError, match=r"does not do the batch \(NotFoundError\): judge without it"
    ):
        _judge(server, tmp_path)
    assert not (tmp_path / "ticket").exists()


def test_an_empty_store_has_used_nothing(tmp_path):
    """The budget begins at zero."""
    with SqliteStore(tmp_path / "judge.db") as store:
        assert store.used("run") == Amount(0, 0)
