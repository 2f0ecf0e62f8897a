"""What of a run's input was not evaluated, or without a reference: how many cases, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlobs.runs.run import Run

GAPS: Final = {
    "other_dialect": "skipped: another dialect",
    "no_target": "skipped: no database with this name",
    "no_sql": "skipped: no raw SQL",
    "no_pair": "skipped: no raw SQL, or no reference",
    "prediction_other_dialect": "predictions skipped: another dialect",
    "prediction_no_case": "predictions skipped: no case has their ID",
    "no_prediction": "without a prediction (count as wrong)",
    "no_reference": "without a reference (excluded from match rates)",
}
"""Each reason with its label; the names are those of gates and JSON."""


def gaps_of(run: Run) -> dict[str, int]:
    """Return the number of cases by reason; reasons without a case are omitted."""
    summary = run.summary
    counts = {
        **run.left_out,
        "no_prediction": summary.empty_predictions,
        "no_reference": 0 if run.is_of_production else summary.without_reference,
    }
    return {name: counts[name] for name in GAPS if counts.get(name)}


def gaps_line(run: Run) -> str:
    """Return the gaps as one line; "" if every case was evaluated with its reference."""
    found = gaps_of(run)
    return "; ".join(f"{count:,} {GAPS[name]}" for name, count in found.items())
