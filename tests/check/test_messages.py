"""Messages of engines and models without values: made by running engines, masked by position."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs.check.report.masking import mask_sql
from sqlobs.check.report.message_masking import (
    StatementWords,
    mask_engine_message,
    mask_message,
)
from tests.agreement.corpus import read_corpus

WORD = "Kanarienvogel"
TORN = st.text(alphabet="'\"`()[]{}:;,.?- 1x\\", max_size=12)
VALUES = st.tuples(TORN, TORN).map(lambda sides: f"{sides[0]}{WORD}{sides[1]}")
"""A row's value with whatever may end a quotation around it."""

DUCKDB = (
    *(f"SELECT CAST(v AS {kind}) FROM t" for kind in ("INTEGER", "DATE", "TIMESTAMP", "DOUBLE")),
    *(f"SELECT CAST(v AS {kind}) FROM t" for kind in ("DECIMAL(3, 2)", "BOOLEAN", "UUID", "TIME")),
    *(f"SELECT CAST(v AS {kind}) FROM t" for kind in ("INTERVAL", "INTEGER[]", "BLOB", "JSON")),
    *(f"SELECT CAST(v AS {kind}) FROM t" for kind in ("ENUM ('a')", "STRUCT(a INT)", "BIT")),
    "SELECT v::TIMESTAMP AT TIME ZONE v FROM t",
    "SELECT now() AT TIME ZONE v FROM t",
    "SELECT strptime(v, '%Y') FROM t",
    "SELECT strftime(now(), v) FROM t",
    "SELECT date_part(v, now()) FROM t",
    "SELECT date_trunc(v, now()) FROM t",
    "SELECT regexp_matches('a', v) FROM t",
    "SELECT json_extract(v, '$.a') FROM t",
    "SELECT json_extract('{}', v) FROM t",
    "SELECT CAST(v AS INTEGER) + 1 FROM t WHERE v <> 'x' ORDER BY v",
    "SELECT printf('%d', v) FROM t",
    "SELECT from_base64(v) FROM t",
    "SELECT unhex(v) FROM t",
    "SELECT make_date(2024, 13, length(v)) FROM t",
)
SQLITE = (
    "SELECT json_extract(v, '$.a') FROM t",
    "SELECT json_extract('{}', v) FROM t",
    "SELECT json(v) FROM t",
    "SELECT v MATCH v FROM t",
    "SELECT v REGEXP v FROM t",
    "SELECT * FROM json_each(v), t",
    "SELECT 'a' LIKE 'b' ESCAPE v FROM t",
    "SELECT * FROM json_each((SELECT v FROM t), v)",
    "SELECT * FROM f WHERE f MATCH (SELECT v FROM t)",
)


@pytest.fixture(scope="module")
def engines():
    """A table with one value in each engine of this process."""
    duck, lite = duckdb.connect(), sqlite3.connect(":memory:")
    duck.execute("CREATE TABLE t (v VARCHAR)")
    lite.execute("CREATE TABLE t (v TEXT)")
    lite.execute("CREATE VIRTUAL TABLE f USING fts5(a)")
    yield {"duckdb": duck, "sqlite": lite}
    duck.close()
    lite.close()


def said(connection, sql: str) -> str | None:
    """Return what an engine says against a statement."""
    try:
        connection.execute(sql).fetchall()
    except (duckdb.Error, sqlite3.Error) as error:
        return str(error)
    return None


@settings(max_examples=15, deadline=None)
@given(value=VALUES)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_no_value_of_a_row_survives(engines, dialect: str, value: str):
    """Whatever quotes the value has itself; the message has no more of it than the engine's prose."""
    connection = engines[dialect]
    connection.execute("DELETE FROM t")
    connection.execute("INSERT INTO t VALUES (?)", (value,))
    for sql in DUCKDB if dialect == "duckdb" else SQLITE:
        message = said(connection, sql)
        if message is not None:
            masked = mask_engine_message(message, sql=sql, dialect=dialect)
            assert WORD not in masked, (sql, message)


@settings(max_examples=15, deadline=None)
@given(value=VALUES)
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_no_literal_of_a_statement_survives(engines, dialect: str, value: str):
    """Neither in what the engine says, nor where a model speaks of the statement."""
    connection = engines[dialect]
    literal = "'" + value.replace("'", "''") + "'"
    torn = ("SELECT v FROM", "SELECT a v FROM t", "SELECT x.v FROM t", "SELECT v v, v")
    for template in (*(DUCKDB if dialect == "duckdb" else SQLITE), *torn):
        sql = re.sub(r"\bv\b", lambda _: literal, template)
        masked_sql = mask_sql(sql, dialect=dialect)
        message = said(connection, sql) or ""
        for is_about_names in (True, False):
            masked = mask_engine_message(
                message, sql=sql, dialect=dialect, is_about_names=is_about_names
            )
            assert WORD not in masked, (sql, message)
        for spoken in (message, f"The value {value} is wrong.", f"It compares '{value}' with 1."):
            assert WORD not in mask_message(spoken, sql=sql, masked_sql=masked_sql), sql


@pytest.mark.parametrize(
    ("sentence", "sql", "masked"),
    [
        (
            "The type that the function FROBNICATE is given is wrong.",
            "SELECT FROBNICATE(total) FROM orders",
            "The type that the function FROBNICATE is given is wrong.",
        ),
        (
            "Unknown function frobnicate in postgres 15.",
            "SELECT frobnicate(total)",
            "Unknown function frobnicate in postgres 15.",
        ),
        (
            "The value Ann Bob is no date, nor is '2031-07-29'.",
            "SELECT DATE 'Ann Bob', '2031-07-29'",
            "The value ? is no date, nor is ?.",
        ),
        (
            'Column "totl" does not exist; did you mean "total"?',
            "SELECT totl FROM orders WHERE region = 'total'",
            'Column "totl" does not exist; did you mean ?',
        ),
        ("It can't be read: it's cut off.", "SELECT 'a", "It can't be read: it's cut off."),
        ("", "SELECT 1", ""),
    ],
)
def test_the_prose_of_a_sentence_stays_readable(sentence: str, sql: str, masked: str):
    """Only what the statement has as a value, and quotations that are no names, become `?`."""
    masked_sql = mask_sql(sql, dialect="postgres")
    assert mask_message(sentence, sql=sql, masked_sql=masked_sql) == masked


@pytest.mark.parametrize(
    ("message", "sql", "is_about_names", "masked"),
    [
        ("no such column: o.totl", "SELECT o.totl FROM orders o", False, "no such column: ?.totl"),
        ("no such column: Ann", "SELECT 'Ann'", False, "no such column: ?"),
        (
            'column "totl" of relation "orders" does not exist',
            "SELECT totl FROM orders",
            True,
            'column "totl" of relation "orders" does not exist',
        ),
        (
            "Table 'shop.ordrs' doesn't exist",
            "SELECT 1 FROM ordrs",
            True,
            "Table '?.ordrs' doesn't exist",
        ),
        (
            'relation "ann" does not exist',
            "SELECT 'Ann'::regclass",
            True,
            "relation ? does not exist",
        ),
        (
            "function frobnicate(integer) does not exist",
            "SELECT frobnicate(1)",
            True,
            "function frobnicate(integer) does not exist",
        ),
        (
            "Duplicate entry 'Ann's' for key 'PRIMARY'",
            "SELECT 1",
            False,
            "Duplicate entry ?",
        ),
        (
            "Type INT32 with value 918273645 can't be cast to the destination type INT8",
            "SELECT 1",
            False,
            "Type INT32 with value ? can't be cast to the destination type INT8",
        ),
        (
            "Overflow in multiplication of INT32 (918273645 * 3)!",
            "SELECT 1",
            False,
            "Overflow in multiplication of INT32 (?)!",
        ),
        ("HTTP 503", "SELECT 1", False, "HTTP 503"),
        ("unterminated 'Ann Bob", "SELECT 'Ann Bob", True, "unterminated ?"),
        ("first\nDETAIL: Ann", "SELECT 1", False, "first"),
    ],
)
def test_an_engine_s_message_keeps_names_of_the_statement(
    message: str, sql: str, is_about_names: object, masked: str
):
    """An invented name is what the reader wants to know."""
    assert (
        mask_engine_message(
            message, sql=sql, dialect="postgres", is_about_names=bool(is_about_names)
        )
        == masked
    )


@pytest.mark.shared
@pytest.mark.timeout(900)
@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_no_literal_of_a_corpus_survives_in_its_engine_s_message(dialect: str):
    """The engines' own words on statements of real models."""
    place = os.environ.get("SQLOBS_SHARED")
    if not place:
        pytest.skip("SQLOBS_SHARED names no corpora")
    corpus = read_corpus(Path(place) / "corpora" / f"{dialect}.jsonl.gz")
    leaks, told = [], 0
    for labeled in corpus:
        if not labeled.message:
            continue
        names = (mask_sql(labeled.sql, dialect=dialect) or "").casefold()
        literals = re.findall(r"'((?:[^']|'')+)'", labeled.sql)
        values = [one for one in literals if len(one) > 2 and one.casefold() not in names]
        for is_about_names in (True, False):
            masked = mask_engine_message(
                labeled.message, sql=labeled.sql, dialect=dialect, is_about_names=is_about_names
            )
            told += len(masked) > 10
            leaks += [
                (labeled.id, masked)
                for value in values
                if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", masked)
            ]
    assert leaks[:5] == []
    assert told > 1000


def test_the_words_of_a_statement_are_read_once_for_all_its_messages():
    """A long statement may have a hundred findings."""
    sql = f"SELECT a, b FROM t WHERE c IN ({', '.join(map(str, range(1000)))})"
    before = StatementWords.of.cache_info().misses
    for name in ("a", "b", "c"):
        mask_message(f"Unknown column {name}.", sql=sql, masked_sql="SELECT a, b FROM t")
    assert StatementWords.of.cache_info().misses == before + 1
