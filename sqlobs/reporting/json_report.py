"""A run's figures as plain JSON, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlobs.reporting.coverage import gaps_of
from sqlobs.reporting.engine_verdicts import disagreements
from sqlobs.reporting.expense import expenses_of
from sqlobs.reporting.failures import code_shares, invented_names, mistake_shares
from sqlobs.reporting.figures import figures_of, request_parts
from sqlobs.reporting.judge_cost import judge_cost
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.judged import category_shares, judged_groups, silence_line
from sqlobs.reporting.slices import slices_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.expense import Expense
    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.gates import GateVerdict
    from sqlobs.reporting.judge_rates import JudgeRate
    from sqlobs.reporting.judged import JudgedGroup
    from sqlobs.runs.run import Run


def report_document(run: Run, verdicts: Sequence[GateVerdict] = ()) -> dict[str, object]:
    """Return `eval_summary.json` with figures, codes, diagnosis, slices and gates added.

    Rates are fractions with numerator, denominator and 95 % interval, never percent.
    """
    cases, cost = run.cases, judge_cost(run)
    return {
        **run.summary_document(),
        "gaps": gaps_of(run),
        "figures": {figure.name: figure_document(figure) for figure in figures_of(cases)},
        "expenses": {each.name: _expense(each) for each in expenses_of(cases)},
        "failure_codes": {share.name: share.count for share in code_shares(cases)},
        "diagnosis": {share.name: share.count for share in mistake_shares(cases)},
        "invented_names": [
            {"name": name, "suggestion": meant or None, "cases": count}
            for name, meant, count in invented_names(cases)
        ],
        "checker_disagreements": [asdict(found) for found in disagreements(cases)],
        "slices": {
            item.name: {level.title: figure_document(level) for level in item.levels}
            for item in slices_of(cases)
        },
        "judge_silence": silence_line(cases),
        "judge_rates": {found.name: _judge_rate(found) for found in judge_rates(run)},
        "judge_cost": cost and asdict(cost),
        "judged": {group.title: _judged(group) for group in judged_groups(cases)},
        "categories": [asdict(share) for share in category_shares(cases)],
        **({"requests": request_parts(cases)} if run.is_of_production else {}),
        "gates": [gate_document(verdict) for verdict in verdicts],
    }


def _expense(expense: Expense) -> dict[str, object]:
    names = ("total", "mean", "deviation", "median", "p95", "per_correct", "count")
    return {name: getattr(expense, name) for name in names}


def gate_document(verdict: GateVerdict) -> dict[str, object]:
    """Return a gate's result, with a note if the value alone is not enough."""
    found: dict[str, object] = {
        "gate": verdict.gate.text,
        "value": verdict.value,
        "failed": verdict.is_failed,
    }
    is_plain = verdict.value is not None and not verdict.note
    return found if is_plain else found | {"sentence": verdict.sentence}


def _judge_rate(found: JudgeRate) -> dict[str, object]:
    corrected = found.corrected
    return {
        **figure_document(found.figure),
        "silence": found.silence,
        "corrected": corrected
        and {
            "value": corrected.rate,
            "interval": interval_document(corrected.interval),
            "is_conservative": corrected.is_conservative,
        },
    }


def _judged(group: JudgedGroup) -> dict[str, object]:
    return {
        "ex": figure_document(group.ex),
        "flex": figure_document(group.flex),
        "delta": group.delta,
        "delta_interval": interval_document(group.interval),
        "false_positives": figure_document(group.false_positives),
        "false_negatives": figure_document(group.false_negatives),
        "undecided": group.undecided,
    }


def figure_document(figure: Figure) -> dict[str, object]:
    """Return one figure with its numerator, denominator, interval and weighting."""
    return {
        "value": figure.value,
        "better": figure.better,
        "interval": interval_document(figure.interval),
        "count": figure.count,
        "total": figure.total,
        "not_evaluated": figure.not_evaluated,
        "approximate": figure.approximate,
        "cell_mode": figure.cell_mode,
        **_weights(figure),
    }


def _weights(figure: Figure) -> dict[str, object]:
    """Return how a figure is weighted; empty without production cases."""
    found = figure.weighted
    if found is None:
        return {"unweighted": figure.unweighted} if figure.unweighted else {}
    return {
        "unweighted": figure.unweighted,
        "naive": found.naive_rate * figure.best,
        "effective_count": found.effective_count,
        "weight_ratio": found.weight_ratio,
        "has_heavy_weights": found.has_heavy_weights,
    }


def interval_document(interval: Interval | None) -> list[float] | None:
    """Return an interval as its two bounds."""
    return None if interval is None else [interval.low, interval.high]
