"""Examples of each bucket as text: both statements, the reason, the first differing rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.console import breakdown
from sqlobs.reporting.judge_cost import cost_lines
from sqlobs.reporting.judged import (
    DISPUTED,
    SIDE_TITLES,
    VERDICT_WORDS,
    all_verdicts,
    explained_categories,
    side_of,
)
from sqlobs.reporting.wording import counted, one_line, shortened, shown_cell
from sqlobs.runs.lines import case_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.reporting.judged import Side
    from sqlobs.runs.case import Bucket, CaseResult, JudgeVerdict, ResultDifference, Value
    from sqlobs.runs.run import Run

_ROWS: Final = 5
_CELL: Final = 40
_LINE: Final = 160


def inspection(run: Run, *, max_examples: int = 5) -> str:
    """Return the buckets' counts and examples of every bucket but `ok`, the first cases of each.

    Args:
        run: The run.
        max_examples: Maximum number of cases to show per bucket.
    """
    return "\n".join(_lines(run, max_examples))


def inspection_document(run: Run, *, max_examples: int = 5) -> dict[str, object]:
    """Return the same as plain JSON, with complete cases as in `details.jsonl`.

    Args:
        run: The run.
        max_examples: Maximum number of cases per bucket.
    """
    return {
        "name": run.name,
        "total": run.summary.total,
        "buckets": dict(run.summary.buckets),
        "examples": {
            bucket: [case_document(case) for case in found]
            for bucket, _, found in _examples(run, max_examples)
        },
        "judged": {
            side: [case_document(case) for case in found]
            for side, _, found in _disputed(run, max_examples)
        },
    }


def _examples(run: Run, most: int) -> Iterator[tuple[Bucket, int, list[CaseResult]]]:
    """Yield each nonempty bucket except `ok`, with its count and first cases."""
    for bucket, count in run.summary.buckets.items():
        if bucket != "ok" and count and most > 0:
            yield bucket, count, [case for case in run.cases if case.bucket == bucket][:most]


def _disputed(run: Run, most: int) -> Iterator[tuple[Side, int, list[CaseResult]]]:
    """Yield the sides on which judge and execution disagree, with their count and first cases."""
    for side in DISPUTED:
        found = [case for case in run.cases if side_of(case) == side]
        if found and most > 0:
            yield side, len(found), found[:most]


def _lines(run: Run, max_examples: int) -> Iterator[str]:
    yield from breakdown(run.summary)
    yield from cost_lines(run)
    sections = (
        *_examples(run, max_examples),
        *(
            (SIDE_TITLES[side].lower(), count, found)
            for side, count, found in _disputed(run, max_examples)
        ),
    )
    for title, count, found in sections:
        yield ""
        yield f"--- {title}: {len(found)} of {count} ---"
        for case in found:
            yield from _example(case)


def _example(case: CaseResult) -> Iterator[str]:
    yield ""
    yield f"[{case.index}]{_heading(case)}"
    if case.question:
        yield f"  question: {_short(case.question)}"
    if case.reason:
        yield f"  reason:   {_short(case.reason)}"
    yield f"  gold:     {_statement(case.closest_sql) if case.has_reference else '(no reference)'}"
    if case.alternatives:
        yield f"  of:       {reference_line(case)}"
    yield f"  pred:     {_statement(case.predicted_sql)}"
    for found in case.check.findings if case.check else ():
        meant = f" Did you mean {one_line(found.suggestion)}?" if found.suggestion else ""
        yield f"  check:    {one_line(found.code)}: {_short(found.message)}{meant}"
    for verdict in all_verdicts(case):
        yield from _judge(verdict)
    if case.difference:
        yield from _difference(case, case.difference)


def _judge(judge: JudgeVerdict) -> Iterator[str]:
    explanation = f": {_short(judge.explanation)}" if judge.explanation else ""
    yield f"  judge:    {VERDICT_WORDS[judge.correct]} ({one_line(judge.judge)}){explanation}"
    for category in explained_categories(judge):
        yield f"            {_short(category)}"


def _heading(case: CaseResult) -> str:
    words = (case.id, case.difficulty, case.db, case.mistake and case.mistake.replace("_", " "))
    return "".join(f" {one_line(word)}" for word in words if word)


def _difference(case: CaseResult, difference: ResultDifference) -> Iterator[str]:
    if difference.first_at is not None:
        yield f"  the order differs starting at row {difference.first_at + 1}"
    sides = (
        ("missing", "-", difference.missing, difference.missing_count, case.reference),
        ("extra", "+", difference.extra, difference.extra_count, case.predicted),
    )
    for word, sign, rows, count, outcome in sides:
        if not rows and not count:
            continue
        columns = one_line(", ".join(outcome.columns)) if outcome else ""
        yield f"  {counted(max(count, len(rows)), 'row')} {word} ({shortened(columns, _LINE)})"
        for row in rows[:_ROWS]:
            yield f"    {sign} {_row(row)}"


def _row(row: tuple[Value, ...]) -> str:
    cells = (shortened(one_line(shown_cell(cell)), _CELL) for cell in row)
    return shortened(" | ".join(cells), _LINE)


def _statement(sql: str | None) -> str:
    if sql is None:
        return "None (unanswerable)"
    return one_line(sql) or "(empty)"


def reference_line(case: CaseResult) -> str:
    """Return which of several references was compared: `reference 2 of 3, closest match`."""
    word = "matching" if case.is_match else "closest match"
    place = (case.matched_alternative or 0) + 1
    return f"reference {place} of {len(case.references)}, {word}"


def _short(text: str) -> str:
    return shortened(one_line(text), _LINE)
