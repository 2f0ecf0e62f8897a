from __future__ import annotations

import json

from sqlobs import Schema, Sqlobs, current_generation
from tests.otlp import backend, values_of

SCHEMA = Schema.from_ddl("CREATE TABLE orders (id INTEGER, total REAL)", dialect="sqlite")


def sent(*statements, **settings):
    """What a unit says of its attempts, the last one being the answer."""
    with backend() as collector:
        library = Sqlobs(schema=SCHEMA, collector=collector.endpoint, **settings)

        @library.trace_generation
        def answer(question):
            del question
            for sql in statements[:-1]:
                current_generation().attempt(sql)
            return statements[-1]

        answer("What is the total?")
        library.shutdown(10)
        [unit] = [one for one in collector.logs if one.event_name == "sqlobs.unit"]
    text = values_of(unit.body.kvlist_value.values).get("sqlobs.attempt.texts")
    return None if text is None else json.loads(text)


def test_every_attempt_is_sent_with_what_was_found_and_where():
    """The invented name, its place and the nearest name that exists."""
    first, last = sent("SELECT id,\n totals FROM orders", "SELECT total FROM orders")
    assert (first["number"], first["verdict"], last["verdict"]) == (1, "failed", "ok")
    [finding] = first["findings"]
    assert (finding["name"], finding["suggestion"]) == ("totals", "total")
    assert (finding["line"], finding["column"]) == (2, 2)
    assert last == {
        "number": 2,
        "verdict": "ok",
        "sql": "SELECT total FROM orders",
        "findings": [],
    }


def test_one_right_answer_needs_no_attempts():
    """The statement is in the unit already."""
    assert sent("SELECT total FROM orders") is None


def test_attempts_pass_redact():
    """As every text does."""

    def redact(kind, text):
        return "withheld" if kind == "sql" else text

    [attempt] = sent("SELECT totals FROM orders", redact=redact)
    assert attempt["sql"] == "withheld"


def test_attempts_stay_where_sql_is_sent_masked(monkeypatch):
    """Only raw capture sends statements as they are."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_CAPTURE", "masked")
    assert sent("SELECT totals FROM orders") is None
