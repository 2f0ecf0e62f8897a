"""A collector's units as cases: what is taken from where."""

from __future__ import annotations

import pytest

from sqlobs.errors import InputError
from sqlobs.reporting.console import console_block
from sqlobs.reporting.figures import figures_of, request_parts
from sqlobs.reporting.filters import parse_filter
from sqlobs.reporting.gates import check_gates, parse_gate
from sqlobs.reporting.json_report import report_document
from sqlobs.reporting.page.anatomy import case_document
from sqlobs.reporting.page.details import index_of
from sqlobs.reporting.page.view import view_of
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


def test_unknown_probabilities_are_reported_and_not_weighted():
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


NO_SQL = {"verdict": "failed", "failure_code": "syntax.no_sql", "syntactic": False}


def _mix():
    """Ten requests: each of the five outcomes, answers without SQL, a repaired one."""
    good = {"syntactic": True, "schematic": True, "hallucinated": False}
    first = {"first_verdict": "failed", "first_hallucinated": True}
    ended = ("abstained", "abstained", "clarified", "cancelled", "error")
    return [
        _unit(outcome="answered", first_verdict="ok", first_hallucinated=False, **good),
        _unit(outcome="answered", **first, **good),
        _unit(outcome="answered", first_verdict="failed", **NO_SQL),
        _unit(outcome="answered", first_verdict="failed", **NO_SQL),
        *(_unit(outcome=outcome, verdict="not_evaluated", **first) for outcome in ended[:3]),
        *(_unit(outcome=outcome, verdict="not_evaluated") for outcome in ended[3:]),
        _unit(outcome="answered", verdict="not_evaluated"),
    ]


def test_an_answer_without_sql_is_a_failure_of_the_headline_and_refusals_are_in_no_rate():
    """2 of 4 answers; all ten requests are accounted for, each once."""
    cases = run_of_units(_mix(), name="units").cases
    figures = {
        each.name: (each.count, each.total, each.not_evaluated) for each in figures_of(cases)
    }
    assert figures == {
        "syntactic_pass_rate": (2, 4, 6),
        "schematic_pass_rate": (2, 2, 8),
        "sql_correctness_pass_rate": (2, 4, 6),
        "schema_hallucination_rate": (0, 2, 8),
        "first_attempt_pass_rate": (1, 4, 6),
        "first_attempt_schema_hallucination_rate": (1, 2, 8),
        "abstained_rate": (2, 10, 0),
        "clarified_rate": (1, 10, 0),
    }
    parts = request_parts(cases)
    assert parts == {
        "valid_and_grounded": 2,
        "failed": 2,
        "not_evaluated": 1,
        "abstained": 2,
        "clarified": 1,
        "cancelled": 1,
        "error": 1,
    }
    assert sum(parts.values()) == len(cases)


def test_every_surface_tells_the_same_headline():
    """One function computes it: terminal, page, JSON, gate and workbook's notes."""
    run = run_of_units(_mix(), name="units")
    document = report_document(run)
    figure = document["figures"]["sql_correctness_pass_rate"]
    assert (figure["count"], figure["total"], figure["value"]) == (2, 4, 0.5)
    assert document["requests"] == request_parts(run.cases)
    assert "valid and grounded: 2 of 4 (50.0 %); of all 10: 2 valid and" in console_block(run)
    view = view_of(run)
    assert view.lead == "2 of 4 answers are valid and grounded in the schema"
    assert view.sentences[1] == (
        "Excluded from this rate, of all 10 requests: 1 not evaluated, 2 abstained, 1 clarified,"
        " 1 cancelled, 1 failed with an error."
    )
    (verdict,) = check_gates(run, [parse_gate("sql_correctness_pass_rate<60%")])
    assert (verdict.value, verdict.is_failed) == (0.5, True)
    (verdict,) = check_gates(run, [parse_gate("first_attempt_schema_hallucination_rate>20%")])
    assert (verdict.value, verdict.is_failed) == (0.5, True)


def test_an_answer_without_sql_ends_as_a_failure_and_in_no_execution_match():
    """It is not "Not compared"; what was compared with nothing is in no execution match."""
    case = _case(outcome="answered", **NO_SQL)
    assert (case.bucket, case.reason, case.esm) == ("pred_fail", "syntax.no_sql", None)
    wrong = _case(_evaluation("ex", "fail"), outcome="answered", **NO_SQL)
    assert (wrong.bucket, wrong.esm) == ("pred_fail", False)
    assert _case(outcome="abstained").reason == "abstained"


@pytest.mark.parametrize(
    ("label", "bucket", "esm"),
    [("fail", "mismatch", False), ("pass", "ok", True), ("not_evaluated", "skipped", None)],
)
def test_a_reference_says_whether_an_abstention_is_right(label, bucket, esm):
    """It counts in scores with a reference, and in no other rate."""
    value = None if label == "not_evaluated" else float(label == "pass")
    evaluations = [_evaluation(name, label, value=value) for name in ("ex", "f1")]
    case = _case(*evaluations, outcome="abstained")
    assert (case.bucket, case.reason, case.esm) == (bucket, "abstained", esm)
    assert case.scores == ({} if value is None else {"ex": value, "f1": value})
    figures = {figure.name: figure.total for figure in figures_of([case])}
    assert "sql_correctness_pass_rate" not in figures
    assert figures.get("ex") == (None if value is None else 1)


def test_a_production_case_names_the_source_of_its_reference_and_its_feedback():
    """A golden reference ran, though no text of it came with the unit; feedback is a history."""
    candidate = {"record": "r2", "verdict": "ok", "execution": "pass", "equals_answer": False}
    case = _case(
        _evaluation("ex", "fail", detail={"reference": "golden", "reference_sql": "SELECT 2"}),
        _evaluation("execution", "pass"),
        _evaluation("correction", "pass", version="1+r2", detail=candidate),
        tenant="acme",
        prompt_version="v7",
        attributes={"sqlobs.generation.duration": 1.25},
        feedback=[
            {"record_id": "r1", "occurred_ns": 10**9, "kind": "rating", "value": "2"},
            {
                "record_id": "r2",
                "occurred_ns": 2 * 10**9,
                "kind": "edit",
                "value": "corrected",
                "corrected_sql": "SELECT 1",
            },
        ],
    )
    shown = case_document(case)
    assert shown["copy"] == ["SELECT 2", None]
    assert shown["ran"] == ["ok", "ok"]
    assert shown["missing"][1] == "Not part of this export"
    assert shown["feedback"] == [
        ["1970-01-01T00:00:01+00:00", "rating: 2", "", "", ""],
        [
            *("1970-01-01T00:00:02+00:00", "edit: corrected", "", "SELECT 1"),
            "check: ok, run: pass, same rows as the answer: no",
        ],
    ]
    assert {
        *("at 2023-11-14T22:13:20+00:00", "tenant acme", "prompt version v7"),
        f"trace {'a' * 32}",
    } <= set(shown["facts"])
    (entry,) = index_of([case])["cases"]
    assert entry[10] == 1250.0
    (entry,) = index_of([_case()])["cases"]
    assert entry[10] is None
    assert case_document(_case())["missing"] == [
        "Reference: unknown",
        "Not part of this export",
    ]
    kept = [each.holds(case) for each in parse_filter("tenant = acme && prompt_version = v7")]
    assert kept == [True, True]
    assert case_of(line_of(case)) == case


def test_labels_that_the_collector_found_count_where_the_application_left_them_open():
    """As on its gauges; weighted by how the unit was chosen for evaluation."""
    found = [
        _evaluation(name, label, stands_in=True)
        for name, label in (
            ("syntactic", "pass"),
            ("schematic", "fail"),
            ("schema_hallucination", "fail"),
        )
    ]
    case = _case(*found, outcome="answered", verdict="not_evaluated")
    figures = {each.name: (each.count, each.total) for each in figures_of([case])}
    assert figures["sql_correctness_pass_rate"] == (0, 1)
    assert figures["schema_hallucination_rate"] == (1, 1)
    assert case.probabilities == Probabilities(checked=0.25, executed=0.25)
    late = [_evaluation("syntactic", "pass"), _evaluation("schematic", "pass")]
    case = _case(*late, outcome="answered", verdict="not_evaluated")
    assert case.check.syntactic is None
    assert case.probabilities == Probabilities(checked=0.5, executed=0.25)
