"""A collector's units as cases: what is taken from where."""

from __future__ import annotations

import pytest

from sqlobs.errors import InputError
from sqlobs.reporting.figures import figures_of
from sqlobs.reporting.production.run import run_of_units
from sqlobs.reporting.production.unit import Unit
from sqlobs.runs.case import JudgeVerdict, Probabilities, RunOutcome
from sqlobs.runs.lines import case_of, line_of


def _evaluation(metric, label, **fields):
    return {"metric": metric, "label": label, "created_ns": 1, "version": "1", **fields}


def _unit(*evaluations, **fields):
    """Return a unit whose texts and attributes are expired."""
    return Unit.of(
        {
            "trace_id": "a" * 32,
            "span_id": "b" * 16,
            "occurred_ns": 1_700_000_000 * 10**9,
            "state": "done",
            "workflow": "answer",
            "evaluations": evaluations,
            "texts": None,
            "verdict": "ok",
            "head_probability": 0.5,
            "probability": 0.25,
            **fields,
        }
    )


def _case(*evaluations, **fields):
    return run_of_units([_unit(*evaluations, **fields)], name="units").cases[0]


@pytest.mark.parametrize(
    ("evaluations", "ending"),
    [
        ([], ("skipped", "done")),
        ([("ex", "not_evaluated", {"reason": "no_reference"})], ("skipped", "no_reference")),
        ([("ex", "pass", {})], ("ok", None)),
        ([("ex", "fail", {}), ("execution", "pass", {})], ("mismatch", None)),
        ([("ex", "fail", {"explanation": "not_read_only"})], ("non_select", "not_read_only")),
        (
            [("ex", "fail", {}), ("execution", "fail", {"explanation": "execution.timeout"})],
            ("timeout", "execution.timeout"),
        ),
        (
            [("ex", "fail", {}), ("execution", "fail", {"explanation": "schema.unknown_table"})],
            ("pred_fail", "schema.unknown_table"),
        ),
    ],
)
def test_a_request_ends_where_its_evaluations_say(evaluations, ending):
    """What was not compared is skipped for the collector's reason."""
    case = _case(*(_evaluation(metric, label, **rest) for metric, label, rest in evaluations))
    assert (case.bucket, case.reason) == ending
    assert case.esm is (None if case.bucket == "skipped" else case.bucket == "ok")


def test_the_latest_version_of_an_evaluation_counts():
    """A backfill evaluates again beside what was found before."""
    late = _evaluation("ex", "pass", version="2", created_ns=5)
    assert _case(late, _evaluation("ex", "fail")).bucket == "ok"


def test_graded_scores_are_values_and_others_are_labels():
    """A judge's share of votes is no rate of requests."""
    case = _case(
        _evaluation("f1", "fail", value=0.4),
        _evaluation("exp", "not_evaluated", reason="truncated"),
        _evaluation("flex_noref", "pass", value=0.66),
        _evaluation("feedback", "fail", value=0.0, kind="human"),
    )
    assert case.scores == {"f1": 0.4, "exp": None, "flex_noref": 1.0, "feedback": 0.0}


def test_a_judge_s_probability_multiplies_that_of_being_run():
    """Stages draw each for itself; a verdict keeps what the collector has of it."""
    detail = {"suspicious": ["x"]}
    judged = _evaluation(
        "flex", "pass", value=1.0, explanation="so", probability=0.5, detail=detail
    )
    case = _case(judged)
    assert case.probabilities == Probabilities(checked=0.5, executed=0.25, judged=0.125)
    assert case.judge == JudgeVerdict(
        judge="1", correct=True, score=1.0, explanation="so", suspicious=("x",)
    )


def test_an_expired_unit_still_says_whether_a_name_was_invented():
    """The columns that outlive its texts tell, though no finding of a name is left."""
    case = _case(
        verdict="failed",
        failure_code="safety.unsafe_statement",
        schematic=False,
        hallucinated=True,
    )
    figures = {figure.name: figure for figure in figures_of([case])}
    assert (figures["schema_hallucination_rate"].value, figures["schematic_pass_rate"].value) == (
        1.0,
        0.0,
    )
    assert [found.code for found in case.check.findings] == ["safety.unsafe_statement"]


def test_unknown_probabilities_are_told_and_not_weighted():
    """Two of known weight make the rate; the third is counted."""
    known = [_unit(syntactic=True), _unit(syntactic=False)]
    unknown = _unit(syntactic=False, head_probability=None, probability=None)
    cases = run_of_units([*known, unknown], name="units").cases
    figure = next(each for each in figures_of(cases) if each.name == "syntactic_pass_rate")
    assert (figure.count, figure.total, figure.value, figure.unweighted) == (1, 3, 0.5, 1)


def test_a_case_of_production_survives_the_way_through_its_line():
    """As every case does."""
    ran = _evaluation("execution", "pass", detail={"truncated": True})
    case = _case(ran, syntactic=True)
    assert case.predicted == RunOutcome(status="ok", is_truncated=True)
    assert case_of(line_of(case)) == case


def test_what_is_no_unit_is_named():
    """The first field that is wrong, in words."""
    with pytest.raises(InputError, match="evaluations"):
        _unit({"metric": "ex"})
