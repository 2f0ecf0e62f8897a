"""Vectors come from any server of the protocol, and each text is sent once."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from sqlobs.errors import ConfigError
from sqlobs.evaluation.embedding import EndpointEmbedder
from sqlobs.metrics.credit_score import CreditSettings, Technique, partial_credit
from sqlobs.types import ResultTable

WORDS = ("name", "title", "total")


class Vectors(BaseHTTPRequestHandler):
    """Counts words; `title` and `name` mean the same."""

    asked: ClassVar[list[list[str]]] = []
    answer: ClassVar[object] = None

    def do_POST(self):
        """Answer in reverse order, as a server may."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body["input"])
        entries = [
            {
                "index": at,
                "embedding": [text.count("name") + text.count("title"), text.count("total")],
            }
            for at, text in enumerate(body["input"])
        ]
        content = json.dumps(self.answer or {"data": entries[::-1]}).encode()
        status = 200 if self.headers["Authorization"] == "Bearer secret" else 401
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Stay silent."""


@pytest.fixture
def server(monkeypatch):
    """A server of vectors; the key is in the environment."""
    monkeypatch.setenv("VECTOR_KEY", "secret")
    Vectors.asked.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), Vectors)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/v1"
    running.shutdown()
    running.server_close()
    thread.join()


def test_columns_are_matched_by_what_they_mean(server):
    """A semantic technique works with an endpoint; known texts are not sent again."""
    reference = ResultTable(("name", "total"), (("a", 1), ("b", 2)))
    predicted = ResultTable(("total", "title"), ((1, "a"), (2, "b")))
    with EndpointEmbedder(server, model="m", api_key="env:VECTOR_KEY") as embedder:
        settings = CreditSettings(embedder=embedder)
        for _ in range(2):
            credit = partial_credit(
                reference,
                predicted,
                technique=Technique.SEMANTIC_COLUMN_AND_EXACT_CELL,
                settings=settings,
            )
    assert (credit.ex, credit.f1) == (0, 1.0)
    assert [len(texts) for texts in Vectors.asked] == [3]


@pytest.mark.parametrize(
    ("answer", "key", "message"),
    [
        (None, None, "/v1/embeddings returned HTTP status 401"),
        ({"data": [{"index": 0}]}, "env:VECTOR_KEY", "returned 0 vectors for 1 texts"),
        ("nothing", "env:VECTOR_KEY", "returned 0 vectors for 1 texts"),
    ],
)
def test_a_server_that_gives_no_vectors_is_named(server, monkeypatch, answer, key, message):
    """The message has the address, not the key."""
    monkeypatch.setattr(Vectors, "answer", answer)
    with (
        EndpointEmbedder(server, model="m", api_key=key) as embedder,
        pytest.raises(ConfigError, match=message),
    ):
        embedder.embed(["x"])


def test_a_missing_server_and_a_literal_key_are_set_up_errors():
    """Both are said in a sentence."""
    url = "http://127.0.0.1:1/v1"
    with (
        EndpointEmbedder(url, model="m") as embedder,
        pytest.raises(ConfigError, match="ConnectError"),
    ):
        embedder.embed(["x"])
    for key, message in {"secret": "as env:NAME", "env:NO_SUCH": "is not set"}.items():
        with pytest.raises(ConfigError, match=message):
            EndpointEmbedder(url, model="m", api_key=key)
