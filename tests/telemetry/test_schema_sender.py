from __future__ import annotations

import json
import time

import pytest

from sqlobs.config import load_settings
from sqlobs.schema.model import Schema
from sqlobs.tracing.sending.collector_client import CollectorClient
from sqlobs.tracing.sending.schema_sender import SchemaSender
from sqlobs.tracing.sending.senders import Senders
from tests.telemetry.records import INVENTED, record

SCHEMA = Schema.from_mapping({"orders": ["id"]}, dialect="postgres")


def schemas(collector):
    """The requests that brought schemas."""
    return [request for request in collector.requests if request.method == "PUT"]


@pytest.fixture
def senders(collector, monkeypatch):
    """The senders of a process, to the collector on loopback."""
    monkeypatch.setattr("sqlobs.tracing.sending.schema_sender._PAUSES_S", (0.05, 0.05))
    made = Senders(load_settings(collector_endpoint=collector.endpoint))
    yield made
    made.shutdown(5)


def test_a_schema_is_sent_once(senders, collector):
    """Judges need the schema; its content hash is its address."""
    for _ in range(3):
        senders.send_unit(record(INVENTED), SCHEMA)
    assert senders.flush(10)
    [document] = schemas(collector)
    assert document.path == f"/v1/schemas/{SCHEMA.version}"
    assert Schema.from_json(document.body).version == SCHEMA.version
    assert json.loads(document.body)
    assert len(collector.logs) == 3


def test_a_slow_schema_delays_no_unit_and_no_end(senders, collector):
    """The first schema of a large database may take a collector longer than a process has left."""
    collector.pauses = {"/v1/schemas": 30.0}
    senders.send_unit(record(INVENTED), SCHEMA)
    collector.wait_for(1, f"/v1/schemas/{SCHEMA.version}")
    for _ in range(59):
        senders.send_unit(record(INVENTED), SCHEMA)
    started = time.monotonic()
    assert senders.shutdown(10)
    assert time.monotonic() - started < 10
    assert len(collector.logs) == 60


def test_a_schema_is_sent_again_while_the_collector_is_unreachable(senders, collector):
    """Until it is taken."""
    collector.status = 503
    senders.send_unit(record(INVENTED), SCHEMA)
    collector.wait_for(3, f"/v1/schemas/{SCHEMA.version}")
    collector.status = 200
    assert senders.flush(10)


@pytest.mark.parametrize("capture", ["masked", "none"])
def test_a_schema_stays_where_raw_capture_is_not_agreed(collector, capture, monkeypatch):
    """Descriptions and sample values are content, too."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_CAPTURE", capture)
    senders = Senders(load_settings(collector_endpoint=collector.endpoint))
    senders.send_unit(record(INVENTED), SCHEMA)
    assert senders.shutdown(10)
    assert len(collector.logs) == 1
    assert schemas(collector) == []


def test_the_thread_ends_when_nothing_comes_and_starts_again(collector, monkeypatch):
    """A service has one schema, and no thread for it."""
    monkeypatch.setattr("sqlobs.tracing.sending.schema_sender._IDLE_S", 0.05)
    client = CollectorClient(collector.endpoint)
    sender = SchemaSender(client)
    sender.offer(SCHEMA)
    assert sender.flush(10)
    first = sender._thread
    if first is not None:
        first.join(10)
    sender.offer(Schema.from_mapping({"orders": ["id", "total"]}, dialect="postgres"))
    assert sender.flush(10)
    assert len(schemas(collector)) == 2
    client.close()
