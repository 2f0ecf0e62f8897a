from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.order_by import ordering_of, without_order
from sqlobs.metrics.ordering import Ordering
from sqlobs.metrics.statement_parts import SqlShape
from sqlobs.metrics.text_match import canonical_text, exact_match, is_unanswerable, same_select_text
from sqlobs.metrics.tree_comparison import sql_shape, tree_match


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT  A\n, b FROM T ;;", "select a,b from t"),
        ("select count ( * ) from t", "select count(* )from t"),
        ("SELECT a<>1 AND b=2", "select a != 1 and b = 2"),
        ("SELECT a->>'K', b::INT", "select a ->> 'K',b :: int"),
        ("SELECT $q$ Keep  THIS $q$, $1", "select $q$ Keep  THIS $q$,$1"),
        ('SELECT [My Col], `A b`, "C""d" FROM t', 'select [My Col],`A b`,"C""d" from t'),
        ("SELECT 'it''s  A' /* note */ FROM t # x", "select 'it''s  A' from t # x"),
        ("SELECT E'A'", "select E'A'"),
        ("SELECT 'open", "select 'open"),
        ("-- only a comment", ""),
    ],
)
def test_canonical_text_forgives_layout_only(sql, text):
    """Spaces, case outside quotes, comments and the final semicolon go; nothing else."""
    assert canonical_text(sql) == text.replace("(* )from", "(*)from")


@given(st.text(alphabet="aB1 '\"`[]$;,()./*-<>=!\n|:", max_size=30))
def test_canonical_text_is_idempotent(sql):
    """Doing it twice changes nothing, whatever the text."""
    once = canonical_text(sql)
    assert canonical_text(once) == once


def test_an_empty_prediction_never_matches():
    """Empty is not None, and not equal to another empty text either."""
    assert not exact_match("None", "")
    assert not exact_match("", "")
    assert exact_match(None, "None")
    assert is_unanswerable(" None ")
    assert not is_unanswerable("")


@pytest.mark.parametrize(
    ("reference", "predicted", "is_same"),
    [
        ("SELECT a, f(b, c) AS x FROM t", "select f(b, c) y,a from T", True),
        ("SELECT a FROM t", "select A from t", False),
        ("SELECT 1, 2", "SELECT 2, 1", True),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b=1", True),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 2", False),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2", True),
        ("SELECT a FROM t", "SELECT a FROM t ;", False),
        ("SELECT a, (SELECT b FROM u) FROM t", "SELECT (SELECT b FROM u), a FROM t", True),
        ("DELETE FROM t", "DELETE FROM t", False),
    ],
)
def test_select_lists_are_sets_and_the_rest_is_text(reference, predicted, is_same):
    """As the source has it: columns with their case, the rest without case, spaces and LIMIT."""
    assert same_select_text(reference, predicted) is is_same


def test_trees_are_compared_by_text_by_clauses_and_by_tree():
    """Text, clauses, then the normalized tree; what does not parse is unknown."""
    deep = tree_match(
        "SELECT a FROM t WHERE NOT (b = 1 OR c = 2)", "SELECT a FROM t WHERE b <> 1 AND c <> 2"
    )
    assert (deep.is_same_text, deep.is_same_select, deep.is_same_tree) == (False, False, True)
    assert deep.is_equivalent
    broken = tree_match("SELECT (", "SELECT a FROM t")
    assert (broken.is_same_select, broken.is_same_tree, broken.is_equivalent) == (None, None, False)
    assert tree_match("SELECT a FROM t;", "select a from t").is_same_text


def test_the_shape_of_a_statement_is_counted():
    """The counts by which results are sliced."""
    sql = """
        WITH big AS (SELECT id FROM t WHERE a > 1)
        SELECT DISTINCT upper(t.b), count(*), CASE WHEN t.c LIKE 'x%' THEN 1 ELSE 0 END
        FROM t JOIN big ON t.id = big.id
        WHERE t.d + 1 > (SELECT max(d) FROM t)
        GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 LIMIT 5
    """
    assert sql_shape(sql) == SqlShape(
        joins=1,
        subqueries=1,
        ctes=1,
        predicates=5,
        aggregates=3,
        functions=1,
        set_operations=0,
        windows=0,
        likes=1,
        cases=1,
        arithmetic=1,
        has_distinct=True,
        has_group=True,
        has_having=True,
        has_order=True,
        has_limit=True,
    )
    union = sql_shape("SELECT a FROM t UNION SELECT b FROM t")
    assert (union.set_operations, union.subqueries) == (1, 0)
    assert sql_shape("SELECT (") is None


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("SELECT a, b FROM t ORDER BY b DESC, 1", (1, 0)),
        ("SELECT a AS x FROM t ORDER BY x", (0,)),
        ("SELECT lower(a) FROM t ORDER BY lower(a)", (0,)),
        ("SELECT a FROM t ORDER BY b", None),
        ("SELECT * FROM t ORDER BY b", ("b",)),
        ("(SELECT a FROM t ORDER BY a)", (0,)),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY a", (0,)),
        ("VALUES (1) ORDER BY 1", None),
    ],
)
def test_sort_keys_are_found_in_the_output(sql, keys):
    """By position, alias, name or expression; a star leaves the name."""
    assert ordering_of(sql) == Ordering(is_ordered=True, keys=keys)


@pytest.mark.parametrize(
    ("dialect", "sql", "bare"),
    [
        ("sqlite", "SELECT a FROM t ORDER BY a DESC, b;", "SELECT a FROM t "),
        ("sqlite", "SELECT a FROM t -- first\nORDER BY a -- last", "SELECT a FROM t -- first\n"),
        ("sqlite", "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", None),
        ("sqlite", "SELECT 'x ORDER BY y' FROM (SELECT a FROM t ORDER BY a) ORDER BY 1", None),
        ("mysql", r"SELECT 'it\') ORDER BY' FROM t ORDER BY `a)`", None),
        ("duckdb", "FROM t SELECT a ORDER BY ALL", None),
    ],
)
def test_an_order_by_that_only_sorts_can_be_left_out(dialect, sql, bare):
    """One at the end of the statement, in no parentheses; a comment behind it goes with it."""
    assert without_order(sql, dialect=dialect) == (bare or sql[: sql.rindex("ORDER BY")])


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "SELECT a FROM t"),
        ("sqlite", "SELECT a FROM t ORDER BY a LIMIT 5"),
        ("sqlite", "SELECT a FROM (SELECT a FROM t LIMIT 5) ORDER BY a"),
        ("sqlite", "SELECT row_number() OVER () FROM t ORDER BY a"),
        ("sqlite", "(SELECT a FROM t ORDER BY a)"),
        ("sqlite", "SELECT a FROM ( ORDER BY a"),
        ("postgres", "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b"),
        ("postgres", "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES"),
        ("mysql", "SELECT a FROM t ORDER BY a FOR UPDATE"),
        ("tsql", "SELECT TOP 5 WITH TIES a FROM t ORDER BY a"),
        ("tsql", "SELECT a FROM t ORDER BY a OPTION (MAXDOP 1)"),
        ("clickhouse", "SELECT a FROM t ORDER BY a WITH FILL FROM 1 TO 9"),
        ("clickhouse", "SELECT a FROM t ORDER BY a LIMIT 1 BY a"),
        ("clickhouse", "SELECT a FROM t ORDER BY a SETTINGS max_threads = 1"),
        ("bigquery", "FROM t |> ORDER BY a |> WHERE a > 1"),
    ],
)
def test_an_order_by_that_may_decide_about_rows_stays(dialect, sql):
    """So does one with another clause behind it."""
    assert without_order(sql, dialect=dialect) == sql


def test_sort_keys_become_positions_where_names_are_clear():
    """A name that repeats, or a position beyond the columns, cannot be used."""
    assert Ordering(is_ordered=True, keys=("b", 0)).positions(["a", "b"]) == (1, 0)
    assert Ordering(is_ordered=True, keys=("b",)).positions(["b", "b"]) is None
    assert Ordering(is_ordered=True, keys=(5,)).positions(["a"]) is None
    assert Ordering(is_ordered=True).positions(["a"]) is None
    assert not ordering_of("SELECT (").is_ordered


def test_statements_that_the_parser_keeps_as_text_are_not_logged(caplog):
    """sqlglot would write them, literals and all, into the host's log."""
    assert sql_shape("EXPLAIN SELECT 'secret'") is not None
    assert not ordering_of("EXPLAIN SELECT 'secret'", dialect="sqlite").is_ordered
    assert caplog.records == []
