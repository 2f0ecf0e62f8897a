"""The demo in the dialects of warehouses, which nobody runs: what is checked is translated."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql
from sqlobs.demo.recordings import by_question
from sqlobs.demo.shop import shop_ddl
from sqlobs.demo.translation import translated_answer
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES

WAREHOUSES = ("bigquery", "clickhouse", "databricks", "redshift", "snowflake")
STRICTER = {"syntax.dialect_mismatch", "schema.type_mismatch", "schema.grouping"}
"""Why a warehouse rejects what SQLite runs: a function of SQLite's, LIKE on a date, a bare column
beside an aggregate."""


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_what_the_model_invents_is_invented_in_every_dialect(dialect):
    """And what it does not invent exists: a translation changes no name."""
    schema = Schema.from_ddl(shop_ddl(dialect), dialect=dialect)
    expected, found, stricter = set(), set(), []
    for question, recording in by_question(dialect).items():
        for number, completion in enumerate(recording.completions):
            if completion.outcome != "answered":
                continue
            report = check_sql(completion.content, schema=schema)
            if completion.code in SCHEMA_HALLUCINATION_CODES:
                expected.add((question, number, completion.code))
            if SCHEMA_HALLUCINATION_CODES.intersection(report.failure_codes):
                found |= {(question, number, code) for code in report.failure_codes}
            elif completion.code is None and not report.ok:
                stricter.append(report.failure_code)
    assert expected <= found
    assert {each[:2] for each in found} == {each[:2] for each in expected}
    assert set(stricter) <= STRICTER
    assert len(stricter) <= 11


def test_only_the_sql_of_an_answer_is_translated():
    """Prose and fences stay, and so does what no dialect can parse."""
    answer = "Here:\n```sql\nSELECT strftime('%Y', ordered_at) FROM orders;\n```\nIt is yearly."
    assert translated_answer(answer, dialect="snowflake") == (
        "Here:\n```sql\nSELECT\n  TO_CHAR(CAST(ordered_at AS TIMESTAMP), 'yyyy')\nFROM orders\n```"
        "\nIt is yearly."
    )
    for kept in ("SELECT FROM WHERE", "I cannot say."):
        assert translated_answer(kept, dialect="snowflake") == kept
