"""The demo's OTLP receiver, fed by the SDK's own exporters."""

from __future__ import annotations

import gzip
import json

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from sqlobs.demo.receiver import FILES, receive
from tests.collector.backend import Backend
from tests.collector.running import RunningCollector

RESOURCE = Resource({"service.name": "shop"})


@pytest.fixture
def receiver(tmp_path):
    """Receive into a directory of the test."""
    with receive(tmp_path) as receiver:
        yield receiver


def _records(directory, name):
    return [json.loads(line) for line in (directory / name).read_text().splitlines()]


@pytest.mark.parametrize("compression", Compression)
def test_spans_of_a_real_exporter_become_records(receiver, tmp_path, compression):
    """Every part of a span is kept, however it is packed, and children name their parent."""
    exporter = OTLPSpanExporter(f"{receiver.endpoint}/v1/traces", compression=compression)
    provider = TracerProvider(resource=RESOURCE)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("a scope")
    with tracer.start_as_current_span("parent", start_time=5, end_on_exit=False) as parent:
        link = Link(parent.get_span_context())
        child = tracer.start_span("child", kind=SpanKind.CLIENT, links=[link], start_time=6)
        child.set_attributes(
            {"text": "ü", "flag": True, "count": 3, "share": 0.5, "names": ["a", "b"]}
        )
        child.add_event("seen", {"n": 1})
        child.set_status(Status(StatusCode.ERROR))
        child.end(end_time=9)
    parent.end(end_time=10)
    provider.shutdown()
    child_record, parent_record = _records(tmp_path, "spans.jsonl")
    trace_id, span_id = parent_record["trace_id"], parent_record["span_id"]
    assert parent_record["parent_span_id"] is None
    assert child_record == {
        "name": "child",
        "kind": "client",
        "trace_id": trace_id,
        "span_id": child_record["span_id"],
        "parent_span_id": span_id,
        "start_unix_nano": 6,
        "end_unix_nano": 9,
        "status": "error",
        "attributes": {"text": "ü", "flag": True, "count": 3, "share": 0.5, "names": ["a", "b"]},
        "events": [{"name": "seen", "attributes": {"n": 1}}],
        "links": [{"trace_id": trace_id, "span_id": span_id}],
        "scope": "a scope",
        "resource": {"service.name": "shop"},
    }


def test_metric_points_of_a_real_exporter_become_records(receiver, tmp_path):
    """One record per data point, for counters, gauges and histograms."""
    exporter = OTLPMetricExporter(f"{receiver.endpoint}/v1/metrics")
    provider = MeterProvider([PeriodicExportingMetricReader(exporter)], resource=RESOURCE)
    meter = provider.get_meter("a scope")
    meter.create_counter("requests", unit="{request}").add(3, {"outcome": "answered"})
    meter.create_gauge("age", unit="s").set(1.5)
    meter.create_histogram("took", explicit_bucket_boundaries_advisory=[1.0]).record(0.25)
    provider.shutdown()
    records = {record["name"]: record for record in _records(tmp_path, "metrics.jsonl")}
    stamps = ("start_unix_nano", "time_unix_nano", "scope", "resource")
    assert {
        name: {key: record[key] for key in record if key not in stamps}
        for name, record in records.items()
    } == {
        "requests": {
            "name": "requests",
            "unit": "{request}",
            "kind": "sum",
            "attributes": {"outcome": "answered"},
            "temporality": "cumulative",
            "value": 3,
        },
        "age": {"name": "age", "unit": "s", "kind": "gauge", "attributes": {}, "value": 1.5},
        "took": {
            "name": "took",
            "unit": "",
            "kind": "histogram",
            "attributes": {},
            "temporality": "cumulative",
            "count": 1,
            "sum": 0.25,
            "bounds": [1.0],
            "counts": [1, 0],
        },
    }


def test_a_schema_document_is_kept_under_its_version(receiver, tmp_path):
    """What an SDK sends once per process for its units."""
    packed = gzip.compress(b'{"tables": []}')
    url = f"{receiver.endpoint}/v1/schemas/ab12"
    answer = httpx.put(url, content=packed, headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 204
    assert (tmp_path / "schema-ab12.json").read_text() == '{"tables": []}'


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        pytest.param("/v1/traces", {}, 400, id="no protobuf"),
        pytest.param("/v1/traces", {"Content-Encoding": "gzip"}, 400, id="no gzip"),
        pytest.param("/v1/traces", {"Content-Encoding": "br"}, 400, id="unknown packing"),
        pytest.param("/v1/unknown", {}, 404, id="no such signal"),
    ],
)
def test_unreadable_input_is_rejected_and_creates_no_file(
    receiver, tmp_path, path, headers, status
):
    """A refusal names no success, and the files stay empty."""
    answer = httpx.post(receiver.endpoint + path, content=b"\xff\xff\xff", headers=headers)
    assert answer.status_code == status
    assert [(tmp_path / name).read_text() for name in FILES] == ["", "", "", ""]


def test_traces_and_metrics_are_sent_on_as_they_came(tmp_path):
    """A second receiver gets the same bytes; log records, which hold raw SQL, stay here."""
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    with receive(there) as backend, receive(here, forward=f"{backend.endpoint}/") as receiver:
        exporter = OTLPSpanExporter(f"{receiver.endpoint}/v1/traces", compression=Compression.Gzip)
        provider = TracerProvider(resource=RESOURCE)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        provider.get_tracer("a scope").start_span("alone").end()
        provider.shutdown()
        httpx.post(f"{receiver.endpoint}/v1/logs", content=b"").raise_for_status()
    assert receiver.refusals == []
    assert len(_records(here, "spans.jsonl")) == 1
    assert [_records(there, name) for name in FILES] == [_records(here, "spans.jsonl"), [], [], []]


def test_plain_copies_name_no_coding_and_signals_without_an_endpoint_are_left_out(tmp_path):
    """Phoenix answers 415 to `Content-Encoding: identity`, and 405 to metrics: traces only."""
    backend = Backend()
    backend.answers = [(200, {}), (405, {})]
    with receive(tmp_path, forward=backend.url) as receiver:
        for path in ("/v1/traces", "/v1/metrics", "/v1/metrics"):
            httpx.post(f"{receiver.endpoint}{path}", content=b"").raise_for_status()
    backend.stop()
    assert receiver.refusals == []
    assert [path for path, _, _ in backend.received] == ["/v1/traces", "/v1/metrics"]
    assert [headers for _, _, headers in backend.received if "Content-Encoding" in headers] == []


def test_copies_carry_the_headers_that_they_are_given(tmp_path):
    """A collector with tokens takes them; without the header each copy is a refusal."""
    tokens = {"auth.tokens": {"default": {"ingest": ["t"]}}}
    collector = RunningCollector(tmp_path / "data", **tokens).start()
    try:
        refusals = []
        for headers in ({"Authorization": "Bearer t"}, {}):
            with receive(tmp_path, forward=collector.http, headers=headers) as receiver:
                httpx.post(f"{receiver.endpoint}/v1/traces", content=b"").raise_for_status()
            refusals.append([said for said in receiver.refusals if "401" in said])
    finally:
        collector.stop()
    assert [len(said) for said in refusals] == [0, 1]


def test_an_endpoint_that_rejects_calls_is_reported_and_does_not_affect_the_request(tmp_path):
    """The sender is answered as if there were no other endpoint; the reason is kept."""
    with receive(tmp_path) as gone:
        endpoint = gone.endpoint
    with receive(tmp_path, forward=endpoint) as receiver:
        assert httpx.post(f"{receiver.endpoint}/v1/traces", content=b"").status_code == 200
    assert [said.endswith("Connection refused") for said in receiver.refusals] == [True]
