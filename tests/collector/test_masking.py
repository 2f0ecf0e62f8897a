"""The masking pass at intake: what a rule names is in no file, whichever way it comes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import httpx
import pytest

from sqlobs.judge.item import JudgeItem
from sqlobs_collector.cli import main
from sqlobs_collector.evaluation.judge_items import JudgeItems
from sqlobs_collector.evaluation.requests import Targets
from sqlobs_collector.masking import Masker
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_erasure import files_with
from tests.collector.test_golden import Client, identity
from tests.collector.test_units import DIGESTS, send, unit

if TYPE_CHECKING:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

RULES = {
    "patterns": {"email": r"[\w.+-]+@[\w-]+\.\w+", "card": r"\b\d{13,16}\b"},
    "columns": ["customers.name", "ssn"],
}
MASKER = Masker(RULES["patterns"], RULES["columns"], digests=DIGESTS)
EMAIL, CARD = "zaunkoenig@example.com", "4111111111111111"


def unit_of(body: dict[str, str], **named) -> ExportLogsServiceRequest:
    named.setdefault("sqlobs__query__capture", "raw")
    return records.logs(unit(1, body=body, sqlobs__dialect="postgres", **named))


def masked(request):
    MASKER.request(request, "default")
    return request


STATEMENTS = {
    f"SELECT 1 FROM t WHERE mail = '{EMAIL}' AND n = 7": "SELECT 1 FROM t WHERE mail = '<email>' AND n = 7",
    "SELECT n FROM customers WHERE customers.name = 'Ann' AND n > 7": (
        "SELECT n FROM customers WHERE customers.name = ? AND n > ?"
    ),
    "SELECT x FROM (SELECT SSN AS x FROM p) AS q WHERE x = $$123$$ -- Ann": (
        "SELECT a1 FROM (SELECT SSN AS a1 FROM p) AS a2 WHERE a1 = ?"
    ),
    "SELECT name FROM suppliers WHERE name = 'Ann'": "SELECT name FROM suppliers WHERE name = 'Ann'",
    "SELECT ssn FROM p WHERE x = 'Ann": "<masked>",
}


@pytest.mark.parametrize(("sql", "expected"), STATEMENTS.items())
def test_a_statement_is_masked_by_patterns_and_columns(sql, expected):
    """Of a column, all literals go; what cannot be tokenized goes whole."""
    assert MASKER.statement(sql, "postgres") == expected


def test_a_changed_statement_is_marked_and_an_unchanged_one_is_not():
    """It is never executed: a value that a rule took out would make another statement of it."""
    for sql, capture in ((f"SELECT '{EMAIL}'", "redacted"), ("SELECT 1", "raw")):
        [record] = only(masked(unit_of({"sqlobs.query.text": sql})))
        named = {one.key: one.value.string_value for one in record.attributes}
        assert named["sqlobs.query.capture"] == capture


def only(request):
    return request.resource_logs[0].scope_logs[0].log_records


def test_attempts_stay_a_document_and_ids_stay_ids():
    """Quotes inside a masked text would otherwise end it; an ID may look like a card."""
    attempts = json.dumps(
        [{"number": 1, "sql": "SELECT ssn FROM p WHERE a = 'x'", "findings": [{"name": EMAIL}]}]
    )
    request = unit_of({"sqlobs.attempt.texts": attempts}, sqlobs__schema__version=CARD)
    [record] = only(masked(request))
    [said] = record.body.kvlist_value.values
    assert json.loads(said.value.string_value) == [
        {"number": 1, "sql": "SELECT ssn FROM p WHERE a = ?", "findings": [{"name": "<email>"}]}
    ]
    named = {one.key: one.value.string_value for one in record.attributes}
    assert named["sqlobs.schema.version"] == CARD
    assert named["sqlobs.generation.id"] == f"{identity(1)}-01"


def test_users_stay_distinguishable():
    """A pseudonym each, the one that an erasure looks for; others only where a rule matches."""
    named = {"user__id": EMAIL, "gen_ai__conversation__id": "c1", "sqlobs__tenant": EMAIL}
    [record] = only(masked(unit_of({}, **named)))
    said = {one.key: one.value.string_value for one in record.attributes}
    assert said["user.id"] == f"hmac-{DIGESTS.of('user', 'default', EMAIL)}"
    assert said["sqlobs.tenant"] == f"hmac-{DIGESTS.of('tenant', 'default', EMAIL)}"
    assert said["gen_ai.conversation.id"] == "c1"


def test_values_of_every_shape_are_masked():
    """Lists, maps, plain bodies, and the parts of a span."""
    request = records.logs(unit(1, tags=[EMAIL, "b"], deep={"a": {"b": EMAIL}}, body=EMAIL))
    assert EMAIL.encode() not in masked(request).SerializeToString()
    span = records.generation_span(1, output__value=f"for {EMAIL}")
    span["events"] = [{"name": "exception", "attributes": records.attributes({"m": EMAIL})}]
    span["status"] = {"message": f"no {EMAIL}"}
    assert EMAIL.encode() not in masked(records.spans(span)).SerializeToString()


def test_a_request_without_a_match_is_as_it_was():
    """Also numbers, booleans and empty values."""
    request = unit_of({"sqlobs.query.text": "SELECT 1"}, a=1, b=True, c=0.5, d=[1], e="")
    before = request.SerializeToString()
    assert masked(request).SerializeToString() == before


def test_what_a_judge_is_asked_is_stored_masked():
    """Results of a column in the rules are left out; a pattern reads those of others."""
    items = JudgeItems(None, Targets({}), MASKER)
    item = JudgeItem(sql="SELECT mail FROM t", question=EMAIL, predicted_result=f"mail\n{EMAIL}")
    assert items.storable(item) == JudgeItem(
        sql="SELECT mail FROM t", question="<email>", predicted_result="mail\n<email>"
    )
    item = JudgeItem(sql="SELECT ssn FROM t", predicted_result="ssn\n1", reference_result="ssn\n2")
    assert items.storable(item) == JudgeItem(sql="SELECT ssn FROM t")


def test_nothing_raw_reaches_the_disk(launch, shop):
    """Units, spans, JSON, feedback of both kinds: neither journal nor store has it."""
    collector = launch(
        masking=RULES, targets={"shop": {"url": f"sqlite:///{shop}", "default": True}}
    )
    texts = ("question", "query", "reference.query", "hint")
    body = {f"sqlobs.{name}.text": f"SELECT '{EMAIL}', {CARD}" for name in texts}
    attributes = {"user__id": EMAIL, "error__message": EMAIL, "sqlobs__tenant": EMAIL}
    send(collector, records.logs(unit(1, body=body, sqlobs__query__capture="raw", **attributes)))
    said = {"gen_ai__evaluation__name": "feedback", "gen_ai__evaluation__explanation": EMAIL}
    corrected = {"sqlobs__feedback__query__text": f"SELECT '{EMAIL}'"}
    send(
        collector,
        records.logs(records.log(1, event="gen_ai.evaluation.result", **said, **corrected)),
    )
    spans = records.spans(records.generation_span(2, output__value=EMAIL)).SerializeToString()
    headers = {"Content-Type": "application/x-protobuf"}
    assert httpx.post(f"{collector.http}/v1/traces", content=spans, headers=headers).is_success
    client = Client(collector)
    feedback = {"generation_id": identity(1), "kind": "thumb", "value": "down", "reason": EMAIL}
    assert client.ask("POST", "/v1/feedback", json=feedback).is_success
    wait_until(lambda: reported(client) == 2)
    assert files_with("zaunkoenig", collector.config.data_dir) == []
    assert files_with(CARD, collector.config.data_dir) == []
    shown = client.get("/v1/units")["units"]
    assert {one["texts"].get("sqlobs.question.text") for one in shown} == {
        "SELECT '<email>', <card>",
        None,
    }


def reported(client: Client) -> int:
    answer = client.ask("GET", "/v1/units").json()["units"]
    return sum(len(one["feedback"]) for one in answer)


BAD = {
    "patterns: {card: '[0-9'}": "card is not a regular expression: unterminated character set",
    "patterns: {any: 'x*'}": "any matches the empty text: require at least one character",
    "patterns: {A b: x}": "the name 'A b' must be lowercase letters, digits and underscores",
    "columns: [a.b.c]": "'a.b.c' is not a column: write email or customers.email",
    "columns: email": "masking.columns must be a list",
}


@pytest.mark.parametrize(("given", "said"), BAD.items())
def test_a_bad_rule_gives_one_sentence(tmp_path, capsys, given, said):
    """Before a port opens, exit code 2."""
    path = tmp_path / "collector.yaml"
    path.write_text(f"masking: {{{given}}}\n")
    assert main(["serve", "--config", str(path), "--data-dir", str(tmp_path / "data")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
