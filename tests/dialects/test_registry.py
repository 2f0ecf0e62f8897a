"""Every dialect is one value: its names lead to it, and what depends on it agrees.

Also tests `sqlobs.dialects.base`, `identifiers`, `leniency` and the modules of the dialects.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot

from sqlobs import Schema
from sqlobs.check.report.derived_text import quote_if_needed
from sqlobs.dialects import leniency
from sqlobs.dialects.mysql import ERROR_CODES
from sqlobs.dialects.registry import (
    DIALECTS,
    all_dialects,
    by_scheme,
    by_sqlalchemy,
    by_system,
    dialect_and_version,
    dialect_name,
    dialect_of,
    engine_and_version,
)
from sqlobs.execution.engines import mysql_failure
from sqlobs.execution.target import Target
from sqlobs.failure_codes import CODES
from sqlobs.schema.content import Column, Table
from sqlobs.schema.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PRODUCT = [
    str(path.relative_to(ROOT))
    for package in ("sqlobs", "collectors/sqlobs_collector")
    for path in (ROOT / package).rglob("*.py")
    if path.relative_to(ROOT).parts[:2] != ("sqlobs", "dialects")
]
REGISTRATIONS = frozenset(
    {
        "collectors/sqlobs_collector/probing.py",
        "collectors/sqlobs_collector/store/systems.py",
        "sqlobs/check/native/__init__.py",
        "sqlobs/execution/analyzers/kinds.py",
        "sqlobs/execution/engines/__init__.py",
        "sqlobs/execution/live.py",
        "sqlobs/schema/live/reflection.py",
    }
)
"""Where one table maps a dialect or engine to its implementation."""


def test_every_dialect_is_found_by_its_name_and_its_spellings():
    """No spelling means two dialects, and none is a dialect of its own."""
    spellings = [spelling for one in all_dialects() for spelling in one.spellings]
    assert len(spellings) == len(set(spellings))
    assert not DIALECTS & set(spellings)
    for one in all_dialects():
        assert dialect_of(one.name) is one
        assert one.grammar in DIALECTS
        for name in (one.name, *one.spellings):
            assert dialect_name(name) == one.grammar


@pytest.mark.parametrize("attribute", ["schemes", "sqlalchemy"])
def test_a_name_in_a_url_means_one_dialect(attribute: str):
    """Otherwise the order of the modules would decide."""
    names = [name for one in all_dialects() for name in getattr(one.connections, attribute)]
    assert len(names) == len(set(names))


def test_the_names_of_systems_are_distinct():
    """Each leads back to its dialect."""
    assert all(by_system(one.system) is one for one in all_dialects())


def test_mariadb_is_parsed_as_mysql_and_known_as_itself():
    """Its version says so wherever only sqlglot's name is kept."""
    grammar, version = dialect_and_version("mariadb:11.4")
    assert engine_and_version(grammar, version) == (dialect_of("mariadb"), "11.4")
    assert engine_and_version("mysql", "8.4") == (dialect_of("mysql"), "8.4")


def test_spark_without_ansi_mode_is_parsed_as_spark_and_has_a_catalog_of_its_own():
    """Also beside a schema of Spark."""
    assert dialect_and_version("Spark Legacy") == ("spark", "sparklegacy")
    assert engine_and_version("spark", "sparklegacy-4.3") == (dialect_of("sparklegacy"), "4.3")


@pytest.mark.parametrize("url", ["singlestoredb://u@h/shop", "mssql+pymssql://u@h/shop"])
def test_a_sqlalchemy_target_has_a_dialect_that_can_be_parsed(url: str):
    """SingleStore speaks MySQL's: a dialect of its own is unknown to sqlglot."""
    assert Target.from_url("it", url).dialect in DIALECTS


def test_every_dialect_of_sqlalchemy_can_be_parsed():
    """A name that sqlglot does not have fails at the first statement only."""
    known = [by_sqlalchemy(name) for one in all_dialects() for name in one.connections.sqlalchemy]
    assert {one.grammar for one in known if one} <= DIALECTS
    assert by_scheme("unheard-of") is None


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_fixes_and_schemas_quote_a_name_alike(dialect: str):
    """Also those of StarRocks and Doris, whose quotes are backticks."""
    tables = (Table("orders", (Column("order id", "int"),)),)
    schema = Schema(tables, dialect=dialect)
    opening, closing = dialect_of(dialect).quotes
    quoted = f"{opening}order id{closing}"
    assert quote_if_needed("order id", dialect=dialect) == quoted
    assert quoted in render(schema)


@pytest.mark.parametrize(
    ("dialect", "bare", "quoted"),
    [
        ("postgres", "total", '"Total"'),
        ("oracle", "TOTAL", '"total"'),
        ("snowflake", "TOTAL", '"Total"'),
        ("mysql", "Total", None),
        ("tsql", "Total", None),
    ],
)
def test_a_fix_quotes_what_the_engine_would_fold_to_another_name(dialect, bare, quoted):
    """Oracle and Snowflake fold to upper case."""
    assert quote_if_needed(bare, dialect=dialect) == bare
    if quoted is not None:
        assert quote_if_needed(quoted.strip('"'), dialect=dialect) == quoted


@pytest.mark.parametrize("dialect", ["mysql", "bigquery", "tsql", "duckdb", "snowflake", "trino"])
def test_sqlglot_reads_the_quotes_of_a_dialect(dialect: str):
    """Quoted by us, it is one identifier."""
    tree = sqlglot.parse_one(f"SELECT {dialect_of(dialect).quoted('a b')}", dialect=dialect)
    assert [column.name for column in tree.find_all(sqlglot.exp.Column)] == ["a b"]


def test_mysql_has_one_list_of_error_codes():
    """Executions and the live engine use it; every code is a failure code."""
    assert mysql_failure.ERROR_CODES is ERROR_CODES
    assert dialect_of("mariadb").error_codes == dialect_of("mysql").error_codes == ERROR_CODES
    assert set(ERROR_CODES.values()) <= set(CODES)
    assert {1051, 1109, 1110, 1149, 1583} <= ERROR_CODES.keys()


def test_an_unknown_dialect_is_allowed_what_some_engine_allows():
    """And system relations of every engine, where no dialect was given at all."""
    unknown = leniency.unknown()
    for one in all_dialects():
        if one.resolution is not None:
            assert {
                name.lower() for name in one.resolution.hidden_columns
            } <= unknown.hidden_columns
            assert {name.lower() for name in one.resolution.system_tables} <= unknown.system_tables
        assert one.unsafe.functions <= leniency.any_unsafe().functions


def test_no_other_module_compares_names_of_dialects_or_keeps_a_table_by_dialect():
    """What differs between dialects is a field of `Dialect`."""
    assert len(PRODUCT) > 100
    found = {path: facts for path in PRODUCT if (facts := list(_facts_by_dialect(path)))}
    assert set(found) == REGISTRATIONS, found


def _facts_by_dialect(path: str) -> Iterator[int]:
    """Yield the lines that compare a dialect's name, or begin a table keyed by such names."""
    names = DIALECTS | {"mariadb", "postgresql"}
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        keys = [key for key in node.keys if key] if isinstance(node, ast.Dict) else []
        compared = [
            one.value
            for part in (*parts, *keys)
            for one in (part.elts if isinstance(part, ast.Tuple | ast.Set | ast.List) else [part])
            if isinstance(one, ast.Constant)
        ]
        if names & {one for one in compared if isinstance(one, str)}:
            yield node.lineno
