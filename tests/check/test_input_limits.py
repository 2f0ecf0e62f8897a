"""Hostile input: refused before parsing, never a crash."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sqlglot import tokenize

from sqlobs import Schema, check_sql
from sqlobs.check.parsing.input_limits import MAX_DEPTH, nesting
from sqlobs.check.parsing.stack import INLINE_DEPTH, is_deep_text
from sqlobs.check.parsing.tokens import shape_of
from tests.check.schemas import shop

SQLITE = shop("sqlite")


def depth(sql: str, dialect: str | None = None) -> int:
    """Return how deep a parser of a dialect would recurse."""
    tokens = tokenize(sql, dialect)
    return nesting(tokens, sql, shape_of(tokens))


def test_text_over_the_limit_is_not_read():
    """More than 64 KiB is `too_large`, decided on length alone."""
    report = check_sql("SELECT '" + "x" * 70_000 + "'", schema=SQLITE)
    assert dict(report.reasons) == {"syntactic": "too_large", "schematic": "too_large"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT " + "NOT " * 5_000 + "1",
        "SELECT " + "- " * 5_000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 1_000 + "1" + " END" * 1_000,
        "SELECT 1 FROM t WHERE " + "x IN (SELECT y FROM t WHERE " * 500 + "1" + ")" * 500,
    ],
)
def test_text_nested_too_deep_is_not_parsed(sql):
    """More than 100 levels are `too_deep`, whatever nests."""
    report = check_sql(sql, schema=SQLITE)
    assert dict(report.reasons) == {"syntactic": "too_deep", "schematic": "too_deep"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + " + ".join(["1"] * 8_000),
        "SELECT 1 WHERE " + " AND ".join(["1 = 1"] * 5_000),
        " UNION ALL ".join(["SELECT 1"] * 2_000),
        "SELECT 1 WHERE 1 IN (" + ", ".join(["1"] * 15_000) + ")",
        "SELECT 1 FROM " + ",".join(["customers"] * 6_000),
        "SELECT 1 FROM " + ",".join(f"customers c{number}" for number in range(3_000)),
        "WITH a0 AS (SELECT 1 AS x)"
        + "".join(f", a{i} AS (SELECT x FROM a{i - 1})" for i in range(1, 800))
        + " SELECT x FROM a799",
    ],
)
def test_long_chains_are_decided(sql):
    """Length alone is no obstacle: chains are walked without recursion."""
    report = check_sql(sql, schema=SQLITE, native=False)
    assert (report.syntactic, report.schematic) == (True, True)


SMALL_STACKS = """
import sys, threading
from sqlobs import Schema, check_sql

def check(sql, dialect):
    report = check_sql(sql, schema=Schema.from_mapping({"t": {"a": "int"}}, dialect=dialect))
    report.masked_sql, report.fingerprint, report.fixed_sql, report.explain()

threading.stack_size(64 * 1024)
for sql in sys.stdin.read().splitlines():
    for dialect in ("sqlite", "postgres", "mysql", "duckdb"):
        thread = threading.Thread(target=check, args=(sql, dialect))
        thread.start()
        thread.join()
print("alive")
"""


def test_no_text_overflows_the_small_stack_of_its_caller():
    """Compiled code has no stack check: brackets, chains, and what nests in one dialect alone."""
    texts = [
        text
        for times in (24, 90, 140, 900, 2_000)
        for text in (
            "SELECT " + "(" * times + "a" + ")" * times + " FROM t",
            "SELECT " + "[" * times + "a" + "]" * times + " FROM t",
            "SELECT a" + "[1]" * times + " FROM t",
            "SELECT a" + " + a" * times + " FROM t",
            "SELECT a" + " || a" * times + " FROM t",
            "SELECT a" + " BETWEEN 1 AND a" * times + " FROM t",
            "SELECT a" + " COLLATE x" * times + " FROM t",
            "SELECT a" + " -> a" * times + " FROM t",
            "SELECT a FROM t" + " UNION SELECT a FROM t" * times,
            "SELECT 'a\\'', a" + " AT TIME ZONE a" * times + " FROM t",
            "SELECT a" + " + a" * times + " FROM t; '",
            "SELECT " + "a FROM t ORDER BY (SELECT " * times + "a" + ")" * times,
            "SELECT " + "NOT NOT NOT NOT NOT NOT NOT (" * times + "a" + ")" * times,
            "SELECT CAST('" + "[" * times + "]" * times + "' AS json)",
            '{"a": [' * times,
            "Here: " + '{"a": [' * times + '"SELECT 1"' + "]}" * times,
        )
    ]
    ended = subprocess.run(
        [sys.executable, "-c", SMALL_STACKS],
        input="\n".join(texts),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "alive\n"), ended.stderr
    assert "sqlobs" not in ended.stderr


def test_depth_is_computed_from_the_text_alone():
    """The request thread can tell deep text without tokenizing it."""
    assert not is_deep_text("SELECT (1), (2)" * 40)
    assert is_deep_text("SELECT " + "(" * 26)


@pytest.mark.parametrize("dialect", ["bigquery", "duckdb", "snowflake"])
def test_lists_of_a_pivot_whose_combinations_nobody_could_name_are_too_deep(dialect):
    """The parser names them all: 8 KB of text would ask for 64 million columns."""
    schema = Schema.from_mapping({"t": ["a", "b", "c", "x"]}, dialect=dialect)
    values = ", ".join(f"'v{number}'" for number in range(400))
    lists = " ".join(f"{name} IN ({values})" for name in ("a", "b", "c"))
    report = check_sql(f"SELECT * FROM t PIVOT (SUM(x) FOR {lists})", schema=schema)
    assert set(report.reasons.values()) == {"too_deep"}
    long = f"SELECT * FROM t PIVOT (SUM(x) FOR a IN ({values})) WHERE b IN ({values})"
    assert "too_deep" not in check_sql(long, schema=schema).reasons.values()


def test_joins_that_wait_for_their_condition_are_too_deep():
    """The parser's time doubles with each in one FROM: two dozen would hold a request for minutes."""
    waiting = "SELECT 1 FROM a" + " JOIN b" * 24
    derived = "SELECT 1 FROM a" + " JOIN (SELECT 1) b" * 24
    nested = "SELECT 1 WHERE 1" + " IN (SELECT 1 FROM a JOIN b JOIN (SELECT 1" * 16 + "))" * 16
    for sql in (waiting, derived, nested, waiting.replace("JOIN", "LEFT JOIN")):
        assert depth(sql) > MAX_DEPTH


def test_pending_joins_are_counted_only_if_a_request_waits():
    """CROSS, NATURAL, USING and ON; a few in each of many subqueries."""
    for join in ("CROSS JOIN b", "NATURAL JOIN b", "JOIN b USING (x)", "JOIN b ON b.x = a.x"):
        assert depth("SELECT 1 FROM a" + f" {join}" * 50) < 10
    few = "SELECT 1 FROM a JOIN b JOIN c WHERE a.x = b.x"
    ctes = ", ".join(f"t{number} AS ({few})" for number in range(30))
    assert depth(f"WITH {ctes} SELECT 1 UNION {few} UNION {few}") < 10


def test_long_chains_that_are_copied_for_each_link_are_too_deep():
    """A thousand subscripts, 3 KB of text, would hold a request for a quarter of a minute."""
    chains = ("[1]" * 1000, ".a" * 70, "::int" * 70)
    for sql in (*("SELECT a" + chain for chain in chains), "FROM a" + " |> SELECT 1" * 250):
        assert depth(sql) > MAX_DEPTH
    many = "SELECT " + ", ".join(["a.b::int"] * 200) + " FROM a"
    assert depth(many) <= INLINE_DEPTH
    assert depth("SELECT a" + "[1]" * 8 + ", ARRAY[[1, 2], [3, 4]] FROM t") <= INLINE_DEPTH


def test_many_queries_that_each_nest_deep_are_too_deep():
    """60 KB of them would hold BigQuery's parser for 18 s; thousands side by side are read."""
    one = "(SELECT a FROM " * 90 + "t" + ")" * 90
    assert depth("SELECT 1 FROM " + ", ".join([one] * 60)) > MAX_DEPTH
    assert depth("SELECT 1 FROM " + one) <= MAX_DEPTH
    assert depth("SELECT " + ", ".join(["((SELECT max(a) FROM t))"] * 2_500)) < 10


@pytest.mark.parametrize(
    ("opening", "closing", "dialect"),
    [
        ("DATE(1, ", ")", "sqlite"),
        ("char(", ")", "postgres"),
        ("BINARY(", ")", "mysql"),
        ("ROW(", ")", "duckdb"),
        ("ARRAY[", "]", "postgres"),
        ("int[", "]", "snowflake"),
        ("STRUCT<", ">(1)", "bigquery"),
        ("CONVERT(", ")", "tsql"),
        ("TRY_CONVERT(", ")", "tsql"),
    ],
)
def test_words_that_may_begin_a_type_are_not_nested_deep(opening, closing, dialect):
    """The parser reads what stands behind them twice: thirty, 300 bytes, would hold it for hours."""

    def nested(depth: int) -> str:
        return f"SELECT {opening * depth}1{closing * depth}"

    assert depth(nested(30), dialect) > MAX_DEPTH
    assert depth(nested(6), dialect) <= INLINE_DEPTH
    many = ", ".join([nested(2).removeprefix("SELECT ")] * 1_000)
    assert depth(f"SELECT {many}", dialect) <= INLINE_DEPTH
    wide = "1, " * 20_000
    deep = f"SELECT {opening * 5}{wide}1{closing * 5}"
    assert depth(deep, dialect) > MAX_DEPTH


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("IF [", "]"),
        ("IF [1] + ", ""),
        ("IF {'a': ", "}"),
        ("a BETWEEN IF f(", ")"),
        ("CASE WHEN IF f(", ") END"),
        ("a LIMIT (SELECT ", ")"),
        ("a OFFSET (SELECT ", ")"),
        ("(SELECT 1) LIMIT 1, f(SELECT ", ")"),
    ],
)
def test_words_that_may_be_names_are_not_nested_deep(opening, closing):
    """The parser reads twice what stands behind them: 300 bytes would hold it for minutes."""

    def nested(times: int) -> str:
        return f"SELECT {opening * times}1{closing * times}"

    assert depth(nested(24), "postgres") > MAX_DEPTH
    assert depth(nested(5), "postgres") <= INLINE_DEPTH


def test_words_that_may_be_names_stand_side_by_side():
    """Each LIMIT of a union and each IF of a script begins again."""
    one = "(SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 5)"
    assert depth(" UNION ALL ".join([one] * 200)) <= INLINE_DEPTH
    assert depth("SELECT " + ", ".join([one] * 200)) <= INLINE_DEPTH
    assert depth("DROP TABLE IF EXISTS t; " * 200) <= INLINE_DEPTH
    assert depth("IF a > 1 THEN SELECT f(1) END IF; " * 24) <= INLINE_DEPTH
    assert depth("SELECT " + ", ".join(["IF(a, IF(b, 1, 2), 3)"] * 200)) <= INLINE_DEPTH
    assert depth("-- " + "if " * 200) <= INLINE_DEPTH


def test_pivots_are_not_nested_deep():
    """Snowflake's parser writes each out in the names of the one around: 900 bytes hung it."""
    one = "* FROM t PIVOT (SUM(x) FOR a IN (SELECT "
    assert depth(f"SELECT {one * 20}1{'))' * 20}", "snowflake") > MAX_DEPTH
    assert depth(f"SELECT {one * 3}1{'))' * 3}", "snowflake") <= INLINE_DEPTH
    apart = "SELECT * FROM t PIVOT (SUM(x) FOR a IN ('x', 'y'))"
    assert depth(" UNION ALL ".join([apart] * 30), "snowflake") <= INLINE_DEPTH


def test_columns_that_are_called_like_types_are_no_types():
    """`range < 10` opens no bracket, however often it stands there."""
    compared = " ".join(f"WHEN range < {number} THEN list < array" for number in range(100))
    assert depth(f"SELECT CASE {compared} END FROM t") <= INLINE_DEPTH


@pytest.mark.parametrize(
    "link",
    ["-> count(a)", "-> CASE WHEN a THEN 1 END", "-> CAST(a AS int)", "::CAST(a AS int)", ".f(a)"],
)
def test_long_chains_of_calls_are_too_deep(link):
    """The parser copies all before each: 8 KB would hold a request for 12 s."""
    assert depth("SELECT a" + link * 70, "mysql") > MAX_DEPTH
    apart = (", ".join, " + ".join, " AND ".join)
    for join in apart:
        assert depth("SELECT " + join([f"a{link}"] * 70), "mysql") <= INLINE_DEPTH


def test_subscripts_behind_nested_brackets_are_too_deep():
    """Each has all before it typed: 60 KB would hold a request for 3 s."""
    one = "(" * 90 + "a" + ")[1]" * 90
    assert depth("SELECT " + ", ".join([one] * 100), "postgres") > MAX_DEPTH
    assert depth("SELECT " + one, "postgres") <= MAX_DEPTH
    many = ", ".join(["(a || b)[1]"] * 4_000)
    assert depth(f"SELECT {many}", "postgres") <= INLINE_DEPTH


def test_values_of_a_pivot_count_once_for_each_aggregate():
    """The parser names a column for each of both."""
    values = ", ".join(f"'v{number}'" for number in range(400))
    calls = ", ".join(f"sum(x) AS s{number}" for number in range(20))
    text = "SELECT * FROM t PIVOT ({calls} FOR a IN ({values}))"
    assert depth(text.format(calls=calls, values=values), "snowflake") > MAX_DEPTH
    few = text.format(calls=calls, values="'a', 'b'")
    assert depth(few, "snowflake") <= INLINE_DEPTH


def test_a_long_text_that_does_not_parse_is_tried_in_no_other_dialect():
    """Without a dialect it is: any may be meant."""
    backticks = "SELECT `name` FROM `customers` WHERE `name` IN ({})".format
    short, long = (backticks(", ".join(["'a'"] * count)) for count in (10, 2000))
    schema = shop("postgres")
    found = [check_sql(sql, schema=schema) for sql in (short, long)]
    assert [one.syntactic for one in found] == [False, False]
    assert [one.schematic for one in found] == [True, None]
    assert found[1].reasons == {"schematic": "undecided"}
    assert check_sql(long).failure_codes == ()
