"""SQL that ends too early, as a model's answer does at its token limit."""

from __future__ import annotations

import pytest

from sqlobs import check_sql
from sqlobs.check.parsing.reparse import is_cut_off
from sqlobs.check.parsing.statement import first_statement
from sqlobs.check.parsing.tokens import tokenize
from tests.agreement.own import DIALECTS, WAREHOUSES, clinic, refusals, statements

WHOLE = (
    "SELECT w.title, count(DISTINCT d.id) AS n FROM wards w JOIN doctors d ON d.ward_id = w.id"
    " WHERE d.salary - 1 > 10 AND NOT (w.title LIKE 'a%' OR w.id IS NULL) GROUP BY w.title"
    " HAVING count(*) BETWEEN 1 AND 9 ORDER BY CASE WHEN n > 1 THEN n ELSE 0 END LIMIT 5"
)
OPERATORS = {
    *". = - AND NOT BETWEEN OR".split(),
    *("FROM JOIN WHERE HAVING DISTINCT CASE WHEN THEN ELSE LIMIT".split()),
    "ORDER BY",
}


@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_no_accepted_statement_is_cut_off(dialect):
    """What looks cut off is tried in no other dialect, so it must be."""
    refused = refusals(dialect)
    shapes = {sql: _shape(sql, dialect) for sql in statements(dialect) if refused.get(sql) is None}
    assert len(shapes) > 100
    assert [sql for sql, shape in shapes.items() if is_cut_off(shape)] == []


def _shape(sql: str, dialect: str) -> str:
    text = tokenize(sql, dialect)
    return first_statement(text.tokens, text.shape)[1]


def test_a_statement_is_cut_off_behind_every_operator_and_within_parentheses():
    """Elsewhere it may be whole: `… GROUP BY w.title`."""
    text = tokenize(WHOLE, "postgres")
    cut = {place for place in range(len(text.tokens)) if is_cut_off(text.shape[: place + 1])}
    depth, expected = 0, set[int]()
    for place, token in enumerate(text.tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth or token.text in OPERATORS:
            expected.add(place)
    assert cut == expected


@pytest.mark.parametrize("sql", ["SELECT CAST(ghost AS strin", 'SELECT "ghost" FROM wards WHERE'])
def test_columns_of_a_statement_that_is_cut_off_are_not_looked_up(sql):
    """The parser of PostgreSQL accepts the first one, without its end."""
    report = check_sql(sql, schema=clinic("spark"), dialect="spark")
    assert report.syntactic is False
    assert "schema.unknown_column" not in report.failure_codes
