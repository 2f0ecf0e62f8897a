"""Servers that send forever, slowly, or packed: each client of sqlobs reads a limited amount."""

from __future__ import annotations

import asyncio
import gzip

import httpx
import pytest

from sqlobs.cli.admin import ask
from sqlobs.errors import ConfigError, InputError, ResponseError, ResponseTimeoutError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.embedding import EndpointEmbedder
from sqlobs.evaluation.generation.answer import RefusedError
from sqlobs.evaluation.generation.http import HttpSettings, HttpSystem
from sqlobs.monitoring.exposition import read_metrics
from sqlobs.responses import ACCEPTED, async_body_of, body_of
from sqlobs.tracing.sending.collector_client import CollectorClient, Reply
from sqlobs.tracing.sending.exporters import Owned, load_exporter
from sqlobs_collector.posting import post
from tests.judge.wire import answer, wired

ENDLESS = answer(b" " * 65536, length=1 << 60)
"""An answer whose body never ends, where it is sent again and again."""
BOMB = gzip.compress(b" " * 300_000_000)


def _read(url, *, most_bytes=1000, within_s=5.0):
    with httpx.stream("GET", url, headers=ACCEPTED) as response:
        return body_of(response, most_bytes=most_bytes, within_s=within_s)


async def _read_async(url, *, most_bytes=1000, within_s=5.0):
    async with (
        httpx.AsyncClient() as client,
        client.stream("GET", url, headers=ACCEPTED) as response,
    ):
        return await async_body_of(response, most_bytes=most_bytes, within_s=within_s)


def read_async(url, **limits):
    """As `_read`, on an event loop."""
    return asyncio.run(_read_async(url, **limits))


@pytest.fixture(params=[_read, read_async], ids=["sync", "async"])
def read(request):
    """Both ways to read a response."""
    return request.param


@pytest.mark.parametrize("headers", [(), ("Content-Encoding: gzip",)])
def test_a_body_within_the_limits_is_returned_unpacked(read, headers):
    """What is packed is returned as it was before."""
    body = gzip.compress(b"hello") if headers else b"hello"
    with wired(answer(body, headers=headers)) as server:
        assert read(server.base_url) == b"hello"


def test_an_endless_body_is_abandoned(read):
    """Nothing is read beyond the limit."""
    with wired(ENDLESS, pause_s=0) as server, pytest.raises(ResponseError, match="than 1,000 byt"):
        read(server.base_url)


def test_a_small_body_that_decompresses_to_a_large_one_is_abandoned(read):
    """300 KB hold 300 MB."""
    sent = answer(BOMB, headers=("Content-Encoding: gzip",))
    with wired(sent) as server, pytest.raises(ResponseError, match="larger than 1,000,000 bytes"):
        read(server.base_url, most_bytes=1_000_000)


@pytest.mark.parametrize(
    ("encoding", "says"), [("br", "encoded as 'br'"), ("gzip", "cannot be decompressed")]
)
def test_a_response_with_an_unrequested_encoding_is_not_read(read, encoding, says):
    """An encoding that was not asked for, and bytes that are none."""
    sent = answer(b"no gzip", headers=(f"Content-Encoding: {encoding}",))
    with wired(sent) as server, pytest.raises(ResponseError, match=says):
        read(server.base_url)


def test_a_slowly_sent_body_is_abandoned(read):
    """The limits of a client are for each packet; this one is for all of them."""
    with (
        wired(answer(b" " * 10_000), pause_s=0.005) as server,
        pytest.raises(ResponseTimeoutError, match=r"longer than 0\.5 s"),
    ):
        read(server.base_url, most_bytes=100_000, within_s=0.5)


# -- each client ----------------------------------------------------------------------------------


def test_the_application_that_sends_units_does_not_read_an_endless_answer():
    """The collector's client gives the request up as unanswered, so that nothing is lost."""
    with wired(ENDLESS, pause_s=0) as server:
        client = CollectorClient(server.base_url)
        assert client.deliver("/v1/logs", b"", within_s=0.3) == Reply("unreachable")
        client.close()


def test_the_exporters_of_opentelemetry_do_not_read_an_endless_answer(monkeypatch):
    """They would read it whole: over HTTP they get a session that does not."""
    failed = []
    with wired(ENDLESS, pause_s=0) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.base_url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        exporter = load_exporter("otlp_proto_http", "traces")
        Owned(exporter, "traces", lambda: failed.append(1)).export([])
        exporter.shutdown()
    assert failed == [1]


def test_a_session_of_the_users_own_is_kept(monkeypatch):
    """A credential provider makes the session; it is not replaced."""
    monkeypatch.setenv("OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER", "nobody's")
    with pytest.raises(RuntimeError, match="nobody's"):
        load_exporter("otlp_proto_http", "traces")


def test_a_command_does_not_read_an_endless_answer():
    """`why`, `watch` and the like say that this is no collector."""
    with wired(ENDLESS, pause_s=0) as server:
        with pytest.raises(InputError, match="did not respond like a collector"):
            ask(server.base_url, "/v1/units")
        with pytest.raises(InputError, match="larger than"):
            read_metrics(server.base_url)


def test_an_embeddings_server_is_read_within_a_limit(monkeypatch):
    """The sentence says why there are no vectors."""
    monkeypatch.setattr("sqlobs.evaluation.embedding._MOST_BYTES", 1000)
    with (
        wired(ENDLESS, pause_s=0) as server,
        EndpointEmbedder(server.base_url, model="m") as embedder,
        pytest.raises(ConfigError, match=r"returned no vectors: .* larger than 1,000 bytes"),
    ):
        embedder.embed(["a"])


def test_a_system_under_test_is_read_within_a_limit(monkeypatch):
    """The case counts as refused."""
    monkeypatch.setattr("sqlobs.evaluation.generation.http._MOST_BYTES", 1000)

    async def asked(url):
        system = HttpSystem(HttpSettings(url=url))
        try:
            return await system.ask(Case(index=0, question="q"))
        finally:
            await system.close()

    with (
        wired(ENDLESS, pause_s=0) as server,
        pytest.raises(RefusedError, match="larger than 1,000 bytes"),
    ):
        asyncio.run(asked(server.base_url))


def test_a_backends_status_code_decides_whether_records_were_delivered():
    """Relay and emitter need no body: they stop reading, and the records count as sent."""

    async def posted(url):
        async with httpx.AsyncClient() as client:
            return (await post(client, url, b"", {}, within_s=5)).status_code

    with wired(ENDLESS, pause_s=0) as server:
        assert asyncio.run(posted(server.base_url)) == 200
