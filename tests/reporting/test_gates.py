"""Gates and JUnit XML, as CI reads them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.errors import InputError
from sqlobs.metrics.paired_tests import paired_difference_interval
from sqlobs.reporting.comparison import compare
from sqlobs.reporting.gates import check_comparison, check_gates, parse_gate
from sqlobs.reporting.json_report import gate_document
from sqlobs.reporting.junit import junit_document, write_junit
from sqlobs.runs.case import CheckSummary, JudgeVerdict
from sqlobs.runs.run import Run
from tests.reporting.samples import hostile_run, mismatched, passed, refused, small_run


def parsed(document):
    """Return the root of XML that we wrote ourselves."""
    return ET.fromstring(document.encode())  # noqa: S314 - our own output


@pytest.mark.parametrize(
    ("text", "is_failed", "value"),
    [
        ("schematic_pass_rate<0.98", True, 6 / 7),
        ("schematic_pass_rate < 80%", False, 6 / 7),
        ("esm<0.2", False, 2 / 9),
        ("schema_hallucination_rate>0", True, 1 / 7),
        ("f1<.9", True, 4.85 / 6),
        ("timeout>=1", True, 1),
        ("gold_fail>1", False, 1),
        ("schema.unknown_column>0", True, 1),
        ("schema.unknown_table>0", False, 0),
        ("flex<0.5", True, None),
    ],
)
def test_a_gate_holds_a_figure_against_its_bound(text, is_failed, value):
    """Rates, means, counts of buckets and codes; a figure that is not there fails."""
    (verdict,) = check_gates(small_run(), [parse_gate(text)])
    assert verdict.is_failed is is_failed
    assert verdict.value == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "is_failed", "value"),
    [
        ("subset<80%", True, 200 / 3),
        ("subset<80", True, 200 / 3),
        ("overlap<60%", False, 200 / 3),
        ("ves_reward<80%", True, 2 / 3),
        ("r_ves<80%", True, 200 / 3),
        ("r_ves<60", False, 200 / 3),
        ("mismatch>30%", True, 1 / 3),
        ("mismatch>34%", False, 1 / 3),
        ("result.mismatch>=33%", True, 1 / 3),
        ("schema.unknown_table>0%", False, 0),
    ],
)
def test_a_percentage_refers_to_the_figures_maximum(text, is_failed, value):
    """Scores in percent as they stand, fractions by the hundred, counts as a share of cases."""
    percents = {"subset": 100.0, "overlap": 100.0, "ves_reward": 1.0}
    cases = [passed(0, scores=percents), passed(1, scores=percents)]
    cases.append(mismatched(2, scores=dict.fromkeys(percents, 0.0)))
    (verdict,) = check_gates(Run(name="r", cases=tuple(cases)), [parse_gate(text)])
    assert verdict.is_failed is is_failed
    assert verdict.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "is_failed"),
    [("broken>30%", True), ("broken>40%", False), ("fixed<1", True), ("difference<-30%", True)],
)
def test_a_share_of_changed_cases_is_one_of_those_compared(text, is_failed):
    """One of three compared cases broke."""
    before = Run(name="a", cases=(passed(0), passed(1), passed(2)))
    after = Run(name="b", cases=(passed(0), mismatched(1), passed(2)))
    (pair,) = compare([before, after]).pairs
    (verdict,) = check_comparison(pair, [parse_gate(text)])
    assert verdict.is_failed is is_failed


def changed(*, both, fixed, broken):
    """Return two runs over so many cases, compared."""
    before = [passed] * both + [mismatched] * fixed + [passed] * broken
    after = [passed] * both + [passed] * fixed + [mismatched] * broken
    runs = [
        Run(name=name, cases=tuple(make(index) for index, make in enumerate(makers)))
        for name, makers in (("a", before), ("b", after))
    ]
    return compare(runs).pairs[0]


@pytest.mark.parametrize(
    ("ends", "text", "is_failed"),
    [
        ({"both": 40, "fixed": 0, "broken": 1}, "regression>0", False),
        ({"both": 40, "fixed": 0, "broken": 10}, "regression>0", True),
        ({"both": 40, "fixed": 0, "broken": 10}, "regression>10%", True),
        ({"both": 40, "fixed": 0, "broken": 10}, "regression>15%", False),
        ({"both": 40, "fixed": 10, "broken": 0}, "regression>0", False),
    ],
)
def test_a_regression_is_one_that_chance_does_not_explain(ends, text, is_failed):
    """The gate fires where the one-sided 95 % interval of the change excludes the drop it names."""
    pair = changed(**ends)
    (verdict,) = check_comparison(pair, [parse_gate(text)])
    assert verdict.is_failed is is_failed
    interval = paired_difference_interval(
        ends["both"], ends["fixed"], ends["broken"], 0, confidence=0.9
    )
    assert verdict.value == pair.regression == -interval.high


def test_a_gate_about_a_regression_says_what_the_cases_can_show():
    """The drop that they show with 80 % power, and how many the gate's own one needs."""
    pair = changed(both=90, fixed=4, broken=6)
    gates = [parse_gate("regression>3%"), parse_gate("regression>0")]
    points = 100 * (1.6448536 + 0.8416212) * (0.1 / 100) ** 0.5
    told = (
        f"at least (95 %, one-sided); 100 cases show a drop of {points:.1f} points with 80 % power"
    )
    least = pair.regression
    assert [verdict.sentence for verdict in check_comparison(pair, gates)] == [
        f"regression>3%: passed, regression is {100 * least:.4g}% {told}, one of 3 needs 687",
        f"regression>0: passed, regression is {least:.4g} {told}",
    ]
    (same,) = check_comparison(changed(both=3, fixed=0, broken=0), gates[1:])
    assert same.sentence.endswith("at least (95 %, one-sided)")


def test_a_verdict_says_what_was_found():
    """One sentence each, with the value."""
    texts = ("esm<0.9", "timeout>5", "flex<0.5", "esm < 20%", "timeout>10%")
    gates = [parse_gate(text) for text in texts]
    assert [verdict.sentence for verdict in check_gates(small_run(), gates)] == [
        "esm<0.9: failed, esm is 0.2222",
        "timeout>5: passed, timeout is 1",
        "flex<0.5: failed, flex was not evaluated in this run",
        "esm < 20%: passed, esm is 22.22%",
        "timeout>10%: failed, timeout is 11.11%",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *(
            (f"{bucket}>0", ": no statement was executed")
            for bucket in ("gold_fail", "ok", "timeout")
        ),
        ("result.mismatch>0", ": no statement was executed"),
        ("ex<1", ": no statement was executed"),
        ("esm<1", ": no statement was executed"),
        ("schema.unknown_table>0", ""),
        ("execution.timeout>0", ""),
        ("schema_hallucination_rate>0", ""),
        ("broken>0", ": it compares two runs; use --compare"),
    ],
)
def test_nothing_that_was_not_looked_at_passes_a_gate(text, why):
    """Without execution and schema no count of theirs is 0: nobody could have raised it."""
    check = CheckSummary(sql="SELECT 1", verdict="ok", syntactic=True)
    bare = {"scores": {}, "mistake": None, "reference": None, "predicted": None, "check": check}
    cases = (passed(0, bucket="skipped", reason="not_asked", **bare),)
    (verdict,) = check_gates(Run(name="r", cases=cases), [parse_gate(text)])
    figure = verdict.gate.figure
    assert verdict.sentence == f"{text}: failed, {figure} was not evaluated in this run{why}"
    assert gate_document(verdict)["sentence"] == verdict.sentence


@pytest.mark.parametrize("text", ["syntax.parse_error>0", "skipped>1", "em<1"])
def test_what_was_looked_at_without_execution_is_counted(text):
    """The checker decides on syntax; anyone who switches execution off knows what was skipped."""
    check = CheckSummary(sql="SELECT 1", verdict="ok", syntactic=True)
    cases = (passed(0, bucket="skipped", reason="not_asked", predicted=None, check=check),)
    (verdict,) = check_gates(Run(name="r", cases=cases), [parse_gate(text)])
    assert not verdict.is_failed


def test_a_comparison_holds_gates_about_one_run_against_the_second():
    """The figure is there in both, and the sentence has both."""
    before = Run(name="a", cases=(passed(0), passed(1)))
    after = Run(name="b", cases=(passed(0), refused(1)))
    (pair,) = compare([before, after]).pairs
    texts = ("schema_hallucination_rate>0", "pred_fail>60%", "flex<1", "broken>0", "f1<10%")
    verdicts = check_comparison(pair, [parse_gate(text) for text in texts])
    assert [verdict.sentence for verdict in verdicts] == [
        "schema_hallucination_rate>0: failed, schema_hallucination_rate is 0.5 in b (0 in a)",
        "pred_fail>60%: passed, pred_fail is 50% in b (0% in a)",
        "flex<1: failed, flex was not evaluated in this run",
        "broken>0: failed, broken is 1",
        "f1<10%: passed, f1 is 50% in b (100% in a)",
    ]


def test_a_run_without_cases_passes_no_gate():
    """Nothing was shown, so nothing is passed."""
    gates = [parse_gate("esm<0"), parse_gate("timeout>5"), parse_gate("schema.grouping>5")]
    verdicts = check_gates(Run(name="empty", cases=()), gates)
    assert [verdict.is_failed for verdict in verdicts] == [True, True, True]


@pytest.mark.parametrize(
    "text", ["", "schematic", "schemtic<0.9", "esm=1", "esm<x", "esm<--1", "esm<=2/9"]
)
def test_an_invalid_gate_gives_one_error_sentence(text):
    """A typo never becomes a gate that always passes."""
    with pytest.raises(InputError) as caught:
        parse_gate(text)
    assert repr(text) in str(caught.value)


def test_junit_distinguishes_failures_errors_and_skips(tmp_path):
    """A wrong prediction fails; what the reference left undecided is an error."""
    run = small_run()
    path = tmp_path / "junit.xml"
    write_junit(run, path, verdicts=check_gates(run, [parse_gate("esm<0.9")]))
    suites = parsed(path.read_text(encoding="utf-8"))
    counts = ("name", "tests", "failures", "errors", "skipped", "time")
    assert [[suite.get(count) for count in counts] for suite in suites] == [
        ["run_20260301_120000", "9", "5", "2", "0", "0.005"],
        ["gates", "1", "1", "0", "0", "0.000"],
    ]
    assert {suite.get("timestamp") for suite in suites} == {"2026-03-01T12:00:00Z"}
    ends = [[child.tag for child in case] for case in suites[0]]
    expected = "pass failure failure error pass failure failure failure error".split()
    assert ends == [[] if end == "pass" else [end] for end in expected]
    refusal = suites[0][2][0]
    assert refusal.get("type") == "schema.unknown_column"
    assert refusal.get("message") == "Prediction fails: prediction: no such column: b.category"


def test_junit_judges_by_text_where_nothing_was_executed():
    """With `--no_esm` the exact match decides."""
    fields = {"bucket": "skipped", "reason": "not_asked"}
    run = Run(name="r", cases=(passed(0, **fields), passed(1, **fields | {"em": False})))
    suite = parsed(junit_document(run))[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "0")


def test_hostile_text_gives_xml():
    """NUL, halves of characters and markup are no markup."""
    suite = parsed(junit_document(hostile_run()))[0]
    assert suite.get("tests") == suite.get("failures")


@given(st.text(), st.text())
def test_any_text_gives_xml(name, sql):
    """No text of a case breaks the document."""
    run = Run(name=name, cases=(refused(0, question=sql), mismatched(1, reason=sql, id=name)))
    assert len(parsed(junit_document(run))[0]) == 2


def test_junit_has_verdicts_and_the_cost_of_judging():
    """What each judge said is the output of its case; rates and cost are properties."""
    verdict = JudgeVerdict(judge="flex/v1/m", correct=False, explanation="Two\nlines.")
    cases = (passed(0, judge=verdict), passed(1))
    settings = {"judge_tokens": 1200, "judge_cost_usd": 0.0125, "judge_repeated_calls": 3}
    suite = parsed(junit_document(Run(name="r", cases=cases, settings=settings)))[0]
    outputs = [case.findtext("system-out") for case in suite.iter("testcase")]
    assert outputs == ["flex: incorrect: Two lines.", None]
    found = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert found == {
        "judge.flex": "0 of 1 judged correct, EX 1; 1 false positives, 0 false negatives",
        "judge.tokens": "1200",
        "judge.cost_usd": "0.012500",
        "judge.repeated_calls": "3",
    }
