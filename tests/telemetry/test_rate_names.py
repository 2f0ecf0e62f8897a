"""Names of rates and flags on every surface: a word never points one way here and another there."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import chain
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from sqlobs import Schema, check_sql, semconv
from sqlobs.errors import InputError
from sqlobs.monitoring import blindness, schema_hallucination
from sqlobs.monitoring.rules import Recording
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.reporting.figures import figures_of
from sqlobs.reporting.gates import parse_gate
from sqlobs.reporting.production.run import run_of_units
from sqlobs.reporting.production.unit import Unit
from sqlobs.reporting.rates import RATES
from sqlobs.runs.case import CheckSummary
from sqlobs.scores.registry import PRODUCTION_SCORES, SCORES
from sqlobs.semconv.collector import COLLECTOR_METRICS
from sqlobs.types import label_of, negated
from sqlobs_collector.store.tables import UNIT

ROOT = Path(__file__).parents[2]
RECORDED = {
    re.sub(r"\d+[mhd]$", "", rule.record)  # …:ratio5m, …:ratio30m: one name
    for group in chain(
        schema_hallucination.groups(RuleSettings()), blindness.groups(RuleSettings())
    )
    for rule in group.rules
    if isinstance(rule, Recording)
}
SURFACES = {
    "evaluations": [*SCORES],
    "attributes": [*semconv.ATTRIBUTES],
    "gauges and counters": [*COLLECTOR_METRICS],
    "recorded series": sorted(RECORDED),
    "figures of reports and gates": [
        *(rate.name for rate in RATES),
        *(score.figure for score in PRODUCTION_SCORES.values()),
    ],
    "columns of the store, keys of an export": [column.name for column in UNIT.c],
    "fields of a unit": [field.name for field in fields(Unit)],
    "fields of a case's check": [field.name for field in fields(CheckSummary)],
}
RETIRED = (
    *("sqlobs_quality_rate", "first_shot", "grounded_names", "golden_pass_ratio"),
    *("schema_hallucination>", "schema_hallucination:ratio", "has_invented_name"),
)


def test_every_surface_and_what_it_calls_hallucination_and_rates():
    """The whole list, so that a new name is seen by anyone who reviews it."""
    assert {
        surface: [name for name in names if re.search(r"halluc|_rate\b|_rate:|_ratio\b", name)]
        for surface, names in SURFACES.items()
    } == snapshot(
        {
            "evaluations": ["schema_hallucination", "time_ratio", "median_ratio"],
            "attributes": [
                "sqlobs.hallucinated.tables",
                "sqlobs.hallucinated.columns",
                "sqlobs.hallucinated.first",
                "sqlobs.hallucinated.count",
                "sqlobs.first_attempt.hallucinated",
                "sqlobs.schema_hallucination.label",
            ],
            "gauges and counters": [
                "sqlobs_schema_hallucination_rate",
                "sqlobs_first_attempt_schema_hallucination_rate",
                "sqlobs_quality_pass_rate",
                "sqlobs_first_attempt_pass_rate",
                "sqlobs_golden_pass_rate",
            ],
            "recorded series": [
                "version:sqlobs_schema_hallucination:ticket",
                "version:sqlobs_schema_hallucination_evaluated:increase",
                "version:sqlobs_schema_hallucination_failed:increase",
                "version:sqlobs_schema_hallucination_rate:ratio",
                "workflow:sqlobs_schema_hallucination:objective",
                "workflow:sqlobs_schema_hallucination:page",
                "workflow:sqlobs_schema_hallucination:slow",
                "workflow:sqlobs_schema_hallucination_evaluated:increase",
                "workflow:sqlobs_schema_hallucination_failed:increase",
                "workflow:sqlobs_schema_hallucination_rate:ratio",
            ],
            "figures of reports and gates": [
                "syntactic_pass_rate",
                "schematic_pass_rate",
                "sql_correctness_pass_rate",
                "syntactic_strict_pass_rate",
                "schematic_strict_pass_rate",
                "sql_correctness_strict_pass_rate",
                "schema_hallucination_rate",
                "first_attempt_pass_rate",
                "first_attempt_schema_hallucination_rate",
                "abstained_rate",
                "clarified_rate",
                "local_engine_pass_rate",
                "execution_pass_rate",
                "adherence_pass_rate",
                "efficiency_pass_rate",
                "injection_pass_rate",
                "feedback_pass_rate",
            ],
            "columns of the store, keys of an export": ["hallucinated", "first_hallucinated"],
            "fields of a unit": ["hallucinated", "first_hallucinated"],
            "fields of a case's check": ["hallucinated"],
        }
    )


@pytest.mark.parametrize("surface", SURFACES)
def test_the_name_of_a_rate_states_its_direction(surface):
    """Either a share that passes, or a share of something that is named."""
    rates = [name for name in SURFACES[surface] if re.search(r"_rate\b|_rate:", name)]
    good, bad = r"_pass_rate\b", r"_hallucination_rate\b|(abstained|clarified)_rate\b"
    assert [name for name in rates if not re.search(f"{good}|{bad}", name)] == []


def test_the_bare_word_is_the_evaluation_alone():
    """`schema_hallucination` has labels pass and fail; no figure, gauge or flag is called so."""
    bare = {surface for surface, names in SURFACES.items() if "schema_hallucination" in names}
    assert bare == {"evaluations"}


def test_an_invented_name_is_recorded_the_same_way_everywhere():
    """A label fails, every flag is true, the rate is 1."""
    schema = Schema.from_ddl("CREATE TABLE t (id int)", dialect="postgres")
    report = check_sql("SELECT ghost FROM t", schema=schema)
    assert (report.hallucinated, label_of(negated(report.hallucinated))) == (True, "fail")
    unit = Unit(
        trace_id="1" * 32,
        span_id="2" * 16,
        occurred_ns=1,
        state="done",
        workflow="w",
        evaluations=(),
        outcome="answered",
        verdict="failed",
        hallucinated=report.hallucinated,
        first_hallucinated=True,
    )
    (case,) = run_of_units([unit], name="units").cases
    assert case.check is not None
    assert case.check.hallucinated is True
    figures = {figure.name: figure for figure in figures_of([case])}
    rate = figures["schema_hallucination_rate"]
    assert (rate.value, rate.better) == (1.0, "lower")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("schema_hallucination>2%", "schema_hallucination_rate"),
        ("schematic<98%", "schematic_pass_rate"),
        ("syntactic<98%", "syntactic_pass_rate"),
        ("sql_correctness<98%", "sql_correctness_pass_rate"),
        ("schematic_strict<98%", "schematic_strict_pass_rate"),
        ("execution<98%", "execution_pass_rate"),
        ("injection<98%", "injection_pass_rate"),
        ("schemtic_pass_rate<98%", "schematic_pass_rate"),
    ],
)
def test_the_error_about_an_old_gate_name_suggests_the_new_one(given, meant):
    """One sentence, and no alias: the old name may have pointed the other way."""
    with pytest.raises(InputError, match=rf"unknown metric \w+, did you mean {meant}\?$"):
        parse_gate(given)


def test_no_page_contains_a_retired_name():
    """Docs, READMEs and the shipped monitoring files."""
    pages = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples/observability").rglob("*.*"),
        *(ROOT / "README.md", ROOT / "collectors/README.md", ROOT / "CHANGELOG.md"),
    ]
    found = [
        (page.name, name)
        for page in pages
        if page.is_file() and "migrations" not in page.parts
        for name in RETIRED
        if name in page.read_text(encoding="utf-8")
    ]
    assert found == []
