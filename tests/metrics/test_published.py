from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from sqlobs.errors import InputError
from sqlobs.metrics.published.defog import DefogMatch, defog_match, gold_alternatives
from sqlobs.metrics.published.ibm import (
    IbmScores,
    deciding_ibm_scores,
    ibm_scores,
    ibm_sql_match,
)
from sqlobs.metrics.published.ibm_logic import logic_execution_accuracy, logic_statement
from sqlobs.metrics.published.livesqlbench import livesqlbench_ex, simplified_sql
from sqlobs.metrics.published.nl2sql360 import query_variance_percent
from sqlobs.metrics.published.ragas import DataDiff, data_diff
from sqlobs.metrics.published.spider2 import (
    spider2_number_match,
    spider2_table_match,
    spider2_text_match,
)
from sqlobs.metrics.published.txt2sql import txt2sql_match
from sqlobs.types import ResultTable


def table(*rows, columns="abcd"):
    """Return a table with single letters as names."""
    return ResultTable(tuple(columns[: len(rows[0])]), rows)


@pytest.mark.parametrize(
    ("reference", "predicted", "matches"),
    [
        (table((1, None)), table((1.0, None)), False),
        (table((1,), (None,)), table((1.0,), (None,)), True),
        (table((1, 0.5)), table((1.0, 0.5)), True),
        (table((1, "x")), table((1.0, "x")), False),
        (table((True,)), table((1,)), False),
        (table((2**70,)), table((float(2**70),)), False),
    ],
)
def test_ibm_compares_texts_as_a_frame_prints_them(reference, predicted, matches):
    """A float, or a NULL among numbers, turns a column's integers into floats."""
    assert ibm_scores(reference, predicted, reference_sql="SELECT 1").execution is matches


def test_ibm_orders_count_where_the_text_says_order_by():
    """The rule looks at the text only."""
    tables = table((1,), (2,)), table((2,), (1,))
    assert not ibm_scores(*tables, reference_sql="select a order by a").execution
    assert not ibm_scores(*tables, reference_sql="select a order by a").subset_non_empty_execution


def test_ibm_takes_the_first_reference_with_a_subset_match_else_the_last():
    """The source stops at that match and keeps what it found last."""
    one = IbmScores(True, False, False, True)
    other = IbmScores(False, False, True, False)
    nothing = IbmScores(False, False, False, False)
    assert deciding_ibm_scores([one, other, one]) == other
    assert deciding_ibm_scores([one, nothing]) == nothing
    assert deciding_ibm_scores([]) == nothing


def test_ibm_rows_in_order_are_texts_of_whole_frames():
    """A frame of numbers with one float has no integers, a frame with text keeps them."""
    narrow, wide = table((0.5, 3), (0.5, 3)), table((0.5, 3, "x"), (0.5, 3, "y"))
    for sql, matches in (("SELECT 1", True), ("SELECT 1 ORDER BY 1", False)):
        found = ibm_scores(narrow, wide, reference_sql=sql)
        assert found.subset_non_empty_execution is matches


def test_ibm_statements_are_compared_with_the_gaps_of_the_source():
    """FROM is not looked at by one figure, and unresolved names are not equal in another."""
    match = ibm_sql_match("SELECT a AS x FROM t", "SELECT a FROM u")
    assert match.sqlglot_equivalence
    assert (match.exact_match, match.sqlparse_equivalence) == (False, False)
    assert match.is_equivalent
    assert not ibm_sql_match("SELECT (", "SELECT 1").is_equivalent
    assert not ibm_sql_match("DELETE FROM t", "DELETE FROM u").sqlglot_equivalence


def test_table_match_lets_one_column_serve_twice():
    """Each reference column must be somewhere; which one is free."""
    assert spider2_table_match(table((1, 1)), table((1,)))
    assert not spider2_table_match(table((1,), (2,)), table((1,)))
    assert spider2_table_match(table((float("nan"),)), table((0,)))
    assert spider2_table_match(table((1.001, "a")), table(("a", 1.0)), condition_columns=[1])


@pytest.mark.parametrize(
    ("reference", "predicted", "category", "expected"),
    [
        (table((2, "b"), (1, "a")), table((1, "a"), (2, "b")), "group_by", (True, True)),
        (table((2,), (1,)), table((1,), (2,)), "order_by", (False, False)),
        (table((1, "b"), (1, "a")), table((1, "a"), (1, "b")), "order_by", (True, True)),
        (table((1,), (1,)), table((1,)), "", (True, True)),
        (table((0.3,), (None,)), table((0.1 + 0.2, "x"), (None, "y")), "", (False, True)),
        (table((1,), (None,)), table((1,), (None,)), "", (False, True)),
        (table(("x",), (None,)), table(("x",), (None,)), "", (True, True)),
        (table((1.0,)), table(("x", "y")), "", (False, False)),
        (table((1, 5), (2, 6)), table((1, 6), (2, 5)), "", (False, False)),
    ],
)
def test_defog_sorts_before_it_compares(reference, predicted, category, expected):
    """Duplicates are dropped, columns sorted by name, rows too unless an order is asked for."""
    assert defog_match(reference, predicted, category=category) == DefogMatch(*expected)


def test_a_question_that_asks_for_order_keeps_the_rows():
    """The word decides, in any case."""
    tables = table((2,), (1,)), table((1,), (2,))
    assert not defog_match(*tables, question="Sort them by size").is_correct
    assert defog_match(*tables, question="How many orders?").is_exact


def test_a_template_without_braces_is_one_statement():
    """Empty alternatives are passed over."""
    assert gold_alternatives("SELECT a FROM t;;") == ["SELECT a FROM t"]


def test_txt2sql_covers_rows_in_any_order_with_coarse_numbers():
    """Values are looked for in the whole row where the name is missing."""
    reference = table((1, 10.04), (2, 20.0), columns="xy")
    predicted = table((2, 20.0), (1, 10.0), columns="pq")
    match = txt2sql_match(reference, predicted)
    assert (match.execution, match.intent, match.essence) == (False, True, True)
    assert not txt2sql_match(table((1,), (2,)), table((1,), (3,))).intent
    assert not txt2sql_match(table((0.3,)), table((0.4,))).execution
    dates = txt2sql_match(table(("2024-05",)), table(("2024-05-01",)))
    assert (dates.intent, dates.essence) == (False, True)
    infinite = table((float("inf"),))
    assert txt2sql_match(infinite, infinite).essence


def test_livesqlbench_rounds_and_refuses_empties():
    """Cents, days, and nested values as sorted text."""
    reference = table((Decimal("0.125"), dt.datetime(2024, 5, 1, 10), {"b": 1, "a": 2}))  # noqa: DTZ001
    predicted = table((Decimal("0.13"), "2024-05-01", '{"a":2,"b":1}'))
    assert livesqlbench_ex(reference, predicted)
    assert livesqlbench_ex(table((0.123,)), table((0.12,)), is_ordered=True)
    empty = ResultTable(("a",), ())
    assert not livesqlbench_ex(empty, empty)
    assert livesqlbench_ex(table((Decimal("NaN"), 1)), table((Decimal("NaN"), 1))) is False


def test_livesqlbench_statements_lose_harmless_differences():
    """Comments, DISTINCT and ROUND go; what does not parse stays."""
    sql = "SELECT DISTINCT ROUND(a + 1, 2), COUNT(DISTINCT b), ROUND(c) FROM t -- note"
    assert simplified_sql(sql) == "SELECT (a + 1), COUNT(b), c FROM t"
    assert simplified_sql("SELECT (") == "SELECT ("


def test_query_variance_counts_groups_with_a_success_only():
    """A group of one, or without any right answer, says nothing about rewording."""
    assert query_variance_percent([[True, False], [True], [False, False]]) == 50.0
    assert query_variance_percent([[True]]) is None


@pytest.mark.parametrize(
    ("references", "answer", "settings", "matches"),
    [
        (["Blue Bottle"], "It is the BLUE bottle.", {}, True),
        (["Ann", "Bob"], "Ann alone", {}, True),
        (["Ann", "Bob"], "Ann alone", {"wanted": "all"}, False),
        (["Ann", "Bob"], "Bob and Ann", {"wanted": "all"}, True),
        (["Ann"], "Ann, not Carl", {"excluded": ["carl"]}, False),
        (["art"], "a party", {}, True),
        ([], "anything", {}, False),
        ([], "anything", {"wanted": "all"}, True),
    ],
)
def test_an_answer_is_searched_for_a_text(references, answer, settings, matches):
    """Any or all of several, none of the excluded; case does not count."""
    assert spider2_text_match(references, answer, **settings) is matches


@pytest.mark.parametrize(
    ("references", "answer", "settings", "matches"),
    [
        ([12345.6], "about 12,345.6 units", {}, True),
        ([0.17506], "17.506%", {}, True),
        (["17.506%"], "0.17506", {}, True),
        ([0.17506], "17.506 of a hundred", {}, False),
        ([0.17506], "17.506", {"is_percentage": True}, True),
        ([3], "3 of 5", {}, False),
        ([3, 5], "3 of 5", {"wanted": "all"}, True),
        ([3, 5], "3 of 6", {"wanted": "all"}, False),
        ([3, 5], "3 of 6", {}, True),
        ([1.00009], "1.0", {}, True),
        ([1.0002], "1.0", {}, False),
        ([1.2], "1", {"decimals": 0}, True),
        ([5], "-5", {}, True),
        ([2024], "2024", {}, True),
        ([1], "no number", {}, False),
        ([0.5], "50%", {"is_percentage": True, "wanted": "all"}, False),
    ],
)
def test_an_answer_is_searched_for_a_number(references, answer, settings, matches):
    """Thousands, percentages, a tolerance of 1e-4; a lone number where one is asked for."""
    assert spider2_number_match(references, answer, **settings) is matches


def test_a_reference_that_is_no_number_is_a_mistake():
    """The original raises there as well."""
    with pytest.raises(InputError, match="'many' is not a number"):
        spider2_number_match(["many"], "1")


@pytest.mark.parametrize(
    ("reference", "predicted", "statement"),
    [
        ("SELECT a, b FROM t", "SELECT c FROM t WHERE d > 1;", "SELECT a, b FROM t WHERE d > 1"),
        (
            "SELECT count(*) FROM t",
            "```sql\nSELECT DISTINCT c FROM t\n```",
            "SELECT DISTINCT COUNT(*) FROM t",
        ),
        ("WITH x AS (SELECT 1) SELECT a FROM x", "SELECT b FROM u", "SELECT a FROM u"),
        ("SELECT a FROM t", "SELECT a FROM t", None),
        ("SELECT a FROM t", "SELECT a FROM t UNION SELECT a FROM u", None),
        ("SELECT a FROM t", "SELECT (", None),
    ],
)
def test_the_logic_of_a_prediction_is_what_stands_behind_its_select_list(
    reference, predicted, statement
):
    """The reference's list replaces the prediction's, if both are plain SELECTs."""
    assert logic_statement(reference, predicted, dialect="sqlite") == statement


def test_logic_that_holds_forgives_the_select_list():
    """Right rows, wrong columns: 1 by the rerun's result, which must not be empty."""
    reference, wrong = table((1, "a"), (2, "b")), table((7,), (8,))
    right_logic, wrong_logic = table((2, "b"), (1, "a")), table((1, "a"))

    def accuracy(logic, predicted=wrong):
        return logic_execution_accuracy(reference, predicted, logic, reference_sql="SELECT a, b")

    assert [accuracy(logic) for logic in (right_logic, wrong_logic, None)] == [True, False, False]
    assert accuracy(wrong_logic, predicted=table(("a",), ("b",)))
    empty = ResultTable(("a",), ())
    assert not logic_execution_accuracy(empty, wrong, empty, reference_sql="SELECT a")


def test_a_data_diff_lays_tables_on_each_other():
    """Rows by position, columns by name in any case; what is missing costs recall."""
    reference = table((1, "a"), (2, "b"), (3, "c"))
    predicted = ResultTable(("B", "A", "extra"), (("a", 1.0, 7), ("x", 2, 8)))
    assert data_diff(reference, predicted) == DataDiff(precision=1 / 2, recall=1 / 3)
    assert data_diff(reference, predicted).f1 == pytest.approx(0.4)
    assert data_diff(reference, predicted, by="columns") == DataDiff(precision=1 / 3, recall=1 / 2)
    other_names = table((1, "a"), columns="xy")
    assert data_diff(reference, other_names) == data_diff(reference, other_names, by="columns")
    assert data_diff(reference, other_names).f1 == 0
    twice = ResultTable(("a", "a"), ((1, 2),))
    assert data_diff(twice, twice) == DataDiff(1.0, 1.0)
    assert data_diff(twice, table((1,))).recall == 1.0
