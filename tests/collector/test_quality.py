from __future__ import annotations

import re
from collections import Counter

import pytest
from prometheus_client import CollectorRegistry

from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from sqlobs.metrics.sampled_share import SideSums, mean_interval, share_interval
from sqlobs.semconv.collector import COLLECTOR_METRICS
from sqlobs_collector.quality.calibrations import Calibrations
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.rows import Evaluated
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.stores import on_both
from tests.collector.test_units import NOW_NS, Station, unit

store_kind = on_both(pytest.mark.slow)

HOUR_NS = 3600 * 10**9
HIGH = int(0.95 * 2**56)
"""Randomness that a rate of 0.1 keeps."""


def expose(station: Station, **settings) -> CollectorRegistry:
    """A registry with the gauges as they stand."""
    registry = CollectorRegistry()
    reader = QualityReader(station.engine)
    gauges = QualityGauges(reader, clock_ns=lambda: station.now_ns, **settings)
    registry.register(gauges)
    gauges.refresh()
    return registry


def shown(station: Station, **settings) -> dict[tuple[str, ...], float]:
    """The gauges by name, what they are of (evaluation, verdict, code), window and statistic."""
    registry = expose(station, **settings)
    named = ("evaluation", "verdict", "failure_code")
    return {
        (
            sample.name.removeprefix("sqlobs_quality_"),
            next((sample.labels[name] for name in named if name in sample.labels), ""),
            sample.labels.get("window", ""),
            sample.labels.get("stat", ""),
        ): sample.value
        for family in registry.collect()
        for sample in family.samples
    }


def evaluate(station: Station, *values: float) -> None:
    """Give the units kept by sampling, in their order, scores for F1."""
    kept = station.query("SELECT id FROM unit WHERE state = 'queued' ORDER BY id")
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(
                    unit_id,
                    "f1",
                    "1",
                    "pass" if value == 1 else "fail",
                    "engine",
                    created_ns=station.now_ns,
                    value=value,
                )
                for (unit_id,), value in zip(kept, values, strict=True)
            ]
        )


def test_weights_undo_what_sampling_did(tmp_path, store_kind):
    """One kept of ten (weight 10) and one kept always (weight 1): raw 1/2, weighted 10/11."""
    station = Station(tmp_path, store_kind, rate=0.1)
    station.receive(records.logs(unit(HIGH), unit(2, sqlobs__verdict="failed"), unit(3)))
    evaluate(station, 1.0, 0.5)
    found = shown(station)
    assert found["pass_rate", "f1", "1h", "raw"] == 0.5
    assert found["pass_rate", "f1", "1h", "weighted"] == 10 / 11
    assert found["score", "f1", "1h", "raw"] == 0.75
    mean = found["score", "f1", "1h", "weighted"]
    assert mean == (10 + 0.5) / 11
    effective = 11**2 / (10**2 + 1)
    passed, failed = SideSums.of([10]), SideSums.of([1])
    of_scores = mean_interval(mean, SideSums.of([10, 1]), spread=10 * 9 * (1 - mean) ** 2)
    assert found["score", "f1", "1h", "weighted_lower"] == pytest.approx(of_scores.low)
    assert found["score", "f1", "1h", "weighted_upper"] == pytest.approx(of_scores.high)
    assert found["effective_samples", "f1", "1h", ""] == effective
    interval = share_interval(passed, failed, largest=10)
    assert found["pass_rate", "f1", "1h", "weighted_lower"] == interval.low
    assert found["pass_rate", "f1", "1h", "weighted_upper"] == interval.high
    assert found["sqlobs_last_evaluation_timestamp_seconds", "f1", "", ""] == NOW_NS / 10**9
    station.close()


def test_the_checker_s_labels_count_for_every_unit(tmp_path, store_kind):
    """Evaluated here or not: the labels came with the unit; what has none is not counted."""
    station = Station(tmp_path, store_kind, rate=0.1)
    wrong = ["schema.unknown_table"]
    station.receive(
        records.logs(
            unit(1, sqlobs__syntactic=True, sqlobs__schematic=True),
            unit(2, sqlobs__syntactic=True, sqlobs__schematic=True),
            unit(3, sqlobs__syntactic=True, sqlobs__schematic=False, sqlobs__failure__codes=wrong),
            unit(4, sqlobs__syntactic=False),
        )
    )
    found = shown(station)
    assert found["pass_rate", "syntactic", "1h", "raw"] == 3 / 4
    assert found["pass_rate", "schematic", "1h", "weighted"] == 2 / 3
    assert found["pass_rate", "schema_hallucination", "1h", "weighted"] == 2 / 3
    assert found["effective_samples", "syntactic", "1h", ""] == 4
    station.close()


def test_an_abstention_counts_only_where_a_reference_says_whether_it_is_right(tmp_path, store_kind):
    """It has a score then, and is still in no rate of the check or of users."""
    station = Station(tmp_path, store_kind)
    station.receive(records.logs(unit(1, sqlobs__outcome="abstained", sqlobs__syntactic=True)))
    evaluate(station, 0.0)
    [(unit_id,)] = station.query("SELECT id FROM unit")
    with Store(station.engine).writing() as writer:
        said = Evaluated(unit_id, "feedback", "1", "fail", "human", created_ns=station.now_ns)
        writer.put_evaluations([said])
    found = shown(station)
    assert found["pass_rate", "f1", "1h", "raw"] == 0
    assert not [name for _, name, *_ in found if name in {"feedback", "syntactic"}]
    station.close()


def test_labels_that_were_found_here_count_beside_those_that_came(tmp_path, store_kind):
    """One series: of an application that checks, and of the time when it did not."""
    station = Station(tmp_path, store_kind, rate=0.1)
    station.receive(records.logs(unit(HIGH), unit(1, sqlobs__schematic=False)))
    found_here = Evaluated(
        *(1, "schematic", "v", "pass", "static"), created_ns=NOW_NS, stands_in=True
    )
    with Store(station.engine).writing() as writer:
        writer.put_evaluations([found_here])
    found = shown(station)
    assert found["pass_rate", "schematic", "1h", "raw"] == 1 / 2
    assert found["pass_rate", "schematic", "1h", "weighted"] == 10 / 11
    station.close()


def test_a_late_answer_of_the_fallback_counts_where_the_check_left_the_label_open(
    tmp_path, store_kind
):
    """Of every unit, kept or not; a label that the check decided stays."""
    station = Station(tmp_path, store_kind, rate=0.1)
    station.receive(records.logs(unit(1), unit(2), unit(3, sqlobs__schematic=True)))
    answers = {1: "fail", 2: "pass", 3: "fail"}
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(*(unit_id, "schematic", "v", label, "llm"), created_ns=NOW_NS)
                for unit_id, label in answers.items()
            ]
        )
    found = shown(station)
    assert found["pass_rate", "schematic", "1h", "raw"] == 2 / 3
    assert found["pass_rate", "schematic", "1h", "weighted"] == pytest.approx(2 / 3)
    assert found["requests", "schematic", "1h", ""] == 3
    station.close()


def test_windows_are_by_event_time(tmp_path, store_kind):
    """A backlog that drains today says nothing about today."""
    station = Station(tmp_path, store_kind)
    label = {"sqlobs__syntactic": True}
    station.receive(
        records.logs(
            unit(1, at_ns=NOW_NS - HOUR_NS // 2, sqlobs__syntactic=False),
            unit(2, at_ns=NOW_NS - 2 * HOUR_NS, **label),
            unit(3, at_ns=NOW_NS - 48 * HOUR_NS, **label),
            unit(4, at_ns=NOW_NS - 200 * HOUR_NS, **label),
        )
    )
    found = shown(station)
    rates = [found["pass_rate", "syntactic", window, "raw"] for window in ("1h", "24h", "7d")]
    assert rates == [0, 1 / 2, 2 / 3]
    station.close()


def test_units_of_unknown_probability_are_in_no_weighted_rate(tmp_path, store_kind):
    """They count raw; a weight would be a guess."""
    station = Station(tmp_path, store_kind)
    spans = records.spans(
        records.generation_span(1, sqlobs__syntactic=True),
        records.generation_span(2, sqlobs__syntactic=False) | {"trace_state": "ot=th:8"},
    )
    station.receive(spans, kind="traces")
    found = shown(station)
    assert found["pass_rate", "syntactic", "7d", "raw"] == 1 / 2
    assert found["pass_rate", "syntactic", "7d", "weighted"] == 0
    assert found["effective_samples", "syntactic", "7d", ""] == 1
    station.close()


@pytest.mark.parametrize("probability", [5e-324, 2**-57, 0.0, -1.0, 1.5, float("nan")])
def test_a_probability_without_a_sampling_decision_is_unknown(tmp_path, store_kind, probability):
    """Its weight would be no number, or drown all others."""
    station = Station(tmp_path, store_kind)
    known = {"sqlobs__syntactic": True}
    odd = unit(2, sqlobs__syntactic=False, sqlobs__sampling__probability=probability)
    station.receive(records.logs(unit(1, **known), odd, unit(3, **known)))
    found = shown(station)
    assert found["pass_rate", "syntactic", "1h", "raw"] == 2 / 3
    assert found["pass_rate", "syntactic", "1h", "weighted"] == 1
    assert found["effective_samples", "syntactic", "1h", ""] == 2
    station.close()


def test_the_mix_of_verdicts_adds_up_to_one(tmp_path, store_kind):
    """Every unit has one; weighted by its arrival, not by whether it was evaluated here."""
    station = Station(tmp_path, store_kind, rate=0.1)
    verdicts = ["ok", "ok", "failed", "not_evaluated"]
    station.receive(
        records.logs(
            *(unit(number, sqlobs__verdict=one) for number, one in enumerate(verdicts, 1)),
            unit(5, sqlobs__sampling__probability=0.25),
        )
    )
    found = shown(station)
    shares = {
        verdict: (
            found["verdict_share", verdict, "24h", "raw"],
            found["verdict_share", verdict, "24h", "weighted"],
        )
        for verdict in ("ok", "failed", "not_evaluated")
    }
    assert shares == {
        "ok": (3 / 5, 6 / 8),
        "failed": (1 / 5, 1 / 8),
        "not_evaluated": (1 / 5, 1 / 8),
    }
    assert ("verdict_share", "suspect", "24h", "raw") not in found
    station.close()


def test_the_shares_of_failure_codes_are_of_the_same_answers_as_those_of_verdicts(
    tmp_path, store_kind
):
    """They add up to the share that failed; a refusal is in neither."""
    station = Station(tmp_path, store_kind)
    codes = ["schema.unknown_column", "schema.unknown_column", "syntax.no_sql", None, None]
    said = [
        {"sqlobs__verdict": "failed", "sqlobs__failure__code": code}
        if code
        else {"sqlobs__verdict": "ok"}
        for code in codes
    ]
    refusal = {"sqlobs__verdict": "not_evaluated", "sqlobs__outcome": "abstained"}
    station.receive(
        records.logs(*(unit(number, **one) for number, one in enumerate([*said, refusal], 1)))
    )
    found = shown(station)
    assert [
        found["failure_share", code, "1h", "raw"]
        for code in ("schema.unknown_column", "syntax.no_sql")
    ] == [2 / 5, 1 / 5]
    assert found["verdict_share", "failed", "1h", "raw"] == 3 / 5
    station.close()


def test_the_first_attempt_pass_rate_is_of_first_attempts(tmp_path, store_kind):
    """Repaired later is no first success; a first attempt without a verdict is not counted."""
    station = Station(tmp_path, store_kind)
    first = ["ok", "suspect", "failed", "failed", "not_evaluated"]
    station.receive(
        records.logs(
            *(
                unit(number, sqlobs__verdict="ok", sqlobs__first_attempt__verdict=one)
                for number, one in enumerate(first, 1)
            )
        )
    )
    found = shown(station)
    assert found["sqlobs_first_attempt_pass_rate", "", "1h", "raw"] == 1 / 2
    assert found["sqlobs_first_attempt_pass_rate", "", "1h", "weighted_lower"] == 1 / 2
    assert found["sqlobs_first_attempt_pass_rate", "", "1h", "weighted_upper"] == 1 / 2
    station.close()


def test_the_judge_s_cost_counts_with_and_without_a_verdict(tmp_path, store_kind):
    """A reply that could not be read was paid anyway."""
    station = Station(tmp_path, store_kind)
    station.receive(records.logs(unit(1), unit(2)))
    units = [unit_id for (unit_id,) in station.query("SELECT id FROM unit ORDER BY id")]
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(
                    unit_id, "flex", "1", label, "llm", created_ns=station.now_ns, cost_usd=0.25
                )
                for unit_id, label in zip(units, ["pass", "not_evaluated"], strict=True)
            ]
        )
    found = shown(station)
    assert found["judge_cost_usd", "", "1h", ""] == 0.5
    assert found["pass_rate", "flex", "1h", "raw"] == 1
    station.close()


def judge(station: Station, *answers: tuple[str, str | None]) -> None:
    """Give the units kept by sampling, in their order, sides and categories."""
    kept = station.query("SELECT id FROM unit WHERE state = 'queued' ORDER BY id")
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(
                    *(unit_id, "flex", "1", "fail", "llm"),
                    created_ns=station.now_ns,
                    probability=0.5,
                    side=side,
                    categories=categories,
                )
                for (unit_id,), (side, categories) in zip(kept, answers, strict=True)
            ]
        )


def labeled(station: Station, name: str, *labels: str) -> dict[tuple[str, ...], float]:
    """The samples of one gauge by some of its labels."""
    return {
        tuple(sample.labels[label] for label in labels): sample.value
        for family in expose(station).collect()
        if family.name == name
        for sample in family.samples
    }


def test_the_share_of_a_category_is_of_its_side_and_weighted(tmp_path, store_kind):
    """Ten requests stand behind the first, one behind the second; unsorted ones are nobody's."""
    station = Station(tmp_path, store_kind, rate=0.1)
    failed = {"sqlobs__verdict": "failed"}
    station.receive(
        records.logs(unit(HIGH), *(unit(number, **failed) for number in (2, 3, 4, 5, 6)))
    )
    judge(
        station,
        ("true_negative", "incorrect_filtering_condition abused_clauses"),
        ("true_negative", "abused_clauses error"),
        ("true_negative", None),
        ("true_positive", None),
        ("false_positive", ""),
        ("false_negative", "llm_error"),
    )
    found = labeled(station, "sqlobs_judge_category_share", "side", "category")
    assert {key: share for key, share in found.items() if share} == {
        ("true_negative", "incorrect_filtering_condition"): 10 / 11,
        ("true_negative", "abused_clauses"): 1,
        ("true_negative", "error"): 1 / 11,
        ("false_negative", "llm_error"): 1,
    }
    assert Counter(side for side, _ in found) == {
        "true_negative": len(INTERNAL_ERRORS) + 1,
        "false_positive": len(INTERNAL_ERRORS),
        "false_negative": len(DIFFERENCES) + 1,
    }
    station.close()


def test_the_golden_pass_rate_is_of_ex_and_weighted(tmp_path, store_kind):
    """By the file that the reference is from; undecided ones and older ones are in no ratio."""
    station = Station(tmp_path, store_kind, rate=0.1)
    failed = {"sqlobs__verdict": "failed"}
    old = unit(5, at_ns=NOW_NS - 200 * HOUR_NS, **failed)
    station.receive(
        records.logs(unit(HIGH), *(unit(number, **failed) for number in (2, 3, 4)), old)
    )
    outcomes = ["pass", "fail", "not_evaluated", "fail", "fail"]
    units = station.query("SELECT id FROM unit WHERE state = 'queued' ORDER BY id")
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(
                    *(unit_id, name, "1", label, "engine"),
                    created_ns=NOW_NS,
                    golden_set=None if number == 3 else "shop",
                )
                for number, ((unit_id,), label) in enumerate(zip(units, outcomes, strict=True))
                for name in ("ex", "f1")
            ]
        )
    assert labeled(station, "sqlobs_golden_pass_rate", "set") == {("shop",): 10 / 11}
    station.close()


FLOW = {
    "sqlobs_collector_received_total": (),
    "sqlobs_collector_rejected_total": ("reason",),
    "sqlobs_collector_units_total": ("state", "reason"),
    "sqlobs_collector_evaluations_total": ("evaluation", "label", "kind"),
    "sqlobs_collector_judge_tokens_total": (),
    "sqlobs_collector_judge_cost_usd_total": (),
    "sqlobs_collector_journal_lag_seconds": (),
    "sqlobs_collector_queue_age_seconds": (),
    "sqlobs_collector_queue_size": (),
    "sqlobs_collector_budget_remaining": (),
    "sqlobs_collector_journal_bytes": (),
}
QUALITY = {
    "sqlobs_quality_pass_rate": ("evaluation", "sqlobs_workflow", "window", "stat"),
    "sqlobs_quality_score": ("evaluation", "sqlobs_workflow", "window", "stat"),
    "sqlobs_quality_effective_samples": ("evaluation", "sqlobs_workflow", "window"),
    "sqlobs_judge_category_share": ("category", "side"),
    "sqlobs_golden_pass_rate": ("set",),
    "sqlobs_last_evaluation_timestamp_seconds": ("evaluation",),
}
"""The metrics of the contract with the labels that it names, copied from its text."""


def test_every_metric_of_the_contract_is_exported_with_its_labels(tmp_path, store_kind, launch):
    """By a running collector, and by gauges over a store that has something for each."""
    station = Station(tmp_path, store_kind)
    station.receive(records.logs(unit(1, sqlobs__syntactic=True)))
    judge(station, ("true_negative", "error"))
    evaluate(station, 1.0)
    with Store(station.engine).writing() as writer:
        row = Evaluated(1, "ex", "1", "pass", "engine", created_ns=NOW_NS, golden_set="shop")
        writer.put_evaluations([row])
    exported = {
        sample.name: tuple(sample.labels)
        for family in expose(station).collect()
        for sample in family.samples
    }
    station.close()
    origin = ("workspace", "service_name", "deployment_environment_name")
    for name, labels in QUALITY.items():
        assert exported[name] == (*labels, *origin)
    judged = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "daily_tokens": 1}
    page = launch(judge=judged).metrics()
    helped = set(re.findall(r"^# HELP (\S+)", page, re.MULTILINE))
    assert FLOW.keys() <= helped
    for name, labels in FLOW.items():
        declared = COLLECTOR_METRICS[name].labels
        assert set(labels) <= set(declared)
        assert declared[-3:] == origin


def test_every_quality_gauge_has_exactly_the_labels_it_declares(tmp_path, store_kind):
    """Dashboards and rules are written from the table of names."""
    station = Station(tmp_path, store_kind)
    station.receive(
        records.logs(unit(1, sqlobs__syntactic=True, sqlobs__first_attempt__verdict="ok"))
    )
    evaluate(station, 1.0)
    for family in expose(station).collect():
        assert family.documentation == COLLECTOR_METRICS[family.name].brief
        for sample in family.samples:
            assert tuple(sample.labels) == COLLECTOR_METRICS[family.name].labels
    station.close()


def test_a_judged_rate_is_corrected_by_what_the_judge_gets_wrong(tmp_path, store_kind):
    """FLEX with GPT-4o accepts 95 of 96 right and 12 of 104 wrong ones: .70 is rather .669."""
    station = Station(tmp_path, store_kind)
    station.receive(records.logs(*(unit(number) for number in range(10))))
    units = [unit_id for (unit_id,) in station.query("SELECT id FROM unit ORDER BY id")]
    with Store(station.engine).writing() as writer:
        writer.put_evaluations(
            [
                Evaluated(
                    unit_id, name, "m", "pass" if index < 7 else "fail", "llm", created_ns=NOW_NS
                )
                for index, unit_id in enumerate(units)
                for name in ("flex", "flex_noref")
            ]
        )
    calibration = {"flex": [[95, 1], [12, 92]], "flex_noref": [[1, 1], [1, 1]]}
    found = shown(station, calibrations=Calibrations(calibration))
    figures = {
        stat: round(value, 3)
        for (name, evaluation, window, stat), value in found.items()
        if (name, evaluation, window) == ("pass_rate", "flex", "1h")
        and stat.startswith("corrected")
    }
    assert figures == {"corrected": 0.669, "corrected_lower": 0.317, "corrected_upper": 0.894}
    assert ("pass_rate", "flex_noref", "1h", "corrected") not in found
    station.close()
