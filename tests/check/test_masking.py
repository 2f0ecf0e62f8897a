"""What leaves the process: SQL and messages without the values in them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.check.report.masking import mask_sql

SCHEMA = frozenset({"orders", "customers", "id", "region", "total", "ordered", "Full Name".lower()})


def known(name: str) -> bool:
    """Return whether the test's schema has a name."""
    return name.lower() in SCHEMA


SPELLINGS = {
    "postgres": ["'{}'", "E'{}'", "e'\\'{}'", "U&'{}'", "N'{}'", "$${}$$", "$tag${}$tag$", "'''{}'", "'{};--'"],
    "mysql": ["'{}'", '"{}"', "N'{}'", "_utf8'{}'", "'\\'{}'", "\"it''s {}\"", "'''{}'"],
    "sqlite": ["'{}'", "'''{}'", '"{}"', "'{};--'", "x'00' || '{}'"],
    "duckdb": ["'{}'", "E'{}'", "$${}$$", "$t${}$t$", "'''{}'"],
    "bigquery": ["'{}'", '"{}"', "r'{}'", 'R"{}"', "'''{}'''", '"""{}"""', "b'{}'", "'\\'{}'"],
    "snowflake": ["'{}'", "$${}$$", "'''{}'", "'\\'{}'"],
    "tsql": ["'{}'", "N'{}'", "'''{}'"],
    "oracle": ["'{}'", "N'{}'", "q'[{}]'", "nq'{{{}}}'", "'''{}'"],
    "spark": ["'{}'", '"{}"', "r'{}'", "'\\'{}'"],
    "databricks": ["'{}'", '"{}"', "r'{}'"],
    "redshift": ["'{}'", "$${}$$", "'''{}'"],
    "trino": ["'{}'", "U&'{}'", "'''{}'"],
    "clickhouse": ["'{}'", "'\\'{}'", "'''{}'"],
}  # fmt: skip
"""Strings in every spelling of a dialect, `{}` for their content."""

NUMBERS = ["{}", "-{}", "{}.5", ".{}", "{}e3", "1.{}"]
DATES = ["DATE '{}'", "TIMESTAMP '{} 10:00:00'", "'{}'", "CAST('{}' AS DATE)", "INTERVAL '{}'"]
FORMS = [
    "SELECT region FROM orders WHERE region = {}",
    "SELECT {} AS x, count(*) FROM orders GROUP BY 1 HAVING max(total) > {}",
    "SELECT * FROM orders WHERE region IN ({}, {}) OR total BETWEEN {} AND {}",
    "INSERT INTO orders (id, region) VALUES ({}, {})",
    "WITH c AS (SELECT {}) SELECT CASE WHEN region LIKE {} THEN {} END FROM c, orders",
    "SELECT region FROM WHERE region = {} GROUP",
    "SELEC {} FORM orders ((",
    "UPDATE orders SET region = {} WHERE",
]


def spellings_of_strings() -> list[tuple[str, str]]:
    """Return each dialect with each spelling of a string."""
    return [(dialect, spelling) for dialect, all_ in SPELLINGS.items() for spelling in all_]


@pytest.mark.parametrize(("dialect", "spelling"), spellings_of_strings())
def test_strings_are_masked_in_every_spelling_of_the_dialect(dialect, spelling):
    """No part of a literal is left, whether the statement parses or not."""
    literal = spelling.format("CANARY North")
    for form in FORMS:
        masked = mask_sql(form.replace("{}", literal), dialect=dialect, known=known)
        assert masked is not None
        assert "CANARY" not in masked
        assert "North" not in masked


@pytest.mark.parametrize("dialect", sorted(SPELLINGS))
def test_numbers_and_dates_are_masked(dialect):
    """Digits of a value never appear, whatever sign, point or exponent stands around them."""
    for form in FORMS:
        for literal in NUMBERS:
            sql = form.replace("{}", literal.format("918273645"))
            masked = mask_sql(sql, dialect=dialect, known=known)
            assert masked is not None
            assert "918273645" not in masked
        for literal in DATES:
            sql = form.replace("{}", literal.format("2031-07-29"))
            masked = mask_sql(sql, dialect=dialect, known=known)
            assert masked is not None
            assert re.search("2031|07|29", masked) is None


@pytest.mark.parametrize(
    ("dialect", "sql", "masked"),
    [
        ("postgres", "SELECT a, B'01', X'1F' FROM t", "SELECT a, ?, ? FROM t"),
        ("mysql", "SELECT 0x1F, b'01', 0b1 # Ann\nFROM t", "SELECT ?, ?, ? FROM t"),
        ("postgres", "SELECT 1 -- Ann\nFROM /* Bob */ t", "SELECT ? FROM t"),
        ("oracle", "SELECT /*+ INDEX(ann) */ a FROM t", "SELECT  a FROM t"),
        ("postgres", "SELECT a\n  FROM t\n", "SELECT a\n  FROM t"),
        ("postgres", "SELECT `Ann Smith`, `a` FROM `t`", "SELECT <quoted>, `a` FROM `t`"),
        ("duckdb", "SELECT '`' || 'Ann`' FROM t", "SELECT ? || ? FROM t"),
        ("mysql", "SELECT `Ann Smith` FROM t", "SELECT <quoted> FROM t"),
        (
            "postgres",
            "SELECT o.id, sum(total) AS ann_total, 1 bob FROM orders o JOIN customers AS c ON true",
            "SELECT a1.id, sum(total) AS a2, ? a3 FROM orders a1 JOIN customers AS a4 ON true",
        ),
        (
            "postgres",
            'WITH "North West" AS (SELECT 1), x(n) AS MATERIALIZED (SELECT 2) SELECT n FROM x',
            "WITH a1 AS (SELECT ?), a2(a3) AS MATERIALIZED (SELECT ?) SELECT a3 FROM a2",
        ),
        ("postgres", "SELECT total AS region FROM orders", "SELECT total AS region FROM orders"),
        ("postgres", "SELECT CAST(id AS mytype) FROM orders", "SELECT CAST(id AS mytype) FROM orders"),
        ("postgres", "SELECT id FROM orders ORDER BY id NULLS LAST", "SELECT id FROM orders ORDER BY id NULLS LAST"),
        (
            "postgres",
            'SELECT "Full Name", revenue FROM orders WHERE region = "North West"',
            'SELECT "Full Name", revenue FROM orders WHERE region = <quoted>',
        ),
        ("sqlite", 'SELECT id FROM orders WHERE region = "North"', "SELECT id FROM orders WHERE region = ?"),
        ("sqlite", 'SELECT o."x", "region" FROM "ghost"', 'SELECT a1."x", "region" FROM "ghost"'.replace("a1", "o")),
        ("mysql", "SELECT `my col` FROM `orders`", "SELECT <quoted> FROM `orders`"),
        ("postgres", "SELECT naïve FROM orders", "SELECT ? FROM orders"),
        ("postgres", f"SELECT {'x' * 64} FROM orders", "SELECT ? FROM orders"),
        ("postgres", "SELECT 123abc FROM orders", "SELECT ?a1 FROM orders"),
        ("spark", "SELECT 10L, 5.0BD FROM orders", "SELECT ?, ? FROM orders"),
        ("postgres", "SELECT id FROM orders WHERE region = 'it's North' AND total = 'x''", "SELECT id FROM orders WHERE region = ?a1 a2??"),
        ("postgres", "SELECT id FROM orders WHERE region = 'O\\'Brian Ann' AND id = 'x\\''", "SELECT id FROM orders WHERE region = ?a1 a2?a3\\?"),
        ("postgres", "SELECT id FROM orders WHERE region = 'it", None),
        ("mysql", "EXPLAIN SELECT 'Ann'", "EXPLAIN SELECT ?"),
        ("postgres", "SHOW server 'Ann'", "SHOW server ?"),
        ("postgres", "", ""),
    ],
)  # fmt: skip
def test_what_is_kept_and_what_is_not(dialect, sql, masked):
    """Names of the schema, words of SQL and what looks like a name stay; the rest does not."""
    assert mask_sql(sql, dialect=dialect, known=known) == masked


@given(
    st.text(alphabet="'\"`$Eabc \\;-/*#\n1x.()=", max_size=80), st.sampled_from(sorted(SPELLINGS))
)
def test_masking_never_raises_and_is_never_longer_than_its_parts_allow(sql, dialect):
    """Whatever the text, the outcome is a text or None."""
    masked = mask_sql(sql, dialect=dialect)
    assert masked is None or isinstance(masked, str)


@given(st.text(max_size=30), st.sampled_from(["postgres", "mysql", "duckdb", "sqlite"]))
def test_no_content_of_a_string_survives(content, dialect):
    """Two statements that differ in a literal alone have the same masked text."""
    quoted = content.replace("\x00", "").replace("\\", "").replace("'", "''")
    one = mask_sql(f"SELECT id FROM orders WHERE region = '{quoted}'", dialect=dialect, known=known)
    assert one == "SELECT id FROM orders WHERE region = ?"


@pytest.mark.parametrize(
    ("sql", "masked"),
    [
        ("EXPLAIN ANALYZE SELECT 'Ann' FROM orders", "EXPLAIN ?"),
        ("CALL pay('Ann', 4711)", "CALL ?"),
        ("EXPLAIN ANALYZE SELECT 1 -- 'Ann'\n, 'Ann'", "EXPLAIN ?"),
        ("SELECT $$Ann$$ FROM orders", "SELECT ? FROM orders"),
    ],
)
def test_what_sqlglot_keeps_as_text_is_masked_as_a_whole(sql, masked):
    """Commands, and a string between dollars where SQLite has none."""
    assert mask_sql(sql, dialect="sqlite") == masked
