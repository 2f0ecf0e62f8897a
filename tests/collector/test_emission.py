from __future__ import annotations

import json
import socket
from types import SimpleNamespace

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client import CollectorRegistry

from sqlobs_collector.emission import emitter
from sqlobs_collector.emission.emitter import Destination, Destinations, Emitter, basic_auth
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.rows import Evaluated, Transition
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.backend import Backend
from tests.collector.running import wait_until
from tests.collector.test_units import NOW_NS, SECOND, Station, send, unit

TRACE, SPAN = records.trace_id(1), records.span_id(1)


@pytest.fixture
def backend():
    """A backend that records."""
    running = Backend()
    yield running
    running.stop()


class Emission(Station):
    """A station with one evaluated unit and an emitter at its end."""

    def __init__(
        self,
        tmp_path,
        backend,
        *,
        sampled=True,
        late_s=1,
        shows_reasoning=False,
        others=None,
        **evaluated,
    ):
        super().__init__(tmp_path)
        self.store = Store(self.engine)
        self.registry = CollectorRegistry()
        self.emitter = Emitter(
            StoreReader(self.engine),
            self.store,
            destinations=Destinations(
                otlp=Destination(backend.url, {"x-key": "secret"}), **(others or {})
            ),
            shows_reasoning=shows_reasoning,
            flow=PipelineMetrics(self.registry),
            clock_ns=lambda: self.now_ns,
        )
        named = {"sqlobs__trace__sampled": sampled, "sqlobs__workflow": "answer"}
        self.receive(records.logs(unit(1, at_ns=NOW_NS - late_s * SECOND, **named)))
        self.put(**evaluated)

    def put(self, *, state="done", **evaluated):
        known = {"metric": "ex", "version": "1", "label": "fail", "kind": "engine", "value": 0.0}
        row = Evaluated(unit_id=1, created_ns=self.now_ns, **{**known, **evaluated})
        with self.store.writing() as writer:
            writer.put_evaluations([row])
            writer.move([Transition(1, state, None, self.now_ns)])

    def emit(self):
        return self.emitter.emit()

    def relayed(self, signal, outcome) -> float:
        """How often a request for a signal had an outcome."""
        counted = {"signal": signal, "outcome": outcome}.items()
        samples = (one for metric in self.registry.collect() for one in metric.samples)
        return sum(
            one.value
            for one in samples
            if one.name == "sqlobs_collector_relayed_total" and counted <= one.labels.items()
        )

    def close(self) -> None:
        self.emitter.stop()
        super().close()


def read(backend):
    """The events and spans that the backend has got."""
    events, spans = [], []
    for path, body, _ in backend.received:
        if path == "/v1/logs":
            [resource] = ExportLogsServiceRequest.FromString(body).resource_logs
            events += [(resource, record) for record in resource.scope_logs[0].log_records]
        else:
            [resource] = ExportTraceServiceRequest.FromString(body).resource_spans
            spans += [(resource, span) for span in resource.scope_spans[0].spans]
    return events, spans


def named(pairs) -> dict[str, object]:
    return {pair.key: pair.value.string_value or pair.value.double_value for pair in pairs}


def test_a_backend_that_never_responds_does_not_delay_the_shutdown(tmp_path, monkeypatch):
    """After its moment the request is given up, and the evaluation waits for the next start."""
    monkeypatch.setattr(emitter, "_TIMEOUT_S", 600.0)
    monkeypatch.setattr(emitter, "GRACE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        station = Emission(
            tmp_path, SimpleNamespace(url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        )
        station.emitter.start()
        connection, _ = silent.accept()
        station.emitter.stop()
        while connection.recv(4096):
            pass  # the request; then the other side has hung up
        connection.close()
    assert station.query("SELECT emitted_ns FROM evaluation") == [(None,)]
    station.close()


SAID = {
    "sqlobs.generation.id": f"00-{TRACE.hex()}-{SPAN.hex()}-01",
    "sqlobs.workflow": "answer",
    "sqlobs.evaluator.name": "sqlobs.collector",
    "sqlobs.evaluator.version": "1",
    "sqlobs.evaluator.kind": "engine",
    "sqlobs.sampling.probability": 1.0,
    "gen_ai.evaluation.score.value": 0.0,
    "gen_ai.evaluation.score.label": "fail",
    "gen_ai.evaluation.name": "ex",
}


def test_an_evaluation_is_an_event_and_a_linked_span(tmp_path, backend):
    """Under the service that was evaluated; the span is a linked trace, named with its verdict.

    A child would stretch the trace of the request.
    """
    station = Emission(tmp_path, backend, duration_s=0.25)
    assert station.emit() == "sent"
    [(event_of, event)], [(span_of, span)] = read(backend)
    for resource in (event_of, span_of):
        assert named(resource.resource.attributes) == {
            "service.name": "sales",
            "deployment.environment.name": "prod",
        }
    assert (event.event_name, event.trace_id, event.span_id) == (
        "gen_ai.evaluation.result",
        TRACE,
        SPAN,
    )
    assert named(event.attributes) == SAID
    assert (span.name, span.parent_span_id) == ("sqlobs.evaluate ex fail", b"")
    assert span.trace_id != TRACE
    assert [(link.trace_id, link.span_id) for link in span.links] == [(TRACE, SPAN)]
    assert named(span.attributes) == {
        **SAID,
        "openinference.span.kind": "EVALUATOR",
        "sqlobs.evaluated.trace_id": TRACE.hex(),
    }
    assert span.end_time_unix_nano - span.start_time_unix_nano == SECOND // 4
    assert backend.received[0][2]["x-key"] == "secret"
    assert station.emit() is None
    station.close()


def test_the_run_time_of_the_sql_is_apart_from_the_wait_for_a_worker(tmp_path, backend):
    """A first COUNT(*) takes 2 ms, and the start of its worker a second."""
    station = Emission(
        tmp_path, backend, metric="execution", duration_s=0.002, detail='{"wait_s": 1.25}'
    )
    station.emit()
    [(_, event)], [(_, span)] = read(backend)
    for found in (event, span):
        seen = named(found.attributes)
        assert seen["sqlobs.execution.duration"] == 0.002
        assert seen["sqlobs.execution.wait"] == 1.25
    assert span.end_time_unix_nano - span.start_time_unix_nano == 2_000_000
    station.close()


def test_an_unsampled_trace_gets_the_event_alone(tmp_path, backend):
    """A span would be a fragment of a trace that nobody has."""
    station = Emission(tmp_path, backend, sampled=False)
    station.emit()
    events, spans = read(backend)
    assert (len(events), spans) == (1, [])
    station.close()


def test_what_was_not_taken_is_sent_again_as_the_same_span(tmp_path, backend):
    """At least once: a repeated span has the same id."""
    backend.answers = [(200, {}), (503, {})]
    station = Emission(tmp_path, backend)
    assert station.emit() == "later"
    assert station.emit() == "sent"
    _, spans = read(backend)
    assert len({span.span_id for _, span in spans}) == 1 < len(spans)
    station.close()


def test_a_refusal_is_final(tmp_path, backend):
    """A backend that says 400 says it again: counted, not repeated."""
    backend.answers = [(400, {})]
    station = Emission(tmp_path, backend)
    assert station.emit() == "refused"
    assert station.emit() is None
    station.close()


def test_a_backend_without_logs_gets_spans_only(tmp_path, backend):
    """Jaeger answers 404 for logs: asked once, then no more."""
    backend.answers = [(404, {})]
    station = Emission(tmp_path, backend)
    assert station.emit() == "sent"
    station.put(metric="f1")
    assert station.emit() == "sent"
    assert [path for path, _, _ in backend.received] == ["/v1/logs", "/v1/traces", "/v1/traces"]
    station.close()


def test_a_held_unit_is_not_emitted_yet(tmp_path, backend):
    """Its target may come back; then the evaluation is another one."""
    station = Emission(tmp_path, backend, state="held", label="not_evaluated", value=None)
    assert station.emit() is None
    station.now_ns += SECOND
    station.put(label="pass", value=1.0)
    assert station.emit() == "sent"
    station.close()


def test_a_backend_that_is_down_loses_nothing(tmp_path, backend):
    """Evaluations wait in the store."""
    backend.answers = [(503, {})] * 2
    station = Emission(tmp_path, backend)
    assert station.emit() == "later"
    assert station.emit() == "sent"
    station.close()


def documents(backend) -> list[tuple[str, object, str | None]]:
    """The JSON requests that a backend has got: path, document, authorization."""
    return [
        (path, json.loads(body), headers.get("Authorization"))
        for path, body, headers in backend.received
    ]


@pytest.fixture
def other():
    """A second backend."""
    running = Backend()
    yield running
    running.stop()


ANNOTATION = {
    "span_id": SPAN.hex(),
    "name": "ex",
    "annotator_kind": "CODE",
    "result": {"label": "fail", "score": 0.0},
    "metadata": {
        "label": "fail",
        "kind": "engine",
        "version": "1",
        "workflow": "answer",
        "probability": 1.0,
    },
    "identifier": "sqlobs:1",
}


def test_phoenix_gets_an_annotation_of_the_evaluated_span(tmp_path, backend, other):
    """Beside the span; while the other backend is down, it is annotated once."""
    backend.answers = [(200, {}), (503, {})]
    to = Destination(other.url + "/", {"Authorization": "Bearer key"})
    station = Emission(tmp_path, backend, others={"phoenix": to})
    assert [station.emit(), station.emit(), station.emit()] == ["later", "sent", None]
    assert documents(other) == [("/v1/span_annotations", {"data": [ANNOTATION]}, "Bearer key")]
    station.close()


def test_langfuse_gets_a_score_of_the_evaluated_span(tmp_path, backend, other):
    """Its id is always the same, so that a repeated request changes nothing."""
    to = Destination(other.url, basic_auth("pk", "sk"))
    station = Emission(tmp_path, backend, others={"langfuse": to})
    assert station.emit() == "sent"
    [(path, [score], authorization)] = documents(other)
    assert (path, authorization) == ("/api/public/scores", "Basic cGs6c2s=")
    assert (len(score.pop("id")), score.pop("timestamp")[:4]) == (32, "2027")
    assert score == {
        "traceId": TRACE.hex(),
        "observationId": SPAN.hex(),
        "name": "ex",
        "value": 0.0,
        "dataType": "NUMERIC",
        "environment": "prod",
        "metadata": ANNOTATION["metadata"],
    }
    station.close()


def test_an_older_langfuse_gets_one_score_in_a_request(tmp_path, backend, other):
    """It answers 400 to a list."""
    other.answers = [(400, {})]
    station = Emission(tmp_path, backend, others={"langfuse": Destination(other.url, {})})
    assert station.emit() == "sent"
    [(_, scores, _), (_, score, _)] = documents(other)
    assert scores == [score]
    station.close()


def test_without_a_verdict_or_a_sampled_span_there_is_no_score(tmp_path, backend, other):
    """Phoenix shows why there is none; Langfuse has no such score."""
    to = Destination(other.url, {})
    station = Emission(
        tmp_path,
        backend,
        others={"langfuse": to, "phoenix": to},
        label="not_evaluated",
        value=None,
        reason="no_target",
    )
    assert station.emit() == "sent"
    [(path, document, _)] = documents(other)
    assert path == "/v1/span_annotations"
    assert document["data"][0]["result"] == {"label": "not_evaluated", "explanation": "no_target"}
    station.close()


def test_signals_that_a_backend_does_not_serve_are_counted_as_that(tmp_path, backend):
    """Phoenix answers 405 for logs: neither sent nor refused."""
    backend.answers = [(405, {})]
    station = Emission(tmp_path, backend)
    station.emit()
    assert station.relayed("evaluation logs", "unsupported") == 1
    assert station.relayed("evaluation logs", "sent") == 0
    assert station.relayed("evaluation traces", "sent") == 1
    station.close()


def test_a_service_tells_the_backend_what_it_found(launch, backend, shop):
    """From the wire to the trace; what was never tried is not told."""
    collector = launch(
        forward__url=backend.url, targets={"shop": {"url": f"sqlite:///{shop}", "default": True}}
    )
    body = {"sqlobs.query.text": "SELECT count(*) FROM orders"}
    send(
        collector,
        records.logs(unit(1, body=body, sqlobs__query__capture="raw", sqlobs__trace__sampled=True)),
    )
    backend.wait_for(2)
    wait_until(lambda: len(backend.received) >= 2)
    events, spans = read(backend)
    assert [named(event.attributes)["gen_ai.evaluation.name"] for _, event in events] == [
        "execution"
    ]
    assert [span.name for _, span in spans] == ["sqlobs.evaluate execution pass"]


@pytest.mark.parametrize(
    ("evaluated", "shows_reasoning", "explanation"),
    [
        ({"kind": "llm", "explanation": "Mr. Smith is missing"}, False, None),
        ({"kind": "llm", "explanation": "Mr. Smith is missing"}, True, "Mr. Smith is missing"),
        (
            {"kind": "llm", "label": "not_evaluated", "reason": "budget", "explanation": "used up"},
            False,
            "used up",
        ),
        ({"kind": "human", "explanation": "I am Mr. Smith"}, True, None),
        ({"kind": "human", "label": "not_evaluated", "explanation": "Mr. Smith"}, True, None),
        (
            {"kind": "engine", "explanation": "schema.unknown_column"},
            False,
            "schema.unknown_column",
        ),
    ],
)
def test_texts_that_may_quote_user_data_are_not_sent(
    tmp_path, backend, evaluated, shows_reasoning, explanation
):
    """A judge's reasoning goes out on request only, a person's words never; codes always do."""
    station = Emission(tmp_path, backend, shows_reasoning=shows_reasoning, **evaluated)
    station.emit()
    [(_, event)], [(_, span)] = read(backend)
    for told in (named(event.attributes), named(span.attributes)):
        assert told.get("gen_ai.evaluation.explanation") == explanation
        assert told["sqlobs.evaluator.kind"] == evaluated["kind"]
    name = "user" if evaluated["kind"] == "human" else "sqlobs.collector"
    assert named(event.attributes)["sqlobs.evaluator.name"] == name
    station.close()
