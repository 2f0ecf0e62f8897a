"""`sqlobs schema`, from the shell's side."""

from __future__ import annotations

import json
import sqlite3

import pytest

from sqlobs import Schema
from sqlobs.cli import main

OLD = """CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL);
CREATE TABLE gone (id INTEGER);
"""
NEW = """CREATE TABLE customers (id INTEGER PRIMARY KEY, NAME TEXT, mail TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT);
CREATE TABLE fresh (id INTEGER);
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Go to a directory with two versions of a schema and some queries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.sql").write_text(OLD)
    (tmp_path / "new.sql").write_text(NEW)
    (tmp_path / "queries.jsonl").write_text(
        '{"id": "a", "sql": "SELECT city FROM customers"}\n'
        '{"id": "b", "sql": "SELECT name FROM customers"}\n'
        '{"id": "c", "sql": "SELECT nothing FROM customers"}\n'
    )
    return tmp_path


def test_a_live_database_is_pulled_as_a_document(place, capsys):
    """The document is the schema, on standard output or in a file."""
    connection = sqlite3.connect(place / "shop.db")
    connection.executescript(OLD)
    connection.close()
    url = f"sqlite:///{place}/shop.db"
    assert main(["schema", "pull", url]) == 0
    assert Schema.from_json(capsys.readouterr().out) == Schema.from_database(url)
    assert main(["schema", "pull", url, "--output", "shop.json"]) == 0
    assert Schema.from_json((place / "shop.json").read_text()) == Schema.from_database(url)
    assert main(["schema", "pull", url, "--output", "nowhere/shop.json"]) == 2
    assert (
        capsys.readouterr().err == "sqlobs schema: nowhere/shop.json: no such file or directory\n"
    )


def test_show_prints_the_schema_and_what_it_lacks(place, capsys):
    """First what models read, then what keeps verdicts open."""
    (place / "s.json").write_text(
        Schema.from_mapping(
            {"t": {"a": "int", "b": None}, "u": ["c"]}, dialect="postgres"
        ).to_json()
    )
    assert main(["schema", "show", "s.json", "--tables", "u"]) == 0
    version = Schema.from_json((place / "s.json").read_text()).version
    assert capsys.readouterr().out == (
        "CREATE TABLE u (\n  c\n);\n\n"
        f"-- postgres, 2 tables, 3 columns, version {version}\n"
        "-- missing types of 2 of 3 columns: types of operators and functions on them are not checked"
        " (t.b, u.c, …)\n"
        "-- missing keys of 2 of 2 tables: columns that depend on a grouped primary key cannot be"
        " distinguished from ungrouped ones (t, u, …)\n"
    )


def test_show_says_when_nothing_is_lacking(place, capsys):
    """A script of SQLite has all that a full verdict needs."""
    assert main(["schema", "show", "old.sql", "--dialect", "sqlite", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lacks"] == []
    assert main(["schema", "show", "old.sql", "--dialect", "sqlite"]) == 0
    assert capsys.readouterr().out.endswith(
        "-- complete: the schema has everything that the checker uses\n"
    )


def test_diff_lists_what_changed(place, capsys):
    """Names are compared as the dialect compares them; removals and retypings fail the gate."""
    assert main(["schema", "diff", "old.sql", "new.sql", "--dialect", "sqlite"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "added    customers.mail",
        "removed  customers.city",
        "retyped  orders.total: REAL -> TEXT",
        "added    fresh",
        "removed  gone",
    ]
    assert main(["schema", "diff", "old.sql", "old.sql", "--dialect", "sqlite"]) == 0
    assert capsys.readouterr().out == "no differences in tables, columns or types\n"


def test_diff_lists_the_queries_that_break(place, capsys):
    """A query that failed before is no news."""
    arguments = ["schema", "diff", "old.sql", "new.sql", "--dialect", "sqlite"]
    assert main([*arguments, "--queries", "queries.jsonl", "--json"]) == 1
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["broken"] == [
        {
            "line": 1,
            "id": "a",
            "sql": "SELECT city FROM customers",
            "failure_codes": ["schema.unknown_column"],
        }
    ]
    assert main([*arguments, "--queries", "queries.jsonl"]) == 1
    assert "1 query breaks\nline 1 (a): failed:" in capsys.readouterr().out


def test_an_added_column_breaks_nothing(place, capsys):
    """Exit code 0: the gate is about what was taken away."""
    (place / "more.sql").write_text(OLD.replace("city TEXT", "city TEXT, zip TEXT"))
    assert main(["schema", "diff", "old.sql", "more.sql", "--dialect", "sqlite"]) == 0
    assert capsys.readouterr().out == "added    customers.zip\n"
