"""No value of a question, statement, comment, message or description is on a span or in a log."""

from __future__ import annotations

import logging

import pytest

from sqlobs import Schema, record_feedback
from tests.canaries import (
    CANARIES,
    DATE,
    NUMBER,
    QUOTES,
    STRING,
    everything_exported,
    with_canaries,
)
from tests.tracing.rig import Rig

STATEMENTS = [
    "SELECT total FROM orders WHERE customer = 'x' AND total > 5",
    "SELECT totl FROM orders WHERE customer IN ('x', 'y') /* x */ LIMIT 3",
    "SELECT total FROM ordrs o WHERE o.day = '2020-01-01'",
    "SELECT 'x' AS x, sum(customer) FROM orders GROUP BY 'y' HAVING count(*) > 7",
    "SELECT nofun('x', 3) FROM orders -- x",
    "SELECT total FROM orders WHERE customer = 'x' 'y'",
    "SELECT FROM orders WHERE = 'x' 5",
    "SELECT total FROM orders WHERE customer = 'x",
    "SELECT total, FROM orders WHERE day BETWEEN '2020-01-01' '2020-02-01'",
    "INSERT INTO orders VALUES (1, 'x', 2.5); DROP TABLE orders",
    "Sorry: 'x' 5 cannot be found",
    "SELECT total FROM 'x'",
    "SELECT totl FROM orders JOIN 'x' AS t ON t.id = orders.id",
    "SELECT total FROM 'x'.orders",
]
DESCRIBED = (
    f"CREATE TABLE orders (id int, total int, customer text, -- {STRING} {NUMBER}\n day date);"
)


@pytest.mark.parametrize(
    ("dialect", "quote"),
    [(dialect, quote) for dialect, quotes in QUOTES.items() for quote in quotes],
)
@pytest.mark.parametrize("mode", ["inline", "deferred"])
def test_no_value_of_a_statement_is_exported(dialect, quote, mode, caplog):
    """Parsing or not, in every quoting of the dialect, with the question beside it."""
    caplog.set_level(logging.DEBUG)
    schema = Schema.from_ddl(DESCRIBED, dialect=dialect)
    with Rig(mode=mode, schema=schema) as rig:

        @rig.sqlobs.trace_generation
        def generate(question, sql):
            return sql

        for sql in STATEMENTS:
            generate(f"How many {STRING} on {DATE}?", with_canaries(sql, quote))
        assert len(rig.generations) == len(STATEMENTS)
        exported = everything_exported(rig)
    assert CANARIES.search(exported) is None
    assert CANARIES.search(caplog.text) is None


def test_no_value_of_an_exception_execution_attempt_or_feedback_is_exported(caplog):
    """What is raised passes through; what is recorded of it is its class."""
    caplog.set_level(logging.DEBUG)
    schema = Schema.from_ddl(DESCRIBED, dialect="sqlite")
    sql = with_canaries("SELECT totl FROM orders WHERE customer = 'x'", "'{}'")
    with Rig(mode="inline", schema=schema) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            from sqlobs import current_generation

            current_generation().attempt(sql)
            raise ValueError(f"{STRING} {NUMBER}")

        @rig.sqlobs.trace_execution(sql="sql", target="shop")
        def run(sql):
            raise RuntimeError(f"no such column: {STRING}")

        with pytest.raises(ValueError, match=STRING):
            generate(STRING)
        with pytest.raises(RuntimeError, match=STRING):
            run(sql=sql)
        record_feedback(
            "00-" + "1" * 32 + "-" + "2" * 16 + "-01",
            kind="thumb",
            value="down",
            corrected_sql=sql,
            reason=STRING,
        )
        exported = everything_exported(rig)
    assert CANARIES.search(exported) is None
    assert CANARIES.search(caplog.text) is None


def test_a_word_in_place_of_a_name_is_masked_unless_it_is_an_identifier():
    """A model writes `FROM "North West"`; the rest of the summary stays."""
    schema = Schema.from_ddl(DESCRIBED, dialect="postgres")
    with Rig(mode="inline", schema=schema) as rig:

        @rig.sqlobs.trace_generation
        def generate(question):
            return f'SELECT total FROM orders JOIN "{STRING}" ON true'

        generate("q")
        attributes = rig.generation.attributes
        exported = everything_exported(rig)
    assert attributes["sqlobs.query.summary"] == "SELECT orders <quoted>"
    assert attributes["sqlobs.hallucinated.tables"] == ("<quoted>",)
    assert CANARIES.search(exported) is None
