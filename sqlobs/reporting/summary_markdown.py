"""A run, or a comparison of runs, as Markdown for a pull request: short, with every interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.compared_values import shown_amount, shown_difference, shown_p
from sqlobs.reporting.comparison_text import ADJUSTED, conclusion, judging_lines
from sqlobs.reporting.coverage import gaps_line
from sqlobs.reporting.expense import expense_note
from sqlobs.reporting.failures import reason_of
from sqlobs.reporting.figures import figures_of, without_duplicates
from sqlobs.reporting.joint_text import MARK, NOTE, joint_rows, same_titles
from sqlobs.reporting.judge_cost import cost_lines
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.wording import (
    counted,
    label,
    one_line,
    percent_points,
    points_interval,
    shown_interval,
    shown_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.reporting.comparison import Comparison, PairedRuns
    from sqlobs.reporting.gates import GateVerdict
    from sqlobs.reporting.paired_figures import Change
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

_MOST_CASES: Final = 20
"""Newly failing cases listed; the JSON and the page have all."""
_ESCAPED: Final = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>()#+-!|~@"}
"""What Markdown would interpret; `@` would notify people."""


def run_summary(run: Run, verdicts: Sequence[GateVerdict] = ()) -> str:
    """Return the main figures of a run with denominators and 95 % intervals, and its cost."""
    main = (figure for figure in without_duplicates(figures_of(run.cases)) if figure.is_main)
    lines = (
        *_heading(f"sqlobs: {_text(run.name)}", verdicts),
        "",
        "| Figure | Value | 95 % interval | Cases |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {figure.title} | {shown_value(figure)} | {shown_interval(figure)}"
            f" | {figure.total:,} |"
            for figure in main
        ),
        *_gaps(run),
        *_judges(run),
        *_cost(run.cases),
    )
    return "\n".join(lines) + "\n"


def comparison_summary(comparison: Comparison, verdicts: Sequence[GateVerdict] = ()) -> str:
    """Return how each run differs from the baseline: figures, newly failing cases, cost."""
    parts = ["\n".join(_heading("sqlobs: comparison", verdicts))]
    parts += ["\n".join(_joint(comparison))] if comparison.joint else []
    parts += ["\n".join(_pair(pair)) for pair in comparison.pairs]
    return "\n\n".join(parts) + "\n"


def _heading(title: str, verdicts: Sequence[GateVerdict]) -> Iterator[str]:
    yield f"### {title}"
    for verdict in verdicts:
        yield ""
        yield f"- {'❌' if verdict.is_failed else '✅'} {_escaped(one_line(verdict.sentence))}"


def _joint(comparison: Comparison) -> Iterator[str]:
    head, *rows = joint_rows(comparison)
    yield f"| {' | '.join(map(_escaped, head))} |"
    yield f"| --- |{' ---: |' * (len(head) - 1)}"
    for title, *values in rows:
        yield f"| {title} | {' | '.join(value.replace(MARK, '&#42;') for value in values)} |"
    yield ""
    yield NOTE.replace(MARK, "&#42;")
    same = same_titles(comparison)
    if same:
        yield ""
        yield f"The same in all runs: {same}."


def _pair(pair: PairedRuns) -> Iterator[str]:
    before, after = (f"{100 * (rate or 0):.1f} %" for rate in (pair.before, pair.after))
    interval = f" ({points_interval(pair.interval)})" if pair.interval else ""
    yield f"**{_text(pair.baseline)} → {_text(pair.run)}**: {conclusion(pair)}"
    yield ""
    yield "| Figure | Before | After | Difference (95 % interval) | Cases | p |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    yield (
        f"| {pair.title} | {before} | {after} | {percent_points(pair.difference or 0)}"
        f" points{interval} | {pair.total:,} | {shown_p(pair.p_adjusted)} |"
    )
    changed = [figure for figure in pair.figures if figure.is_changed]
    for figure in changed:
        yield (
            f"| {figure.title} | {shown_amount(figure, figure.before)}"
            f" | {shown_amount(figure, figure.after)} | {shown_difference(figure)}"
            f" | {figure.total:,} | {shown_p(figure.p_adjusted)} |"
        )
    if changed:
        yield ""
        yield f"Figures below {pair.title}: {ADJUSTED}."
    yield from _failing(pair.broken)
    for line in judging_lines(pair):
        yield ""
        yield _escaped(line)
    yield from _cost(pair.run_cases)


def _failing(broken: Sequence[Change]) -> Iterator[str]:
    if broken:
        yield ""
        yield f"{counted(len(broken), 'question')} newly failing:"
        yield ""
    for change in broken[:_MOST_CASES]:
        question = change.after.question or change.after.predicted_sql or ""
        yield f"- {_text(change.key)} ({_text(reason_of(change.after))}): {_text(question)}"
    if len(broken) > _MOST_CASES:
        yield f"- … {len(broken) - _MOST_CASES:,} more"


def _judges(run: Run) -> Iterator[str]:
    for sentence in (*(found.sentence for found in judge_rates(run)), *cost_lines(run)):
        yield ""
        yield _escaped(one_line(sentence))


def _gaps(run: Run) -> Iterator[str]:
    line = gaps_line(run)
    if line:
        yield ""
        yield f"Not compared: {line}."


def _cost(cases: Sequence[CaseResult]) -> Iterator[str]:
    for sentence in expense_note(cases):
        yield ""
        yield sentence


def _text(text: str) -> str:
    """Return text of users on one line, without a meaning in Markdown or HTML."""
    return _escaped(label(text))


def _escaped(line: str) -> str:
    return line.translate(_ESCAPED)
