"""PostgreSQL reads `t.f` as `f(t)` where the table has no column f."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql

DDL = """
CREATE TABLE people (id int PRIMARY KEY, given text, family text);
CREATE FUNCTION full_name(p people) RETURNS text LANGUAGE sql AS 'SELECT p.given || p.family';
CREATE VIEW known AS SELECT id, given FROM people;
"""
CASES = {
    "SELECT p.full_name, full_name(p) FROM people p WHERE p.full_name LIKE 'a%'": True,
    "SELECT people.full_name FROM people": True,
    "SELECT p.to_jsonb FROM people p": True,
    "SELECT full_name FROM people": False,
    "SELECT p.fullname FROM people p": False,
    "SELECT p.name, p.upper FROM people p": False,
    "SELECT given FROM known GROUP BY id": False,
}


@pytest.mark.parametrize(("sql", "holds"), CASES.items())
def test_a_function_of_a_row_is_read_like_a_column(sql, holds):
    """As PostgreSQL 15 judges it; a view has no key that determines its columns."""
    schema = Schema.from_ddl(DDL, dialect="postgres")
    assert check_sql(sql, schema=schema).schematic is holds
