"""A large run: 10,000 statements of real models, each literal replaced by a canary."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import fields
from pathlib import Path

import pytest

from sqlobs import CheckReport, Schema, check_sql
from sqlobs.check.report.masking import mask_sql
from tests.canaries import CANARIES, QUOTES, everything_exported, with_canaries
from tests.tracing.rig import Rig

pytestmark = [pytest.mark.shared, pytest.mark.timeout(900)]


def shared() -> Path:
    """Return where the corpora lie, or skip."""
    place = os.environ.get("SQLOBS_SHARED")
    if not place:
        pytest.skip("SQLOBS_SHARED names no corpora")
    return Path(place) / "corpora"


def rows(path: Path) -> list[dict[str, str]]:
    """Read a corpus."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def exported(report: CheckReport) -> str:
    """Return all a report says but the statement itself and its repaired form."""
    return "\n".join(
        str(getattr(report, field.name))
        for field in fields(report)
        if field.name not in {"sql", "fixed_sql", "fingerprint", "schema_version", "duration_s"}
    )


@pytest.mark.parametrize("dialect", sorted(QUOTES))
def test_no_canary_is_left_in_masked_sql_and_findings(dialect):
    """2,500 statements a dialect, parsing or not, in every quoting: not one canary comes out."""
    schemas = {
        row["schema"]: Schema.from_ddl(";\n".join(row["ddl"]), dialect=dialect)
        for row in rows(shared() / "schemas.jsonl.gz")
        if row["dialect"] == dialect
    }
    corpus = rows(shared() / f"{dialect}.jsonl.gz")
    leaks, masked_count = [], 0
    for number, row in enumerate(corpus[:: max(1, len(corpus) // 2500)]):
        quotes = QUOTES[dialect]
        sql = with_canaries(row["sql"], quotes[number % len(quotes)])
        schema = schemas[row["schema"]]
        names = {
            name.lower()
            for table in schema.tables
            for name in (table.name, *(column.name for column in table.columns))
        }
        masked = mask_sql(sql, dialect=dialect, known=lambda name, own=names: name.lower() in own)
        masked_count += masked is not None
        report = check_sql(sql, schema=schema)
        out = f"{masked}\n{exported(report)}\n{report.explain()}"
        if CANARIES.search(out):
            leaks.append((row["id"], sql, out))
    assert leaks[:3] == []
    assert masked_count > 2300


@pytest.mark.parametrize("dialect", sorted(QUOTES))
def test_no_canary_is_exported_through_the_decorator(dialect, caplog):
    """2,500 statements a dialect as answers of a traced function: spans, metrics and logs."""
    schemas = {
        row["schema"]: Schema.from_ddl(";\n".join(row["ddl"]), dialect=dialect)
        for row in rows(shared() / "schemas.jsonl.gz")
        if row["dialect"] == dialect
    }
    corpus = rows(shared() / f"{dialect}.jsonl.gz")
    chosen = corpus[:: max(1, len(corpus) // 2500)]
    with Rig(mode="inline") as rig:

        @rig.sqlobs.trace_generation(dialect=dialect, schema=lambda schema: schema)
        def generate(sql, schema):
            return sql

        for number, row in enumerate(chosen):
            quotes = QUOTES[dialect]
            sql = with_canaries(row["sql"], quotes[number % len(quotes)])
            generate(sql, schemas[row["schema"]])
        leaks = [span for span in rig.spans if CANARIES.search(str(dict(span.attributes)))]
        assert [dict(span.attributes) for span in leaks[:3]] == []
        assert len(rig.generations) == len(chosen)
        assert CANARIES.search(everything_exported(rig)) is None
    assert CANARIES.search(caplog.text) is None
