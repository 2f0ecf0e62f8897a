"""What the terminal shows of a run: the evaluation pipeline's block, line for line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.runs.run import Run
    from sqlobs.runs.summary import PassRate, RunSummary

_WIDTH: Final = 12
"""Columns of a bucket's name."""


def console_block(run: Run) -> str:
    """Return the pipeline's summary of a run, without a line break at the end.

    What was not asked for (`--no_em`, `--no_esm`) has no line.
    """
    return "\n".join(_lines(run.summary))


def _lines(summary: RunSummary) -> Iterator[str]:
    yield "=== EVAL SUMMARY ==="
    yield f"total: {summary.total}"
    yield f"empty_preds: {summary.empty_predictions} ; unanswerable: {summary.unanswerable}"
    if summary.exact:
        yield f"EM  - {_rate(summary.exact)}"
    if summary.execution:
        yield f"ESM - {_rate(summary.execution)}"
        yield ""
        yield from breakdown(summary)


def breakdown(summary: RunSummary) -> Iterator[str]:
    """Yield the pipeline's lines about where the execution of each case ended."""
    yield "=== ESM breakdown ==="
    for bucket, count in summary.buckets.items():
        yield f"{bucket:>{_WIDTH}}: {count}"


def _rate(rate: PassRate) -> str:
    of_attempted = f"{rate.passed}/{rate.attempted} {_percent(rate.percent_of_attempted)}"
    return f"{rate.passed}/{rate.total} {_percent(rate.percent)} (of attempted: {of_attempted})"


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.1f}%"
