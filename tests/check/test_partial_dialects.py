"""Dialects without an available engine: names are checked, functions by the manual."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sqlobs import Profile, Schema, check_sql
from tests.check.schemas import shop

STATEMENTS = yaml.safe_load((Path(__file__).parent / "partial.yaml").read_text())
WAREHOUSES = yaml.safe_load((Path(__file__).parent / "warehouses.yaml").read_text())
NESTED = {
    "orders": {
        "id": "int",
        "customer_id": "int",
        "status": "varchar",
        "total": "decimal",
        "created_at": "timestamp",
        "items": "variant",
        "tags": "array",
    },
    "customers": {
        "id": "int",
        "name": "varchar",
        "email": "varchar",
        "country": "varchar",
        "signup_date": "date",
        "attributes": "variant",
    },
    "events": {
        "event_id": "int",
        "user_id": "int",
        "event_name": "varchar",
        "ts": "timestamp",
        "payload": "variant",
        "event_params": "array",
    },
}


TYPED = {
    "databricks": {"attributes": "string", "items": "array<struct<name: string, price: double>>"}
}
"""Columns whose type the functions of a warehouse ask for."""


def nested(dialect):
    """Return the shop with nested columns, as a warehouse has them."""
    typed = TYPED.get(dialect, {})
    return {
        table: {**columns, **{k: v for k, v in typed.items() if k in columns}}
        for table, columns in NESTED.items()
    }


def of(verdict):
    """Return dialect and statement of every one that should pass, or fail."""
    return [(dialect, sql) for dialect, verdicts in STATEMENTS.items() for sql in verdicts[verdict]]


@pytest.mark.parametrize(("dialect", "sql"), of("pass"))
def test_valid_sql_fails_no_label(dialect, sql):
    """Labels are true or undecided: nothing is called wrong that an engine takes."""
    report = check_sql(sql, schema=shop(dialect))
    assert False not in (report.syntactic, report.schematic), report.explain()


@pytest.mark.parametrize(("dialect", "sql"), of("fail"))
def test_an_invented_name_or_a_broken_statement_fails_a_label(dialect, sql):
    """Tables, columns, ambiguity and grammar are judged in every dialect."""
    report = check_sql(sql, schema=shop(dialect))
    assert False in (report.syntactic, report.schematic)


@pytest.mark.parametrize("dialect", sorted(STATEMENTS))
def test_a_function_in_no_list_is_wrong_only_where_the_list_is_complete(dialect):
    """Elsewhere `syntactic` is None, and the names are judged anyway."""
    report = check_sql("SELECT zork(name) FROM customers", schema=shop(dialect))
    is_complete = Profile.named(dialect).functions == "complete"
    assert (report.syntactic, report.schematic) == (False if is_complete else None, True)
    assert dict(report.reasons) == ({} if is_complete else {"syntactic": "undecided"})


@pytest.mark.parametrize("dialect", ["snowflake", "redshift", "tsql", "oracle", "trino"])
def test_functions_of_the_user_are_declared_in_the_schema(dialect):
    sql = "SELECT zork(name, 1) FROM customers"
    declared = replace(shop(dialect), functions=("zork",))
    assert check_sql(sql, schema=declared).ok
    partial = replace(Profile.named(dialect), functions="partial")
    assert check_sql(sql, schema=shop(dialect), dialect=partial).syntactic is None


@pytest.mark.parametrize("dialect", sorted(WAREHOUSES))
def test_syntax_that_a_warehouse_accepts_fails_no_label(dialect):
    """Fields of columns, elements of arrays, pivots, pseudo columns: all are recognized, none is wrong."""
    schema = Schema.from_mapping(nested(dialect), dialect=dialect)
    reports = [check_sql(sql, schema=schema) for sql in WAREHOUSES[dialect]["pass"]]
    assert [report.explain() for report in reports if not report.ok] == []
    assert [one.sql for one in reports if "error" in one.reasons.values()] == []


@pytest.mark.parametrize("dialect", sorted(WAREHOUSES))
def test_an_invented_name_is_found_beside_what_only_a_warehouse_takes(dialect):
    """That a row may hold fields excuses no name that nothing declares."""
    schema = Schema.from_mapping(nested(dialect), dialect=dialect)
    reports = [check_sql(sql, schema=schema) for sql in WAREHOUSES[dialect]["fail"]]
    assert [report.sql for report in reports if report.schematic is not False] == []
