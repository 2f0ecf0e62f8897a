"""Statements after BigQuery's documentation get the verdicts of Google's GoogleSQL analyzer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sqlobs import Schema, check_sql
from sqlobs.check.engine.profile import Profile

STATEMENTS = yaml.safe_load((Path(__file__).parent / "bigquery_statements.yaml").read_text("utf-8"))


@pytest.mark.parametrize("verdict", ["accepted", "rejected"])
@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_the_verdict_is_that_of_the_analyzer(name, verdict):
    schema = Schema.from_ddl("\n".join(STATEMENTS[name]["schema"]), dialect="bigquery")
    reports = [check_sql(sql, schema=schema) for sql in STATEMENTS[name][verdict]]
    differing = [
        one.explain() or one.sql
        for one in reports
        if (False in (one.syntactic, one.schematic)) is not (verdict == "rejected")
    ]
    assert differing == []


def test_a_table_without_its_data_set_is_unknown_unless_the_search_path_has_it():
    schema = Schema.from_ddl("CREATE TABLE shop.orders (id INT64);", dialect="bigquery")
    sql = "SELECT id FROM orders"
    reached = replace(Profile.named("bigquery"), search_path=("shop",))
    assert check_sql(sql, schema=schema).schematic is False
    assert check_sql(sql, schema=schema, dialect=reached).schematic is True
