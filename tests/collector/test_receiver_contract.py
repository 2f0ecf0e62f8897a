from __future__ import annotations

import gzip
import json
import os
import re
import resource
import socket

import httpx
import pytest
from google.rpc import code_pb2
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

from sqlobs import Schema
from tests.collector import records

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}


def post(collector, body: bytes, *, path: str = "/v1/logs", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return httpx.post(f"{collector.http}{path}", content=body, headers={**PROTOBUF, **named})


def test_a_unit_is_on_disk_before_the_response(collector):
    """200 means: the request's own bytes are in the journal, compressed as they came."""
    body = gzip.compress(records.logs(records.log(1), records.log(2)).SerializeToString())
    response = post(collector, body, content_encoding="gzip")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "application/x-protobuf"
    [entry] = collector.journaled()
    assert (entry.workspace, entry.kind, entry.encoding, entry.record_count) == (
        "default",
        "logs",
        "gzip",
        2,
    )
    assert entry.body == body


@pytest.mark.parametrize("path", ["/v1/logs", "/v1/traces", "/v1/metrics"])
@pytest.mark.parametrize(("headers", "answer"), [(PROTOBUF, b""), (JSON, b"{}")])
def test_an_empty_request_is_accepted(collector, path, headers, answer):
    """Exporters send empty requests to probe an endpoint: 200, an empty response, nothing kept."""
    response = httpx.post(f"{collector.http}{path}", content=b"", headers=headers)
    assert (response.status_code, response.content) == (200, answer)
    assert response.headers["content-type"] == headers["Content-Type"]
    assert collector.journaled() == []


def test_json_and_protobuf_of_one_request_are_kept_alike(collector):
    """JSON: hex ids in any case, 64-bit integers as text or number, unknown fields ignored."""
    expected = records.logs(records.log(1, body={"sqlobs.query.text": "SELECT 1"}, n=3, x=0.5))
    document = {
        "resourceLogs": [
            {
                "resource": {
                    "attributes": [
                        {"key": "service.name", "value": {"stringValue": "sales"}},
                        {
                            "key": "deployment.environment.name",
                            "value": {"stringValue": "prod"},
                        },
                        {"key": "service.version", "value": {"stringValue": "2.4.1"}},
                    ]
                },
                "scopeLogs": [
                    {
                        "scope": {"name": "sqlobs", "unheardOf": 1},
                        "logRecords": [
                            {
                                "timeUnixNano": "1800000000000000000",
                                "eventName": "sqlobs.unit",
                                "traceId": records.trace_id(1).hex().upper(),
                                "spanId": records.span_id(1).hex(),
                                "severityNumber": 0,
                                "body": {
                                    "kvlistValue": {
                                        "values": [
                                            {
                                                "key": "sqlobs.query.text",
                                                "value": {"stringValue": "SELECT 1"},
                                            }
                                        ]
                                    }
                                },
                                "attributes": [
                                    {
                                        "key": "sqlobs.generation.id",
                                        "value": {
                                            "stringValue": f"00-{records.trace_id(1).hex()}"
                                            f"-{records.span_id(1).hex()}-01"
                                        },
                                    },
                                    {"key": "n", "value": {"intValue": 3}},
                                    {"key": "x", "value": {"doubleValue": 0.5}},
                                ],
                                "trace_id": "snake case is not OTLP/JSON",
                            }
                        ],
                    }
                ],
            }
        ]
    }
    response = httpx.post(
        f"{collector.http}/v1/logs",
        content=json.dumps(document).encode(),
        headers={"Content-Type": "application/json; charset=utf-8"},
    )
    assert (response.status_code, response.json()) == (200, {})
    [entry] = collector.journaled()
    assert ExportLogsServiceRequest.FromString(entry.body) == expected


def test_bad_records_are_rejected_and_the_rest_is_kept(collector):
    """A bad id costs its record alone: 200, `rejected_log_records`, no second try."""
    bad = records.log(2) | {"span_id": bytes(8)}
    request = records.logs(records.log(1), bad, records.log(3))
    response = post(collector, request.SerializeToString())
    answer = ExportLogsServiceResponse.FromString(response.content)
    assert response.status_code == 200
    assert answer.partial_success.rejected_log_records == 1
    assert (
        answer.partial_success.error_message == "a span id must have 8 bytes that are not all zero"
    )
    [entry] = collector.journaled()
    assert ExportLogsServiceRequest.FromString(entry.body) == records.logs(
        records.log(1), records.log(3)
    )


def test_a_bad_id_in_json_is_rejected_alone(collector):
    """An id that is not hex is a bad record, no malformed request."""
    spans = [
        {"traceId": "zz", "spanId": "0102030405060708", "name": "a"},
        {"traceId": "0" * 31 + "1", "spanId": "0102030405060708", "name": "b"},
    ]
    document = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    response = httpx.post(f"{collector.http}/v1/traces", json=document)
    assert response.status_code == 200
    assert response.json() == {
        "partialSuccess": {
            "rejectedSpans": "1",
            "errorMessage": "a trace id must have 16 bytes that are not all zero",
        }
    }


def test_an_oversize_record_is_rejected_alone(launch):
    """A record beyond `receive.max_record_bytes` does not cost the others."""
    collector = launch(receive__max_record_bytes=1000)
    request = records.logs(records.log(1), records.log(2, body="x" * 2000))
    response = post(collector, request.SerializeToString())
    answer = ExportLogsServiceResponse.FromString(response.content)
    assert answer.partial_success.rejected_log_records == 1
    assert [entry.record_count for entry in collector.journaled()] == [1]


@pytest.mark.parametrize(
    ("body", "headers", "status", "code", "message"),
    [
        (b"\xff\xff", {}, 400, code_pb2.INVALID_ARGUMENT, "not a valid protobuf ExportLogsService"),
        (b"\x1f", {"content_encoding": "gzip"}, 400, code_pb2.INVALID_ARGUMENT, "is truncated"),
        (b"text", {"content_encoding": "gzip"}, 400, code_pb2.INVALID_ARGUMENT, "not valid gzip"),
        (b"", {"content_encoding": "br"}, 415, code_pb2.INVALID_ARGUMENT, "gzip or absent"),
    ],
    ids=["rubbish", "truncated gzip", "no gzip", "unknown encoding"],
)
def test_an_undecodable_body_is_refused_for_good(collector, body, headers, status, code, message):
    """4xx, and the body is a `google.rpc.Status` in the request's own form."""
    response = post(collector, body, **headers)
    answer = Status.FromString(response.content)
    assert (response.status_code, answer.code) == (status, code)
    assert message in answer.message


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"resourceLogs": 1}',
        b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "x"}]}]}]}',
        b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": 1}}]}]}]}',
        b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": '
        + b'{"arrayValue": {"values": [' * 60
        + b"{}"
        + b"]}}" * 60
        + b"}]}]}]}",
    ],
    ids=["cut", "no object", "no array", "no integer", "no text", "too deep"],
)
def test_undecodable_json_is_refused_with_a_json_status(collector, body):
    """The form of the request is the form of the answer, in errors too."""
    response = httpx.post(f"{collector.http}/v1/logs", content=body, headers=JSON)
    assert response.status_code == 400
    assert response.json()["code"] == code_pb2.INVALID_ARGUMENT
    assert set(response.json()) == {"code", "message"}


def test_a_type_that_is_not_otlp_is_named(collector):
    """A form post is answered 415 with what would be right."""
    response = httpx.post(f"{collector.http}/v1/logs", data={"a": "b"})
    assert response.status_code == 415
    assert "application/x-protobuf or application/json" in response.json()["message"]


def test_unknown_paths_and_methods_have_different_status_codes(collector):
    """404 for a path that is not served, 405 for a method that is not."""
    assert httpx.get(f"{collector.http}/").status_code == 404
    assert httpx.get(f"{collector.http}/v1/logs").status_code == 405
    assert httpx.post(f"{collector.http}/v1/schemas/abc", content=b"{}").status_code == 405


def test_a_zip_bomb_is_refused_without_being_inflated(launch):
    """The limit counts after decompression, and stops the decompressor."""
    collector = launch(receive__max_body_bytes="8MiB")
    bomb = gzip.compress(bytes(128 * 2**20), 1)
    assert len(bomb) < 2**20
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    response = post(collector, bomb, content_encoding="gzip")
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
    assert response.status_code == 413
    assert Status.FromString(response.content).code == code_pb2.RESOURCE_EXHAUSTED
    assert grown_kib < 64 * 1024


def test_many_gzip_members_are_refused_and_a_few_are_one_body(collector):
    """Each member costs time even if it is empty: what costs minutes to read is not read."""
    body = records.logs(records.log(1)).SerializeToString()
    halves = gzip.compress(body[:50]) + gzip.compress(b"") + gzip.compress(body[50:])
    assert post(collector, halves, content_encoding="gzip").status_code == 200
    assert [gzip.decompress(one.body) for one in collector.journaled()] == [body]
    response = post(collector, gzip.compress(b"") * 200_000, content_encoding="gzip")
    assert response.status_code == 400
    assert Status.FromString(response.content).message == "the gzip body has 1000 members or more"


@pytest.mark.parametrize("chunked", [False, True], ids=["declared", "chunked"])
def test_a_body_over_the_limit_is_refused(launch, chunked):
    """Refused by its declared length, or as soon as the chunks reach it."""
    collector = launch(receive__max_body_bytes=1000)
    body = os.urandom(1001)
    response = httpx.post(
        f"{collector.http}/v1/logs",
        content=iter([body[:600], body[600:]]) if chunked else body,
        headers=PROTOBUF,
    )
    assert response.status_code == 413


def test_overload_gives_a_short_retry_after(launch):
    """503 with a Retry-After that exporters accept: they drop a batch told to wait longer."""
    collector = launch(journal__max_bytes=1)
    body = records.logs(records.log(1)).SerializeToString()
    assert post(collector, body).status_code == 200
    response = post(collector, body)
    assert response.status_code == 503
    assert 1 <= int(response.headers["retry-after"]) <= 5
    status = Status.FromString(response.content)
    assert status.code == code_pb2.UNAVAILABLE
    assert status.details[0].type_url.endswith("google.rpc.RetryInfo")
    assert httpx.get(f"{collector.admin}/readyz").status_code == 503


def trickle(collector, count: int, **headers: str) -> list[socket.socket]:
    """Connections that each send a part of a request and then nothing."""
    lines = {"Content-Type": "application/x-protobuf", "Content-Length": "900", **headers}
    head = "".join(f"{name}: {text}\r\n" for name, text in {"Host": "x", **lines}.items())
    clients = []
    for _ in range(count):
        address = collector.addresses.http
        client = socket.create_connection((address.host, address.port))
        client.sendall(f"POST /v1/logs HTTP/1.1\r\n{head}\r\n".encode() + bytes(400))
        clients.append(client)
    return clients


def rejected(collector) -> dict[str, float]:
    shown = collector.metrics()
    series = re.findall(r"^sqlobs_collector_rejected_total{(.*)} (.*)$", shown, re.MULTILINE)
    return {re.search('reason="(.*?)"', labels)[1]: float(count) for labels, count in series}


def test_unauthenticated_requests_occupy_no_memory(launch):
    """Without a credential no body is read: those with one are answered meanwhile."""
    collector = launch(receive__queue_bytes=1000, auth__tokens={"sales": {"ingest": ["s"]}})
    strangers = trickle(collector, 4)
    answers = [client.recv(100).split(b"\r\n")[0] for client in strangers]
    assert answers == [b"HTTP/1.1 401 Unauthorized"] * 4
    body = records.logs(records.log(1)).SerializeToString()
    assert post(collector, body, authorization="Bearer s").status_code == 200
    assert rejected(collector) == {"unauthenticated": 4.0}
    for client in strangers:
        client.close()


def test_a_body_that_does_not_arrive_releases_its_memory(launch):
    """After the timeout, the client gets a retry status, and others pass."""
    collector = launch(receive__queue_bytes=1000, receive__body_timeout_s=0.2)
    slow = trickle(collector, 2)
    answers = [client.recv(100).split(b"\r\n")[0] for client in slow]
    assert answers == [b"HTTP/1.1 503 Service Unavailable"] * 2
    body = records.logs(records.log(1, body="x" * 500)).SerializeToString()
    assert post(collector, body).status_code == 200
    assert rejected(collector) == {"slow": 2.0}
    for client in slow:
        client.close()


def test_a_full_queue_rejects_further_requests(launch):
    """The bound is in bytes; a request that is alone always passes."""
    collector = launch(receive__queue_bytes=1000)
    body = records.logs(records.log(1, body="x" * 2000)).SerializeToString()
    assert post(collector, body).status_code == 200

    def slowly():
        yield body[:600]
        answers.append(post(collector, body).status_code)
        yield body[600:]

    answers: list[int] = []
    response = httpx.post(f"{collector.http}/v1/logs", content=slowly(), headers=PROTOBUF)
    assert (answers, response.status_code) == ([503], 200)


def test_only_a_known_token_may_send(launch, monkeypatch):
    """The workspace comes from the credential alone; without one nothing is taken."""
    monkeypatch.setenv("SALES_TOKEN", "s3cret")
    collector = launch(
        auth__tokens={"sales": {"ingest": ["env:SALES_TOKEN"]}, "hr": {"ingest": ["other"]}}
    )
    body = records.logs(records.log(1)).SerializeToString()
    refused = [
        post(collector, body),
        post(collector, body, authorization="Bearer wrong"),
        post(collector, body, authorization="Basic s3cret"),
    ]
    assert [response.status_code for response in refused] == [401, 401, 401]
    assert refused[0].headers["www-authenticate"] == "Bearer"
    assert post(collector, body, authorization="bearer s3cret").status_code == 200
    assert post(collector, body, authorization="Bearer other").status_code == 200
    assert [entry.workspace for entry in collector.journaled()] == ["sales", "hr"]


def test_foreign_records_are_accepted_and_not_kept(collector):
    """The journal holds units, executions, results and generation spans; nothing else."""
    foreign = records.logs(records.log(1, event="app.event"), scope="app")
    assert post(collector, foreign.SerializeToString()).status_code == 200
    mixed = records.spans(records.span(1), records.generation_span(2), records.span(3))
    assert post(collector, mixed.SerializeToString(), path="/v1/traces").status_code == 200
    assert (
        post(collector, records.metrics("a").SerializeToString(), path="/v1/metrics").status_code
        == 200
    )
    [entry] = collector.journaled()
    assert (entry.kind, entry.record_count) == ("traces", 1)
    assert entry.body == records.spans(records.generation_span(2)).SerializeToString()


def test_records_that_a_collector_emitted_are_not_stored_again(collector):
    """Records of the scope `sqlobs.collector` are counted as loops and dropped."""
    body = records.logs(records.log(1), scope="sqlobs.collector").SerializeToString()
    assert post(collector, body).status_code == 200
    assert collector.journaled() == []
    page = collector.metrics()
    assert 'kind="loop"' in page


def test_a_schema_is_kept_under_the_hash_of_its_content(collector):
    """Durable like a unit; a document that is no schema, or another one's, is rejected."""
    schema = Schema.from_ddl("CREATE TABLE orders (id INTEGER)", dialect="sqlite")
    document = schema.to_json()
    url = f"{collector.http}/v1/schemas"
    as_json = {"Content-Type": "application/json"}
    kept = httpx.put(f"{url}/{schema.version}", content=document, headers=as_json)
    assert kept.status_code == 200
    for version, refused, sentence in (
        (schema.version, "[]", "lacks"),
        (schema.version, "{", "is not JSON"),
        ("0123456789abcdef", document, f"version is {schema.version}, not 0123456789abcdef"),
    ):
        response = httpx.put(f"{url}/{version}", content=refused, headers=as_json)
        assert response.status_code == 400
        assert sentence in response.json()["message"]
    [entry] = collector.journaled()
    assert (entry.kind, entry.subject, entry.body) == ("schema", schema.version, document.encode())


def test_the_counters_count_received_and_rejected_records(collector):
    """`/metrics` names each record's kind and service, and each refusal's reason."""
    request = records.logs(records.log(1), records.log(2) | {"trace_id": b"x"})
    post(collector, request.SerializeToString())
    post(collector, b"\xff")
    page = collector.metrics()
    counted = sorted(
        line
        for line in page.splitlines()
        if line.startswith("sqlobs_collector_re") and "_created" not in line
    )
    sales = 'deployment_environment_name="prod",kind="unit",service_name="sales"'
    own = 'deployment_environment_name="",reason="{}",service_name="sqlobs-collector"'
    assert counted == [
        f'sqlobs_collector_received_total{{{sales},signal="logs",workspace="default"}} 1.0',
        f'sqlobs_collector_rejected_total{{{own.format("bad_record")},signal="logs",workspace=""}} 1.0',
        f'sqlobs_collector_rejected_total{{{own.format("malformed")},signal="logs",workspace=""}} 1.0',
    ]
