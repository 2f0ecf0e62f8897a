"""Statements that differ in values alone: the report is known where no value matters.

The proof that it does not: the statement with other values is checked anew, and the two reports
are compared field by field, over our own statements and, where they are given, over all corpora.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import fields
from pathlib import Path

import pytest

from sqlobs import CheckReport, Schema, check_sql
from sqlobs.check import assessment, checker
from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import profile_of
from sqlobs.check.report_cache import Form, ReportCache, known_of
from tests.agreement.corpus import read_corpus, read_schemas
from tests.agreement.own import DIALECTS, WAREHOUSES, clinic, statements

SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id int, total numeric(10, 2), status varchar(20), tags text[], day date,"
    " code uuid, notes text)",
    dialect="postgres",
)
COMPARED = [field.name for field in fields(CheckReport) if field.name != "duration_s"]
NUMBERS = ["0", "1", "2", "3", "12", "999999999", "2024", "70000"]
TEXTS = ["x", "O-K", "null", "NULL", "true", "1", "-1", "1e5", "today", "2024-13-45", "a b", "or"]
TEXTS += ["select", "GROUP BY", "12:99", "x@y.z", "é", "日本", "a" * 60, "FROM t", "DROP TABLE t"]


@pytest.fixture(autouse=True)
def parsed(monkeypatch):
    """The texts that are parsed; the cache is empty at the start."""
    texts = []
    assessed = assessment._assessed

    def noting(request, *rest):
        texts.append(request.text)
        return assessed(request, *rest)

    monkeypatch.setattr(assessment, "_assessed", noting)
    checker._reports.clear()
    yield texts
    checker._reports.clear()


def values(report):
    """What a report says, but for the time that it took."""
    return {name: getattr(report, name) for name in COMPARED}


def assert_known(parsed, texts, *, count=1, schema=SCHEMA):
    """The last texts of a form are not parsed, and their reports are those of a new check."""
    reports = [check_sql(text, schema=schema) for text in texts]
    assert parsed == list(texts[:-count])
    checker._reports.clear()
    for text, report in zip(texts, reports, strict=True):
        assert values(report) == values(check_sql(text, schema=schema))
        checker._reports.clear()


def assert_checked(parsed, texts):
    """Each text is parsed: a value matters, or may matter."""
    for text in texts:
        check_sql(text, schema=SCHEMA)
    assert parsed == list(texts)


# -- what is known ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        "SELECT id FROM orders WHERE id = {}",
        "SELECT id FROM orders AS o WHERE {} < o.total AND day > CURRENT_DATE",
        "SELECT id FROM orders WHERE status <> '{}'",
        "SELECT id FROM orders WHERE status IN ('{}', 'b c', 'd') LIMIT 50",
        "SELECT SUM(CASE WHEN notes = '{}' THEN 1 ELSE 0 END) FROM orders",
        "```sql\nSELECT id FROM orders WHERE id = {};\n```",
        "WITH o AS (SELECT id, SUM(total) AS s FROM orders GROUP BY id) SELECT id FROM o WHERE s > {}",
        "SELECT status FROM orders GROUP BY status HAVING count(*) > {} AND AVG(total) > 50",
        "  SELECT id -- of one\nFROM orders WHERE id = {} ",
    ],
)
def test_the_third_text_of_a_form_is_not_parsed(parsed, form):
    """The first says that the form is used, the second which of its values are free."""
    assert_known(parsed, [form.format(value) for value in (71, 82, 93, 123456789)], count=2)


def test_the_report_is_kept_by_its_text_too(parsed):
    texts = [f"SELECT id FROM orders WHERE id = {number}" for number in (71, 82, 93)]
    first = [check_sql(text, schema=SCHEMA) for text in texts]
    assert [check_sql(text, schema=SCHEMA) for text in texts] == first
    assert check_sql(texts[2], schema=SCHEMA) is first[2]
    assert parsed == texts[:2]


def test_both_definitions_know_the_form(parsed):
    texts = [f"SELECT id FROM orders WHERE id = {number}" for number in (71, 82, 93)]
    definitions = (None, "sql_correctness")
    found = [checker.check_by(text, definitions, schema=SCHEMA, dialect=None) for text in texts]
    assert parsed == texts[:2]
    assert [report.sql for report in found[2]] == [texts[2]] * 2


# -- what is checked --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        "SELECT id FROM orders WHERE day = '{}'",
        "SELECT id FROM orders WHERE code = '{}'",
        "SELECT id FROM orders WHERE tags = '{}'",
        "SELECT id FROM orders WHERE id = '{}'",
        "SELECT id FROM orders ORDER BY {}",
        "SELECT id FROM orders LIMIT {}",
        "SELECT id + {} FROM orders",
        "SELECT date_trunc('{}', day) FROM orders",
        "SELECT id FROM orders WHERE id = -{}",
        "SELECT ids FROM orders WHERE id = {}",
        "SELECT {} AS id FROM orders",
        "SELECT * FROM orders PIVOT (SUM(total) FOR id IN ({}))",
    ],
)
def test_a_text_whose_value_matters_is_checked(parsed, form):
    """A date, a position, a unit, a value of no column; and a fault, whose report has places."""
    assert_checked(parsed, [form.format(value) for value in (71, 82, 93)])


@pytest.mark.parametrize(
    "last",
    [
        "SELECT id FROM orders WHERE id = 1234567890",
        "SELECT id FROM orders WHERE id = 012",
        "SELECT id FROM orders WHERE id = 'x'",
        "SELECT id FROM orders WHERE id = 9.5",
        "SELECT id FROM orders WHERE  id = 93",
        "SELECT id FROM orders WHERE id = 93 -- or not",
        "SELECT id FROM orders WHERE id = 93\0",
    ],
)
def test_a_text_of_another_form_is_checked(parsed, last):
    """Ten digits are another type in some engines; a text is another one in all."""
    texts = [f"SELECT id FROM orders WHERE id = {number}" for number in (71, 82)]
    assert_checked(parsed, [*texts, last])


def test_values_that_were_equal_must_be_equal(parsed):
    """PostgreSQL finds the grouped expression in the list if it is written alike."""
    case = "CASE WHEN status = '{}' THEN 1 ELSE 0 END"
    form = f"SELECT {case} FROM orders GROUP BY {case}"
    assert_known(parsed, [form.format(value, value) for value in ("x", "y", "z")])
    report = check_sql(form.format("v", "w"), schema=SCHEMA)
    assert report.failure_code == "schema.grouping"


def test_another_schema_and_other_arguments_are_other_questions(parsed):
    texts = [f"SELECT id FROM orders WHERE id = {number}" for number in (71, 82, 93)]
    for text in texts:
        check_sql(text, schema=SCHEMA)
    other = Schema.from_ddl("CREATE TABLE orders (id uuid)", dialect="postgres")
    assert check_sql(texts[2], schema=other).verdict == "failed"
    check_sql(texts[2], schema=SCHEMA, native=False)
    assert parsed == [*texts[:2], texts[2], texts[2]]


def test_what_is_held_is_bounded():
    cache = ReportCache()
    for number in range(5_000):
        found = cache.look_up((f"SELECT a{number} FROM t WHERE a = 1",))
        cache.keep(found, check_sql("SELECT 1", dialect="sqlite", native=False))
    assert (len(cache._reports._kept), len(cache._forms._kept)) == (4096, 4096)


# -- the proof --------------------------------------------------------------------------------------


def other_values(chance, form, free):
    """Return new values for the free ones: equal where they were equal, new otherwise."""
    taken, renamed = set(form.values), {}
    fixed = {value for number, value in enumerate(form.values) if number not in free}
    for value in {value: None for value in form.values if value not in fixed}:
        pool = NUMBERS if value[0].isdigit() else [f"'{text}'" for text in TEXTS]
        left = [one for one in pool if one not in taken]
        if left:
            renamed[value] = chance.choice(left)
            taken.add(renamed[value])
    return [renamed.get(value, value) for value in form.values]


def joined(form, values):
    """Return the text with other values."""
    parts = form.parts.split("\0")
    return "".join(part + value for part, value in zip(parts, [*values, ""], strict=True))


def variants(sql, schema, chance, *, native):
    """Yield other texts of a form, with the report that the cache would give."""
    free = []
    report = assess(Request(sql, schema, profile_of(schema, None), native, None, None), free)
    form = Form(sql)
    known = known_of(sql, form, report, free)
    if known is None:
        return
    for _ in range(3):
        new = other_values(chance, form, known.free)
        text = joined(form, new)
        if text != sql:
            yield text, known.report_of(text, new, 0.0)


def prove(texts, schema_of, *, native):
    """Check the variants of all statements anew; return how many there were."""
    chance, count = random.Random(25), 0
    for sql, schema in ((sql, schema_of(sql)) for sql in texts):
        for text, known in variants(sql, schema, chance, native=native):
            request = Request(text, schema, profile_of(schema, None), native, None, None)
            assert known is not None, text
            assert values(known) == values(assess(request)), text
            count += 1
    return count


@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_values_that_are_called_free_do_not_matter(dialect):
    """With local engines, whose verdict counts, too."""
    schema = clinic(dialect)
    some = [sql for sql in statements(dialect) if re.search(r"[=<>] *['\d]| IN \(['\d]", sql)]
    chosen = random.Random(24).sample(some, min(90, len(some)))
    assert prove(chosen, lambda _: schema, native=True) > 10


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_they_do_not_matter_in_any_statement_of_our_own(dialect):
    schema = clinic(dialect)
    assert prove(statements(dialect), lambda _: schema, native=True) > 50


@pytest.mark.shared
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "dialect", ["sqlite", "postgres", "mysql", "duckdb", "clickhouse", "spark", "bigquery"]
)
def test_they_do_not_matter_in_any_corpus(dialect):
    place = os.environ.get("SQLOBS_SHARED")
    if not place:
        pytest.skip("SQLOBS_SHARED names no corpora")
    folder = Path(place) / "corpora"
    schemas = read_schemas(folder / "schemas.jsonl.gz", dialect)
    known = {row.sql: schemas[row.schema] for row in read_corpus(folder / f"{dialect}.jsonl.gz")}
    assert prove(known, known.__getitem__, native=False) > 100
