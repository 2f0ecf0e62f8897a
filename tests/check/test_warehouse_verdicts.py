"""Engines that are not available: what the vendors' manuals decide, and what stays undecided."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sqlobs import Schema, check_sql

VERDICTS = yaml.safe_load((Path(__file__).parent / "verdicts.yaml").read_text())
IDIOMS = yaml.safe_load((Path(__file__).parent / "idioms.yaml").read_text())
AWKWARD = yaml.safe_load((Path(__file__).parent / "awkward.yaml").read_text())
LABELS = {True: "T", False: "F", None: "N"}


def cases():
    """Return dialect, schema, statement and both labels of every statement."""
    return [
        (dialect, groups["schema"], sql, labels)
        for dialect, groups in VERDICTS.items()
        for labels, statements in groups.items()
        for sql in (statements if labels != "schema" else ())
    ]


@pytest.mark.parametrize(("dialect", "ddl", "sql", "labels"), cases())
def test_a_label_is_true_only_where_known_and_false_only_where_sure(dialect, ddl, sql, labels):
    """What neither the schema nor a manual tells is None, with a reason."""
    report = check_sql(sql, schema=Schema.from_ddl(ddl, dialect=dialect))
    found = f"{LABELS[report.syntactic]}/{LABELS[report.schematic]}"
    assert found == labels, report.explain()
    assert len(report.reasons) == labels.count("N")


@pytest.mark.parametrize("dialect", sorted(IDIOMS))
def test_what_a_manual_shows_fails_no_label(dialect):
    """Statements as models write them for a warehouse, with everything that only it has."""
    schema = Schema.from_ddl(IDIOMS[dialect]["schema"], dialect=dialect)
    reports = [check_sql(sql, schema=schema) for sql in IDIOMS[dialect]["pass"]]
    wrong = [one.explain() for one in reports if False in (one.syntactic, one.schematic)]
    assert wrong == []


@pytest.mark.parametrize("dialect", sorted(IDIOMS))
def test_what_a_manual_does_not_have_fails_a_label(dialect):
    """Invented names, clauses out of order, and what only other engines have."""
    schema = Schema.from_ddl(IDIOMS[dialect]["schema"], dialect=dialect)
    reports = [check_sql(sql, schema=schema) for sql in IDIOMS[dialect]["fail"]]
    assert [one.sql for one in reports if False not in (one.syntactic, one.schematic)] == []


@pytest.mark.parametrize("dialect", sorted(AWKWARD.keys() - {"tables", "every"}))
def test_what_looks_like_a_fault_and_is_none_fails_no_label(dialect):
    """Forms that a manual rejects are distinguished from names that look similar."""
    schema = Schema.from_mapping(AWKWARD["tables"], dialect=dialect)
    reports = [check_sql(one, schema=schema) for one in AWKWARD["every"] + AWKWARD[dialect]]
    assert [one.explain() for one in reports if False in (one.syntactic, one.schematic)] == []


def test_a_function_in_another_case_is_one_finding_with_its_spelling():
    """Names of ClickHouse's functions are compared with case, except those of the standard."""
    schema = Schema.from_mapping(
        {"events": {"id": "UInt64", "ts": "DateTime"}}, dialect="clickhouse"
    )
    report = check_sql("SELECT tosTartOfDay(ts), UNIQEXACT(id), Sum(id) FROM events", schema=schema)
    found = [(one.code, one.identifier, one.suggestion) for one in report.errors]
    assert found == [
        ("syntax.dialect_mismatch", "tosTartOfDay", "toStartOfDay"),
        ("syntax.dialect_mismatch", "UNIQEXACT", "uniqExact"),
    ]
