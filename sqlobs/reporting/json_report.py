"""A run's figures as plain JSON, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.reporting.failures import code_shares, invented_names, mistake_shares
from sqlobs.reporting.figures import figures_of
from sqlobs.reporting.slices import slices_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.gates import GateVerdict
    from sqlobs.runs.run import Run


def report_document(run: Run, verdicts: Sequence[GateVerdict] = ()) -> dict[str, object]:
    """Return `eval_summary.json` with figures, codes, diagnosis, slices and gates added.

    Rates are fractions with numerator, denominator and 95 % interval, never percent.
    """
    cases = run.cases
    return {
        **run.summary_document(),
        "figures": {figure.name: figure_document(figure) for figure in figures_of(cases)},
        "failure_codes": {share.name: share.count for share in code_shares(cases)},
        "diagnosis": {share.name: share.count for share in mistake_shares(cases)},
        "invented_names": [
            {"name": name, "suggestion": meant or None, "cases": count}
            for name, meant, count in invented_names(cases)
        ],
        "slices": {
            item.name: {level.title: figure_document(level) for level in item.levels}
            for item in slices_of(cases)
        },
        "gates": [
            {"gate": verdict.gate.text, "value": verdict.value, "failed": verdict.is_failed}
            for verdict in verdicts
        ],
    }


def figure_document(figure: Figure) -> dict[str, object]:
    """Return one figure with what it rests on."""
    return {
        "value": figure.value,
        "interval": interval_document(figure.interval),
        "passed": figure.passed,
        "total": figure.total,
        "not_evaluated": figure.not_evaluated,
    }


def interval_document(interval: Interval | None) -> list[float] | None:
    """Return an interval as its two ends."""
    return None if interval is None else [interval.low, interval.high]
