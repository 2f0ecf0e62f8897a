"""Dialects whose manuals list all functions and types: what these decide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sqlobs import Profile, Schema, check_sql
from sqlobs.check.rules.unknown_unit import UnknownUnit
from sqlobs.dialects.documents import lists_functions, manual

STATEMENTS = yaml.safe_load((Path(__file__).parent / "manuals.yaml").read_text())
TABLES = {
    "customers": {
        "id": "int",
        "name": "varchar(50)",
        "email": "varchar(50)",
        "city": "varchar(50)",
        "country": "char(2)",
        "signup_date": "date",
        "credit_limit": "decimal(10,2)",
    },
    "orders": {
        "id": "int",
        "customer_id": "int",
        "status": "varchar(10)",
        "total": "decimal(10,2)",
        "created_at": "timestamp",
        "notes": "varchar(200)",
    },
    "items": {
        "id": "int",
        "order_id": "int",
        "product_id": "int",
        "quantity": "int",
        "price": "decimal(10,2)",
    },
    "products": {
        "id": "int",
        "name": "varchar(50)",
        "category": "varchar(50)",
        "price": "decimal(10,2)",
        "tags": "array",
    },
    "events": {
        "id": "int",
        "customer_id": "int",
        "kind": "varchar(20)",
        "payload": "json",
        "at_time": "timestamp",
    },
}
PAYLOAD = {"redshift": "super", "snowflake": "variant"}
DOCUMENTED = ("oracle", "redshift", "snowflake", "trino", "tsql")


def checked(dialect, sql, **changes):
    events = TABLES["events"] | {"payload": PAYLOAD.get(dialect, "json")}
    schema = Schema.from_mapping(TABLES | {"events": events}, dialect=dialect)
    schema = replace(schema, **changes)
    return check_sql(sql, schema=schema, dialect="mysql:8.4" if dialect == "mysql" else dialect)


@pytest.mark.parametrize("dialect", sorted(STATEMENTS))
def test_what_a_manual_documents_fails_no_label(dialect):
    reports = [checked(dialect, sql) for sql in STATEMENTS[dialect]["pass"]]
    wrong = [one.explain() for one in reports if False in (one.syntactic, one.schematic)]
    assert wrong == []


@pytest.mark.parametrize("dialect", sorted(STATEMENTS))
def test_foreign_functions_wrong_arguments_and_invented_types_fail_a_label(dialect):
    reports = [checked(dialect, sql) for sql in STATEMENTS[dialect]["fail"]]
    assert [one.sql for one in reports if False not in (one.syntactic, one.schematic)] == []


@pytest.mark.parametrize("dialect", DOCUMENTED)
def test_an_unlisted_function_an_arity_and_a_type_are_errors_by_name(dialect):
    def found(sql):
        return [(one.code, one.identifier, one.detail) for one in checked(dialect, sql).findings]

    assert found("SELECT zork(id) FROM orders") == [("syntax.dialect_mismatch", "zork", None)]
    assert found("SELECT ABS(id, 1) FROM orders") == [("syntax.dialect_mismatch", "ABS", "arity")]
    assert ("schema.unknown_type", "zork", None) in found("SELECT CAST(id AS zork) FROM orders")


@pytest.mark.parametrize("dialect", DOCUMENTED)
def test_functions_of_the_user_are_declared_in_the_schema(dialect):
    sql = "SELECT zork(id, 1) FROM orders"
    assert checked(dialect, sql, functions=("zork",)).ok
    partial = replace(Profile.named(dialect), functions="partial")
    report = check_sql(sql, schema=Schema.from_mapping(TABLES, dialect=dialect), dialect=partial)
    assert (report.syntactic, dict(report.reasons)) == (None, {"syntactic": "undecided"})


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("tsql", "SELECT dbo.zork(id) FROM orders"),
        ("tsql", "SELECT x.a FROM dbo.zork(1) AS x"),
        ("tsql", "SELECT geography::Zork(1, 2, 3) FROM orders"),
        ("oracle", "SELECT zork_pkg.zork(id) FROM orders"),
        ("oracle", "SELECT zork@remote(id) FROM orders"),
        ("snowflake", "SELECT db.util.zork(id) FROM orders"),
        ("snowflake", "SELECT model!zork(id) FROM orders"),
        ("trino", "WITH FUNCTION zork(x int) RETURNS int RETURN x SELECT zork(id) FROM orders"),
        ("trino", "SELECT catalog.util.zork(id) FROM orders"),
    ],
)
def test_a_call_that_belongs_to_the_user_is_undecided(dialect, sql):
    report = checked(dialect, sql)
    assert (report.syntactic, report.reasons["syntactic"]) == (None, "undecided")


def test_a_package_of_the_vendor_is_listed_with_its_name():
    assert checked("oracle", "SELECT DBMS_RANDOM.NORMAL() FROM orders").syntactic is True
    assert checked("oracle", "SELECT NORMAL() FROM orders").syntactic is False


@pytest.mark.parametrize("dialect", DOCUMENTED)
def test_a_complete_manual_has_signatures_and_types(dialect):
    document = manual(dialect)
    assert lists_functions(dialect)
    assert document["types"] == sorted(set(document["types"]))
    for name, signatures in document["functions"].items():
        assert name == name.lower()
        for _, least, most in signatures:
            assert 0 <= least <= most or most == -1


@pytest.mark.parametrize("dialect", ["mysql", "tsql"])
def test_the_message_about_a_quoted_unit_tells_what_to_change(dialect):
    """These functions take a word; the same text in Snowflake is a unit, too."""
    call = {"mysql": "TIMESTAMPDIFF", "tsql": "DATEDIFF"}[dialect]
    (finding,) = check_sql(f"SELECT {call}('day', a, b) FROM t", dialect=dialect).errors
    assert finding.message == "A time unit cannot be quoted here."


@pytest.mark.parametrize("dialect", DOCUMENTED)
def test_the_rule_about_units_looks_at_every_call_that_a_manual_names(dialect):
    """A call that is no trigger of the rule would never be looked at."""
    calls = (manual(dialect) or {}).get("unit_calls", ())
    assert UnknownUnit.triggers.issuperset(calls)
