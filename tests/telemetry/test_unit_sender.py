from __future__ import annotations

import os
import time
from dataclasses import replace

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceResponse,
)

from sqlobs.tracing.description.attributes import unit_of
from sqlobs.tracing.records.record import CallContext, ExecutionRecord, Texts
from sqlobs.tracing.sending.collector_client import CollectorClient
from sqlobs.tracing.sending.unit_sender import UnitSender
from sqlobs.unit import TEXT_CAP, Unit
from tests.otlp import value_of, values_of
from tests.telemetry.records import INVENTED, SPAN, START, record

FULL = record(
    INVENTED,
    texts=Texts(
        sql=INVENTED.sql,
        masked_sql=INVENTED.masked_sql,
        question="Which region?",
        question_digest="ab" * 32,
        reference="SELECT 1",
        hint="net of returns",
    ),
    context=CallContext(dialect="postgres", case_id="shop-17", tenant="acme"),
    executions=(
        ExecutionRecord(status="ok", start_ns=START, end_ns=START, span=SPAN, rows=1),
        ExecutionRecord(
            status="error",
            start_ns=START,
            end_ns=START + 1,
            span=SPAN,
            sqlstate_class="42",
            error_type="E",
        ),
    ),
)


class Failures:
    """Counts what is rejected."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, more: int) -> None:
        self.count += more

    def reach(self, count: int) -> bool:
        """Wait until so many are counted: a delivery may be on its way."""
        until = time.monotonic() + 20
        while self.count < count and time.monotonic() < until:
            time.sleep(0.01)
        return self.count == count


@pytest.fixture
def failures() -> Failures:
    """What the sender counted as failed."""
    return Failures()


@pytest.fixture
def sender(collector, failures):
    """A sender to the collector on loopback."""
    made = UnitSender(
        CollectorClient(collector.endpoint, headers={"authorization": "Bearer ours"}),
        resource=lambda: {"service.name": "assistant"},
        failed=failures,
    )
    yield made
    made.close(5)


def test_a_unit_carries_the_texts_in_its_body_and_the_rest_as_attributes():
    """The whole unit of a failed generation that was executed twice."""
    unit = unit_of(FULL)
    assert unit.body == {
        "sqlobs.query.text": INVENTED.sql,
        "sqlobs.question.text": "Which region?",
        "sqlobs.reference.query.text": "SELECT 1",
        "sqlobs.hint.text": "net of returns",
    }
    shown = dict(unit.attributes)
    assert "sqlobs.query.text" not in shown
    assert "sqlobs.question.text" not in shown
    assert shown["gen_ai.operation.name"] == "invoke_workflow"
    assert shown["sqlobs.workflow"] == "generate_sql"
    assert shown["sqlobs.generation.id"] == SPAN.traceparent
    assert shown["sqlobs.question.digest"] == "ab" * 32
    assert shown["sqlobs.reference.case_id"] == "shop-17"
    assert shown["sqlobs.tenant"] == "acme"
    assert shown["sqlobs.verdict"] == "failed"
    assert shown["sqlobs.execution.status"] == "error"
    assert shown["sqlobs.execution.sqlstate_class"] == "42"
    assert shown["sqlobs.query.fingerprint"] == INVENTED.fingerprint
    assert "error.type" not in shown, "the generation itself did not fail"
    assert shown["sqlobs.trace.sampled"] is True
    assert shown["sqlobs.sampling.probability"] == 1.0
    assert shown["sqlobs.query.capture"] == "raw"


@pytest.mark.parametrize(
    ("capture", "body", "says"),
    [
        ("masked", {"sqlobs.query.text": INVENTED.masked_sql}, "masked"),
        ("none", {}, "none"),
    ],
)
def test_without_raw_capture_neither_question_nor_reference_leaves(capture, body, says):
    """Consent to raw text is one setting; less means masked SQL alone, or nothing."""
    unit = unit_of(FULL, capture)
    assert unit.body == body
    assert unit.attributes["sqlobs.query.capture"] == says


def test_redacted_sql_is_marked_so_that_it_is_never_executed():
    """What `redact` changed is not what the model wrote."""
    redacted = replace(FULL, texts=replace(FULL.texts, is_redacted=True))
    assert unit_of(redacted).attributes["sqlobs.query.capture"] == "redacted"


def test_a_text_beyond_the_cap_is_cut_and_marked():
    """The collector must not execute half a statement."""
    long = replace(FULL, texts=Texts(sql="SELECT a, " * 10_000))
    unit = unit_of(long)
    assert unit.query_text is not None
    assert len(unit.query_text) <= TEXT_CAP
    assert unit.attributes["sqlobs.query.truncated"] is True


def test_a_unit_arrives_as_a_log_record_with_the_ids_of_its_span(sender, collector, monkeypatch):
    """Event name, ids, times, body and resource on the wire; SDK limits tear nothing."""
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "5")
    assert sender.send(FULL)
    assert sender.flush(5)
    [log] = collector.logs
    assert log.event_name == "sqlobs.unit"
    assert log.trace_id == SPAN.trace_id.to_bytes(16, "big")
    assert log.span_id == SPAN.span_id.to_bytes(8, "big")
    assert log.flags == 1
    assert log.time_unix_nano == FULL.end_ns
    sent = unit_of(FULL)
    read = Unit.from_record(values_of(log.attributes), value_of(log.body))
    assert read.body == sent.body
    assert {k: list(v) if isinstance(v, tuple) else v for k, v in sent.attributes.items()} == (
        read.attributes
    )
    assert collector.resources("/v1/logs") == [{"service.name": "assistant"}]


def test_only_the_collectors_own_headers_are_sent(sender, collector, monkeypatch):
    """The vendor's key never reaches the collector."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-vendor-key=canary")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "x-vendor-key=canary")
    sender.send(FULL)
    sender.flush(5)
    [request] = collector.requests
    assert request.headers["authorization"] == "Bearer ours"
    assert b"canary" not in collector.raw


def test_every_unit_of_a_burst_arrives_once(sender, collector, failures):
    """The queue is bounded by bytes, not by the SDK's 2,048 records."""
    for number in range(5_000):
        assert sender.send(replace(FULL, span=replace(SPAN, span_id=number + 1)))
    assert sender.flush(20)
    assert {int.from_bytes(log.span_id, "big") for log in collector.logs} == set(range(1, 5_001))
    assert len(collector.logs) == 5_000
    assert failures.count == 0


def test_a_full_queue_drops_and_counts_units(collector, failures):
    """Memory is bounded; what does not fit is counted, each record once."""
    collector.status = 503
    sender = UnitSender(
        CollectorClient(collector.endpoint), resource=dict, failed=failures, queue_bytes=10_000
    )
    taken = [sender.send(FULL) for _ in range(20)]
    assert 1 <= sum(taken) < 20
    assert failures.count == 20 - sum(taken)
    sender.close(0)
    assert failures.reach(20)


def test_a_connection_opened_while_the_client_closes_is_closed(collector, monkeypatch):
    """`close` in another thread, while the first request connects."""
    client = CollectorClient(collector.endpoint)
    handle_request, sockets = httpx.HTTPTransport.handle_request, []

    def watch(event, info):
        if event == "connection.connect_tcp.started":
            client.close()
        if event == "connection.connect_tcp.complete":
            sockets.append(info["return_value"].get_extra_info("socket"))

    def watched(transport, request):
        request.extensions["trace"] = watch
        return handle_request(transport, request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", watched)
    reply = client.deliver("/v1/logs", b"", within_s=5, is_repeated=False)
    assert reply.is_accepted
    assert [opened.fileno() for opened in sockets] == [-1]


def test_units_are_kept_while_the_collector_is_unreachable(collector, failures, caplog):
    """A restart of the collector loses nothing that fits in the queue."""
    collector.status, collector.retry_after = 503, "0"
    sender = UnitSender(CollectorClient(collector.endpoint), resource=dict, failed=failures)
    sender.send(FULL)
    collector.wait_for(2, "/v1/logs")
    collector.status = 200
    assert sender.flush(10)
    assert failures.count == 0
    sender.close(1)


def test_a_rejected_batch_is_counted_and_logged_once(sender, collector, failures, caplog):
    """A wrong token is no reason to keep units forever."""
    collector.status = 401
    for _ in range(2):
        sender.send(FULL)
        assert sender.flush(5)
    assert failures.count == 2
    [said] = [entry.getMessage() for entry in caplog.records if entry.name == "sqlobs"]
    assert said.startswith(f"sqlobs: the collector at {collector.endpoint} answers 401; units")


def test_records_rejected_by_the_collector_are_counted(sender, collector, failures):
    """A partial success names how many records were not taken."""
    partial = ExportLogsPartialSuccess(rejected_log_records=1, error_message="no id")
    collector.answer = ExportLogsServiceResponse(partial_success=partial).SerializeToString()
    sender.send(FULL)
    assert sender.flush(5)
    assert failures.count == 1


def test_an_unreachable_collector_costs_no_more_than_the_deadline(failures):
    """Shutting down waits as long as it was told, and counts what it leaves behind."""
    sender = UnitSender(
        CollectorClient("http://127.0.0.1:9", timeout_s=0.2), resource=dict, failed=failures
    )
    assert sender.send(FULL)
    assert sender.flush(0.05) is False
    sender.close(0.05)
    sender._thread.join(5)
    assert failures.count == 1
    assert sender.send(FULL) is False


def test_a_late_execution_is_a_record_of_its_own(sender, collector):
    """The collector joins it by the generation's id, in any order."""
    late = replace(FULL.executions[1], generation_id=SPAN.traceparent, joins_late=True)
    sender.send_execution(late)
    sender.flush(5)
    [log] = collector.logs
    assert log.event_name == "sqlobs.execution"
    assert values_of(log.attributes) == {
        "sqlobs.generation.id": SPAN.traceparent,
        "error.type": "E",
        "sqlobs.execution.sqlstate_class": "42",
        "sqlobs.execution.status": "error",
    }


def test_the_first_unit_after_a_silence_goes_at_once_and_others_in_company(sender, collector):
    """A process that ends right after a request has little left to send."""
    sender.send(FULL)
    collector.wait_for(1, "/v1/logs")
    for _ in range(20):
        sender.send(FULL)
    assert sender.flush(5)
    assert len(collector.logs) == 21
    assert len(collector.requests) <= 4


def test_a_flush_tries_again_soon_whatever_pause_was_reached(collector, failures):
    """The time that is left is used: no pause of minutes that the collector once asked for."""
    collector.status, collector.retry_after = 503, "3600"
    sender = UnitSender(CollectorClient(collector.endpoint), resource=dict, failed=failures)
    sender.send(FULL)
    collector.wait_for(1, "/v1/logs")
    collector.status = 200
    assert sender.flush(10)
    sender.close(1)


def test_each_loss_is_counted_and_logged_once(collector, failures, caplog):
    """What is left at the end is one line, however many batches it would have been."""
    collector.status = 503
    sender = UnitSender(CollectorClient(collector.endpoint), resource=dict, failed=failures)
    for _ in range(1200):
        sender.send(FULL)
    sender.drain(0.1)
    sender.close(0.1)
    assert failures.count == 1200
    assert [entry.getMessage() for entry in caplog.records if entry.name == "sqlobs"][-1] == (
        "sqlobs: units lost: 1200; the process ended before they were sent (logged once; all are"
        " counted in sqlobs.export.failures)"
    )


def test_half_a_surrogate_pair_does_not_stop_the_queue(sender, collector, failures):
    """A model may write text that is no UTF-8."""
    sender.send(replace(FULL, texts=Texts(sql="SELECT '\ud83d'")))
    assert sender.flush(5)
    assert failures.count == 0
    assert value_of(collector.logs[0].body) == {"sqlobs.query.text": "SELECT '?'"}


def test_a_forked_child_sends_its_own_units_and_not_its_parents(collector, failures):
    """After a fork the queue is empty, the thread is new, the connections are the child's."""
    collector.status, collector.retry_after = 503, "60"
    sender = UnitSender(CollectorClient(collector.endpoint), resource=dict, failed=failures)
    sender.send(FULL)
    collector.wait_for(1, "/v1/logs")
    collector.requests.clear()
    collector.status = 200
    child = os.fork()
    if child == 0:
        sender = UnitSender(CollectorClient(collector.endpoint), resource=dict, failed=failures)
        sender.send(replace(FULL, span=replace(SPAN, span_id=77)))
        os._exit(0 if sender.flush(5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [int.from_bytes(log.span_id, "big") for log in collector.logs] == [77]
    sender.close(0)
