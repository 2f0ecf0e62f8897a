"""The figures of a run, and what they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.metrics.intervals import bootstrap_mean, wilson_interval
from sqlobs.metrics.runtime_efficiency import reward
from sqlobs.reporting.console import figures_block
from sqlobs.reporting.failures import (
    BUCKET_TITLES,
    bucket_shares,
    code_shares,
    codes_of,
    invented_names,
    mistake_shares,
)
from sqlobs.reporting.figures import figures_of, without_duplicates
from sqlobs.reporting.gates import check_gates, parse_gate
from sqlobs.reporting.json_report import figure_document
from sqlobs.reporting.rates import is_hallucinated
from sqlobs.reporting.rows import DifferingRow, differing_rows
from sqlobs.reporting.slices import ordered_levels, slices_of
from sqlobs.reporting.wording import shown_value
from sqlobs.runs.case import BUCKETS, CaseResult, CheckSummary, ResultDifference, TimedRuns
from sqlobs.runs.run import Run
from tests.reporting.samples import (
    large_run,
    mismatched,
    passed,
    reference_failed,
    refused,
    small_run,
)


def test_a_score_has_one_form_whatever_its_values_are():
    """A mean of partial credit stays a mean in a run without any partial match."""
    figures = named(figures_of((passed(0), passed(1))))
    assert (figures["ex"].kind, shown_value(figures["ex"])) == ("rate", "100.0 %")
    assert (figures["f1"].kind, shown_value(figures["f1"])) == ("mean", "1.000")


def named(figures):
    """Return figures by name."""
    return {figure.name: figure for figure in figures}


def test_rates_carry_numerator_denominator_and_interval():
    """Of nine cases two pass; one is no attempt, one has no reference to compare with."""
    found = named(figures_of(small_run().cases))
    esm = found["esm"]
    assert (esm.count, esm.total, esm.value, esm.not_evaluated) == (2, 9, 2 / 9, 0)
    assert esm.interval == wilson_interval(2, 9)
    assert [(found[name].count, found[name].total) for name in ("esm_attempted", "em")] == [
        (2, 8),
        (3, 9),
    ]
    assert (found["esm_comparable"].total, found["esm_comparable"].not_evaluated) == (8, 1)
    assert (found["schematic_pass_rate"].count, found["schematic_pass_rate"].total) == (6, 7)
    assert "flex" not in found


def test_scores_of_0_and_1_are_rates_and_others_are_means():
    """A mean has the bootstrap's interval; a rate of scores has Wilson's."""
    cases = small_run().cases
    found = named(figures_of(cases))
    assert (found["ex"].kind, found["ex"].count, found["ex"].total) == ("rate", 4, 6)
    values = [case.scores["f1"] for case in cases if "f1" in case.scores]
    assert found["f1"].value == pytest.approx(sum(values) / len(values))
    assert found["f1"].interval == bootstrap_mean(values).interval
    assert (found["ves_reward"].kind, found["ves_reward"].best) == ("mean", 1.25)


def timed(index, ratio, *, is_below_resolution=False):
    """Return a correct case with the time ratio of ten runs, one of them dropped."""
    scores = {"ex": 1.0, "time_ratio": ratio, "median_ratio": ratio, "ves_reward": reward(ratio)}
    runs = TimedRuns(count=10, kept=9, is_below_resolution=is_below_resolution)
    return passed(index, scores=scores, timed=runs)


def test_ves_is_the_mean_root_over_all_cases_and_wrong_ones_count_zero():
    """Of ratios 4 and 0.81 and a wrong result: 200, 90 and 0; rewards 1.25, 0.75 and 0."""
    wrong = {"ex": 0.0, "time_ratio": 0.0, "median_ratio": 0.0, "ves_reward": 0.0}
    unknown = dict.fromkeys(wrong)
    cases = [
        *(timed(0, 4.0), timed(1, 0.81, is_below_resolution=True)),
        *(mismatched(2, scores=wrong), passed(3, scores=unknown), reference_failed(4)),
    ]
    found = named(figures_of(cases))
    ves, r_ves = found["ves"], found["r_ves"]
    assert ves.value == pytest.approx(290 / 3)
    assert r_ves.value == pytest.approx(100 * (1.25**0.5 + 0.75**0.5) / 3)
    assert (ves.title, r_ves.title, r_ves.best) == ("VES", "R-VES", 100 * 1.25**0.5)
    assert {(each.total, each.not_evaluated, each.is_main) for each in (ves, r_ves)} == {
        (3, 1, True)
    }
    assert shown_value(ves) == "96.7"
    assert ves.about == (
        "100 times the mean root of reference time over prediction time,"
        " 0 if results differ; 1 of 2 timed cases are too fast to measure."
    )
    assert found["median_ratio"].value == pytest.approx(4.81 / 3)


def test_a_run_that_was_not_timed_has_no_ves():
    """Nothing is shown as 0."""
    assert not {"ves", "r_ves"} & named(figures_of([passed(0, scores={"ex": 1.0})])).keys()


def test_variants_over_the_same_cases_are_shown_once():
    """`of attempted` says nothing new where every case was attempted."""
    cases = [passed(0), mismatched(1)]
    assert "esm_attempted" in named(figures_of(cases))
    assert "esm_attempted" not in named(without_duplicates(figures_of(cases)))
    assert "esm_attempted" in named(without_duplicates(figures_of(small_run().cases)))


def test_correctness_is_a_rate_of_each_label_of_both_and_of_the_strict_definition():
    """Not evaluated: out of the default rates, counted beside them, failed in the strict ones."""
    checks = [
        (True, True, ("syntactic", "schematic")),
        (True, True, ("syntactic",)),
        (True, False, ("syntactic",)),
        (True, None, ("syntactic",)),
        (False, None, ()),
    ]
    cases = [
        passed(
            place,
            check=CheckSummary(
                sql="", verdict="ok", syntactic=syntactic, schematic=schematic, strict_labels=strict
            ),
        )
        for place, (syntactic, schematic, strict) in enumerate(checks)
    ]
    cases.append(passed(5, check=None))
    found = named(figures_of(cases))
    assert {
        name: (figure.count, figure.total, figure.not_evaluated)
        for name, figure in found.items()
        if "syntactic" in name or "schematic" in name or "correctness" in name
    } == {
        "syntactic_pass_rate": (4, 5, 1),
        "schematic_pass_rate": (2, 3, 3),
        "sql_correctness_pass_rate": (2, 4, 2),
        "syntactic_strict_pass_rate": (4, 5, 1),
        "schematic_strict_pass_rate": (1, 5, 1),
        "sql_correctness_strict_pass_rate": (1, 5, 1),
    }
    assert not found["schematic_strict_pass_rate"].is_main
    shown = named(without_duplicates(found.values()))
    assert "syntactic_strict_pass_rate" not in shown
    assert {
        "schematic_strict_pass_rate",
        "sql_correctness_strict_pass_rate",
        "sql_correctness_pass_rate",
    } <= shown.keys()
    alone = named(without_duplicates(figures_of(cases[4:5])))
    assert {"syntactic_pass_rate", "sql_correctness_pass_rate"} == {
        name for name in alone if "ctic" in name or "correctness" in name
    }


def test_a_score_says_how_cells_were_compared_and_how_often_it_is_approximate():
    """Two ways of comparing are both named; what is unknown is left out."""
    cases = [
        passed(0, scores={"f1": 0.5}, cell_mode={"f1": "raw"}, approximate=("f1",)),
        passed(1, scores={"f1": 0.7, "ex": 1.0}, cell_mode={"f1": "text", "ex": "canonical"}),
        passed(2, scores={"ex": None}, approximate=()),
    ]
    found = named(figures_of(cases))
    assert (found["f1"].approximate, found["f1"].cell_mode) == (1, "raw, text")
    assert (found["ex"].approximate, found["ex"].cell_mode) == (0, "canonical")
    assert figure_document(found["f1"]) == {
        "value": 0.6,
        "interval": None,
        "better": "higher",
        "count": None,
        "total": 2,
        "not_evaluated": 1,
        "approximate": 1,
        "cell_mode": "raw, text",
    }
    shown = figures_block(Run(name="r", cases=tuple(cases)))
    assert "n = 2, 1 approximate" in shown


def test_failures_alone_say_how_close_they_come():
    """Correct cases are left out, cases without a score too; nothing is shown without a failure."""
    cases = [
        passed(0),
        mismatched(1, scores={"ex": 0.0, "f1": 0.8, "exp": 1.0}),
        mismatched(2, scores={"ex": 0.0, "f1": 0.2, "exp": 0.0}),
        reference_failed(3),
    ]
    found = named(figures_of(cases))
    f1 = found["f1_of_failures"]
    assert (f1.value, f1.total, f1.title) == (0.5, 2, "Execution F1 of failures")
    assert (found["exp_of_failures"].value, f1.is_main) == (0.5, False)
    assert "exr_of_failures" not in found
    assert "f1_of_failures" not in named(figures_of(cases[:1]))
    (verdict,) = check_gates(Run(name="r", cases=tuple(cases)), [parse_gate("f1_of_failures<60%")])
    assert verdict.is_failed


def test_no_cases_have_no_figures():
    """Nothing is shown as 0 of 0."""
    assert figures_of([]) == ()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (passed(0), False),
        (refused(0), True),
        (passed(0, check=None), None),
        (passed(0, check=CheckSummary(sql="", verdict="not_evaluated")), None),
    ],
)
def test_a_case_with_an_invented_name_counts_as_hallucinated(case, expected):
    """Without a check, or a schema, nothing is said."""
    assert is_hallucinated(case) is expected


def test_codes_of_check_engine_and_result_are_one_list():
    """Each once, the primary first, whatever the checker found first."""
    case = mismatched(0, check=refused(0).check)
    assert codes_of(case) == ("schema.unknown_column", "result.mismatch")
    shares = code_shares(small_run().cases)
    assert [(share.name, share.count) for share in shares] == [
        ("result.mismatch", 1),
        ("schema.unknown_column", 1),
    ]
    assert invented_names(small_run().cases) == [("category", "genre", 1)]


def test_buckets_add_up():
    """Every bucket has a title, and every case is in one."""
    assert tuple(BUCKET_TITLES) == BUCKETS
    cases = large_run(300).cases
    assert sum(share.count for share in bucket_shares(cases)) == 300
    assert mistake_shares(cases)[0].name == "perfect"
    assert mistake_shares([CaseResult(index=0)]) == []


def test_slices_have_two_levels_and_the_run_s_cases():
    """Difficulties in their order; counts from three on are one level; flags are with, without."""
    cases = large_run(200).cases
    found = {item.name: item for item in slices_of(cases)}
    assert [level.title for level in found["difficulty"].levels] == [
        "simple",
        "moderate",
        "challenging",
    ]
    assert [level.title for level in found["joins"].levels] == ["0", "1", "2", "3 or more"]
    assert [level.title for level in found["has_group"].levels] == ["with", "without"]
    assert {sum(level.total for level in item.levels) for item in found.values()} == {200}
    assert slices_of([passed(0)]) == []


def test_unknown_levels_come_after_known_ones():
    """By name, so that the order does not depend on the cases."""
    assert ordered_levels({"zebra", "Hard", "easy", "10", "9"}) == [
        "9",
        "10",
        "easy",
        "Hard",
        "zebra",
    ]


def test_rows_that_are_nearly_the_same_stand_together():
    """The changed cells are known; rows without a twin follow."""
    difference = ResultDifference(
        missing=(("Emma", 3, None), ("Dune", 7, 1.5)),
        extra=(("It", 0, 2.0), ("Dune", 8, 1.5)),
    )
    assert differing_rows(difference) == [
        DifferingRow("missing", ("Dune", 7, 1.5), (1,)),
        DifferingRow("extra", ("Dune", 8, 1.5), (1,)),
        DifferingRow("missing", ("Emma", 3, None)),
        DifferingRow("extra", ("It", 0, 2.0)),
    ]


cells = st.tuples(st.integers(0, 2), st.integers(0, 2))


@given(st.lists(cells, max_size=6), st.lists(cells, max_size=6))
def test_every_row_is_shown_once(missing, extra):
    """Pairing loses nothing and doubles nothing."""
    shown = differing_rows(ResultDifference(missing=tuple(missing), extra=tuple(extra)))
    assert sorted(row.cells for row in shown if row.side == "missing") == sorted(missing)
    assert sorted(row.cells for row in shown if row.side == "extra") == sorted(extra)
