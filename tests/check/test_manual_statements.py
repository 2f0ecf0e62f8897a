"""Statements written after the vendors' manuals by somebody who had not seen the rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from sqlobs import Schema, check_sql

STATEMENTS = yaml.safe_load((Path(__file__).parent / "manual_statements.yaml").read_text("utf-8"))
DIALECTS = sorted(STATEMENTS)


@cache
def schema_of(dialect):
    return Schema.from_ddl("\n".join(STATEMENTS[dialect]["schema"]), dialect=dialect)


def checked(dialect, sql):
    named = "mysql:9" if dialect == "mysql" else dialect
    return check_sql(sql, schema=schema_of(dialect), dialect=named)


def names(report):
    """Return the names in the errors of a report, in lower case and without their qualifiers."""
    found = [one.identifier or "" for one in report.findings if one.severity == "error"]
    return {name.lower().rpartition(".")[2].strip('"`[]') for name in found}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_valid_statement_fails_no_label(dialect):
    reports = [checked(dialect, sql) for sql in STATEMENTS[dialect]["valid"]]
    wrong = [one.explain() for one in reports if False in (one.syntactic, one.schematic)]
    assert wrong == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_fault_fails_a_label_and_is_named(dialect):
    unnamed = []
    for name, statements in STATEMENTS[dialect]["faults"].items():
        for report in (checked(dialect, sql) for sql in statements):
            is_named = name == "syntax" or name.lower().rpartition(".")[2] in names(report)
            if False not in (report.syntactic, report.schematic) or not is_named:
                unnamed.append((name, report.sql, names(report)))
    assert unnamed == []
