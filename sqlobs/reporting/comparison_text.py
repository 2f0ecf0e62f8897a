"""A comparison of runs as terminal text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.compared_values import shown_amount, shown_difference, shown_p
from sqlobs.reporting.comparison import CHANCE
from sqlobs.reporting.joint_text import joint_lines
from sqlobs.reporting.json_report import figure_document, gate_document, interval_document
from sqlobs.reporting.wording import (
    counted,
    label,
    one_line,
    percent_points,
    points_interval,
    shortened,
    shown_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.reporting.comparison import CommonFailures, Comparison, PairedLevel, PairedRuns
    from sqlobs.reporting.gates import GateVerdict
    from sqlobs.reporting.joint_figures import JointFigure
    from sqlobs.reporting.paired_figures import Change, PairedFigure
    from sqlobs.runs.case import CaseResult

_WIDTH: Final = 100
_STATEMENT: Final = 400
ADJUSTED: Final = "p adjusted by Holm's method over all figures"
"""Of the figures besides the one that runs are compared by."""


def comparison_block(comparison: Comparison, *, max_examples: int = 10) -> str:
    """Return all runs side by side if there are more than two, then each beside the baseline.

    Args:
        comparison: The comparison.
        max_examples: Maximum number of fixed and of broken cases to list.
    """
    paragraphs = ["\n".join(joint_lines(comparison))] if comparison.joint else []
    paragraphs += ["\n".join(_pair(pair, max_examples)) for pair in comparison.pairs]
    if comparison.all_equal:
        test = comparison.all_equal
        paragraphs.append(
            f"All runs at once: Cochran's Q {test.statistic:.2f}, p {shown_p(test.p)};"
            " the p-values above are adjusted by Holm's method."
        )
    if comparison.common.keys:
        paragraphs.append("\n".join(_common(comparison.common)))
    return "\n\n".join(paragraphs)


def _common(common: CommonFailures) -> Iterator[str]:
    """Yield each run's partial credit on the cases where all runs fail."""
    yield f"{counted(len(common.keys), 'case')} with execution accuracy 0 in all runs; there:"
    for name, figures in common.partial_credit:
        shown = (f"{figure.title} {shown_value(figure)}" for figure in figures if figure.total)
        yield f"  {label(name)}: {', '.join(shown)}"


def comparison_document(
    comparison: Comparison, verdicts: Iterable[GateVerdict] = ()
) -> dict[str, object]:
    """Return the comparison and its gate verdicts as plain JSON; rates are fractions."""
    test = comparison.all_equal
    return {
        "pairs": [_document(pair) for pair in comparison.pairs],
        "joint": {
            "runs": list(comparison.runs),
            "figures": {figure.name: _joint_document(figure) for figure in comparison.joint},
        },
        "cochran_q": test
        and {"statistic": test.statistic, "df": test.degrees_of_freedom, "p": test.p},
        "common_failures": {
            "cases": list(comparison.common.keys),
            "runs": [
                {"run": name, **{figure.name: figure_document(figure) for figure in figures}}
                for name, figures in comparison.common.partial_credit
            ],
        },
        "gates": [gate_document(verdict) for verdict in verdicts],
    }


def conclusion(pair: PairedRuns) -> str:
    """Return one sentence about the test's significance."""
    if not pair.test.discordant:
        return "No case changed."
    if pair.p_adjusted >= CHANCE:
        return f"Not statistically significant (McNemar, exact p {shown_p(pair.p_adjusted)})."
    return f"Statistically significant (McNemar, exact p {shown_p(pair.p_adjusted)})."


def _pair(pair: PairedRuns, max_examples: int) -> Iterator[str]:
    yield f"=== {label(pair.baseline)} -> {label(pair.run)} ==="
    before, after = (f"{100 * (rate or 0):.1f}%" for rate in (pair.before, pair.after))
    interval = f" (95 % interval {points_interval(pair.interval)})" if pair.interval else ""
    points = percent_points(pair.difference or 0.0)
    yield f"{pair.title.lower()}: {before} -> {after}, {points} points{interval}"
    yield (
        f"{counted(pair.total, 'case')}: {pair.both} pass in both, {pair.neither} in neither,"
        f" {len(pair.fixed)} now passing, {len(pair.broken)} now failing"
    )
    if pair.unpaired:
        yield f"not compared: {counted(pair.unpaired, 'case')} without a counterpart or undecided"
    yield conclusion(pair)
    yield from _figures(pair.figures)
    yield from _levels(pair.title, pair.levels)
    yield from judging_lines(pair)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in pair.broken_by_reason)
    yield from _changes(f"now failing ({reasons})", pair.broken, max_examples)
    yield from _changes("now passing", pair.fixed, max_examples)


def _figures(figures: Sequence[PairedFigure]) -> Iterator[str]:
    changed = [figure for figure in figures if figure.is_changed]
    if changed:
        yield ""
        yield f"other figures that changed ({ADJUSTED}):"
    for figure in changed:
        yield (
            f"  {figure.title}: {shown_amount(figure, figure.before)} ->"
            f" {shown_amount(figure, figure.after)}, {shown_difference(figure)}"
            f" over {counted(figure.total, 'case')}, {len(figure.improved):,} better,"
            f" {len(figure.worsened):,} worse, p {shown_p(figure.p_adjusted)}"
        )
    same = ", ".join(figure.title for figure in figures if not figure.is_changed)
    if same:
        yield ""
        yield f"the same in every case: {same}"


def _levels(title: str, levels: Sequence[PairedLevel]) -> Iterator[str]:
    if levels:
        yield ""
        yield f"{title.lower()} by part (95 % interval of the difference):"
    for level in levels:
        before, after = (100 * count / level.total for count in (level.before, level.after))
        interval = f" ({points_interval(level.interval)})" if level.interval else ""
        yield (
            f"  {level.title} {label(level.value)}: {before:.1f} % -> {after:.1f} %,"
            f" {percent_points(level.difference)} points{interval}"
            f" over {counted(level.total, 'case')}, {level.fixed:,} now passing,"
            f" {level.broken:,} now failing"
        )


def judging_lines(pair: PairedRuns) -> Iterator[str]:
    """Yield what the judges of each run cost."""
    for name, cost in zip((pair.baseline, pair.run), pair.judging, strict=True):
        if cost is not None:
            yield f"{label(name)}: {cost.sentence}"


def _changes(title: str, changes: Sequence[Change], max_examples: int) -> Iterator[str]:
    if not changes or max_examples < 1:
        return
    yield ""
    yield f"{title}:"
    for change in changes[:max_examples]:
        question = change.after.question or change.after.predicted_sql or ""
        end = f"{change.before.bucket} -> {change.after.bucket}"
        yield shortened(f"  {label(change.key)}  {end}  {one_line(question)}", _WIDTH)
        for word, case in (("before", change.before), ("after", change.after)):
            yield shortened(f"    {word + ':':<8}{_statement(case)}", _STATEMENT)
    if len(changes) > max_examples:
        yield f"  … {len(changes) - max_examples:,} more"


def _statement(case: CaseResult) -> str:
    sql = case.predicted_sql
    return "None" if sql is None else one_line(sql) or "(empty)"


def _change(change: Change) -> dict[str, object]:
    """Return a changed case with its complete statements."""
    before, after = (
        {"bucket": case.bucket, "reason": case.reason, "sql": case.predicted_sql}
        for case in (change.before, change.after)
    )
    return {
        "case": change.key,
        "question": change.after.question,
        "reference": change.after.closest_sql,
        "before": before,
        "after": after,
    }


def _document(pair: PairedRuns) -> dict[str, object]:
    return {
        "baseline": pair.baseline,
        "run": pair.run,
        "rate": pair.title,
        "total": pair.total,
        "both": pair.both,
        "neither": pair.neither,
        "fixed": [change.key for change in pair.fixed],
        "broken": [change.key for change in pair.broken],
        "changes": [_change(change) for change in pair.changes],
        "unpaired": pair.unpaired,
        "before": pair.before,
        "after": pair.after,
        "difference": pair.difference,
        "interval": interval_document(pair.interval),
        "regression": pair.regression,
        "p": pair.test.p_exact,
        "p_adjusted": pair.p_adjusted,
        "broken_by_reason": dict(pair.broken_by_reason),
        "judge_cost": [cost and asdict(cost) for cost in pair.judging],
        "figures": {figure.name: _figure_document(figure) for figure in pair.figures},
        "levels": {level.name: _level_document(level) for level in pair.levels},
    }


def _figure_document(figure: PairedFigure) -> dict[str, object]:
    return {
        "kind": figure.kind,
        "before": figure.before,
        "after": figure.after,
        "total": figure.total,
        "difference": figure.difference,
        "interval": interval_document(figure.interval),
        "p": figure.p,
        "p_adjusted": figure.p_adjusted,
        "improved": [change.key for change in figure.improved],
        "worsened": [change.key for change in figure.worsened],
    }


def _joint_document(figure: JointFigure) -> dict[str, object]:
    return {
        "kind": figure.kind,
        "values": list(figure.values),
        "total": figure.total,
        "p": figure.p,
        "p_adjusted": figure.p_adjusted,
    }


def _level_document(level: PairedLevel) -> dict[str, object]:
    return {
        "total": level.total,
        "before": level.before / level.total,
        "after": level.after / level.total,
        "difference": level.difference,
        "interval": interval_document(level.interval),
        "fixed": level.fixed,
        "broken": level.broken,
    }
