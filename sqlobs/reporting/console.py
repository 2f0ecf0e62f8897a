"""Terminal output of a run: the evaluation pipeline's summary block, line for line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.coverage import gaps_line, gaps_of
from sqlobs.reporting.engine_verdicts import disagreement_lines, standing_of
from sqlobs.reporting.expense import HEADINGS, expenses_of
from sqlobs.reporting.figures import (
    PARTS,
    figures_of,
    headline_rate,
    rate_figure,
    request_parts,
    score_figure,
    without_duplicates,
)
from sqlobs.reporting.judge_cost import cost_lines
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.judged import (
    category_shares,
    judge_of,
    judged_groups,
    score_title,
    silence_line,
)
from sqlobs.reporting.slices import slices_of
from sqlobs.reporting.weights import weight_note, weight_warning
from sqlobs.reporting.wording import counted, label, one_line, shown_interval, shown_value
from sqlobs.scores.registry import OWN_SCORES
from sqlobs.semconv.evaluations import LOCAL_ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.judged import JudgedGroup
    from sqlobs.runs.run import Run
    from sqlobs.runs.summary import PassRate, RunSummary

_WIDTH: Final = 12
"""Width of a bucket's name in characters."""


def console_block(run: Run) -> str:
    """Return the pipeline's summary of a run, without a final newline.

    Disabled metrics (`--no-em`, `--no-esm`) have no line. Production runs show verdicts instead.
    """
    lines = _production_lines(run) if run.is_of_production else _lines(run)
    return "\n".join(lines)


def _production_lines(run: Run) -> Iterator[str]:
    verdicts = Counter(case.check.verdict if case.check else "unknown" for case in run.cases)
    compared = sum(case.esm is not None for case in run.cases)
    judged = sum(case.judge is not None and case.judge.correct is not None for case in run.cases)
    yield f"=== {one_line(run.name)} ==="
    yield f"requests: {len(run.cases)} ; compared with a reference: {compared} ; judged: {judged}"
    yield f"verdicts: {', '.join(f'{count} {name}' for name, count in verdicts.most_common())}"
    yield headline_line(run)
    if trimmed := run.settings.get("trimmed_weights"):
        yield f"weights trimmed: {trimmed}"


def headline_line(run: Run) -> str:
    """Return the headline of a production run; its parts add up to all requests."""
    figure = rate_figure(run.cases, headline_rate(run.cases))
    parts = request_parts(run.cases)
    counts = (f"{count} {PARTS[part]}" for part, count in parts.items() if count)
    shown = f"{figure.count} of {figure.total} ({shown_value(figure)})"
    return f"valid and grounded: {shown}; of all {len(run.cases)}: {', '.join(counts)}"


def _lines(run: Run) -> Iterator[str]:
    summary = run.summary
    yield "=== EVAL SUMMARY ==="
    yield f"total: {summary.total}"
    yield f"empty_preds: {summary.empty_predictions} ; unanswerable: {summary.unanswerable}"
    if any(name != "no_prediction" for name in gaps_of(run)):
        yield f"not compared: {gaps_line(run)}"
    if summary.exact:
        yield f"EM  - {_rate(summary.exact)}"
    if summary.execution:
        yield f"ESM - {_rate(summary.execution)}"
        yield ""
        yield from breakdown(summary)
    if summary.without_reference == summary.total:
        yield ""
        yield figures_block(run)


def breakdown(summary: RunSummary) -> Iterator[str]:
    """Yield the pipeline's lines with the number of cases per bucket."""
    yield "=== ESM breakdown ==="
    for bucket, count in summary.buckets.items():
        yield f"{bucket:>{_WIDTH}}: {count}"


def figures_block(run: Run) -> str:
    """Return every figure of a run on a separate line: value, 95 % interval, cases."""
    figures = without_duplicates(figures_of(run.cases))
    warning = weight_warning(figures)
    lines = [*_figure_lines(figures), *([warning] if warning else [])]
    return "\n".join(["=== METRICS, 95 % intervals ===", *lines])


def slices_block(run: Run) -> str:
    """Return the main rate by difficulty, database, workflow and model as far as they differ.

    The text starts with a newline; it is empty if the cases have one value of each.
    """
    slices = [item for item in slices_of(run.cases) if not item.is_feature]
    if not slices:
        return ""
    main = headline_rate(run.cases).title.upper()
    levels = [
        replace(level, title=f"{item.title} {label(level.title)}")
        for item in slices
        for level in item.levels
    ]
    return "\n".join(["", "", f"=== {main}, 95 % intervals ===", *_figure_lines(levels)])


def own_block(run: Run) -> str:
    """Return the figures of further techniques and of the user's own metrics; "" without any."""
    names = {declared.name for declared in run.metrics}
    scores = [score for name, score in OWN_SCORES.items() if name in names]
    figures = [score_figure(run.cases, score) for score in scores]
    head = ["", "", "=== FURTHER METRICS, 95 % intervals ==="]
    return "\n".join([*head, *_figure_lines(figures)]) if figures else ""


def _figure_lines(figures: Sequence[Figure]) -> list[str]:
    rows = [
        (figure.title, shown_value(figure), shown_interval(figure), _cases(figure))
        for figure in figures
    ]
    widths = [max((len(row[place]) for row in rows), default=0) for place in range(3)]
    return [
        f"{title:<{widths[0]}}  {value:>{widths[1]}}  {interval:>{widths[2]}}  {cases}"
        for title, value, interval, cases in rows
    ]


def judge_block(run: Run) -> str:
    """Return a judge's score next to EX by difficulty, other judges' rates, and the cost.

    The text starts with a newline; without a judge it is empty.
    """
    groups, silence = judged_groups(run.cases), silence_line(run.cases)
    head = _group_head(score_title(judge_of(run.cases)))
    rows = [head, *map(_group_cells, groups)] if groups else []
    widths = [max(len(row[place]) for row in rows) for place in range(len(head)) if rows]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    shares = [
        f"{share.side.replace('_', ' ')}: {share.key} {share.count} of {share.total}"
        for share in (category_shares(run.cases) if groups else ())
    ]
    alone = [found.sentence for found in judge_rates(run)]
    content = [
        *(*lines, *shares, *alone),
        *((one_line(silence),) if silence else ()),
        *cost_lines(run),
    ]
    return "\n".join(["", "", "=== JUDGE ===", *content]) if content else ""


def _group_head(score: str) -> tuple[str, ...]:
    return "", score, "EX", f"{score}-EX", "FP", "FN", "cases"


def _group_cells(group: JudgedGroup) -> tuple[str, ...]:
    return (
        group.title,
        f"{shown_value(group.flex)} {shown_interval(group.flex)}",
        f"{shown_value(group.ex)} {shown_interval(group.ex)}",
        f"{100 * group.delta:+.1f}",
        f"{shown_value(group.false_positives)} {shown_interval(group.false_positives)}",
        f"{shown_value(group.false_negatives)} {shown_interval(group.false_negatives)}",
        str(group.flex.total),
    )


def engine_block(run: Run) -> str:
    """Return how the checker compares with the local engine; "" if the engine was not asked.

    The text starts with a newline.
    """
    counts = Counter(map(standing_of, run.cases))
    silent = sum(LOCAL_ENGINE in case.unscored for case in run.cases)
    total = counts.total() - counts[None] + silent
    if not total:
        return ""
    parts = ", ".join(
        (
            f"{counts['agrees']:,} agree",
            f"{counts['missed']:,} missed by the checker",
            counted(counts["false_alarm"], "false alarm"),
            f"{counts['undecided']:,} undecided by the checker",
            f"{silent:,} by the engine",
        )
    )
    head = ["", "", "=== CHECKER AND LOCAL ENGINE ===", f"{counted(total, 'statement')}: {parts}"]
    return "\n".join([*head, *map(one_line, disagreement_lines(run.cases))])


def expense_block(run: Run) -> str:
    """Return tokens, cost and time as a table below a heading; "" if none of them is known."""
    expenses = expenses_of(run.cases)
    if not expenses:
        return ""
    rows: list[tuple[str, ...]] = [("", *HEADINGS, "Cases")]
    rows += [(each.title, *each.cells, f"{each.count:,}") for each in expenses]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = (
        "  ".join(
            f"{cell:{'>' if place else '<'}{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(["", "", "=== COST AND TIME ===", *lines])


def _cases(figure: Figure) -> str:
    of = f"{figure.count} of " if figure.count is not None else "n = "
    part = f", {figure.approximate} approximate" if figure.approximate else ""
    note = weight_note(figure)
    return f"{of}{figure.total}{part}{note and f', {note}'}"


def _rate(rate: PassRate) -> str:
    of_attempted = f"{rate.passed}/{rate.attempted} {_percent(rate.percent_of_attempted)}"
    return f"{rate.passed}/{rate.total} {_percent(rate.percent)} (of attempted: {of_attempted})"


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.1f}%"
