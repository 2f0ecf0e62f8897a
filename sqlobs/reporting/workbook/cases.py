"""The Details sheet: one row per case, with the Denodo AI SDK Evaluator's columns and more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.failures import BUCKET_TITLES, MISTAKE_TITLES, codes_of
from sqlobs.reporting.judged import explained_categories
from sqlobs.reporting.workbook.sheet import Look
from sqlobs.scores.registry import CASE_SCORES, OWN_SCORES, SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.reporting.workbook.sheet import Sheet, Value
    from sqlobs.runs.case import CaseResult, JudgeVerdict
    from sqlobs.runs.request import RequestRecord
    from sqlobs.scores.score import ColumnGroup, Score

FIRST_ROW: Final = 3
"""First row of cases, below group titles, headers and descriptions."""
MOST_CASES: Final = 1_048_576 - FIRST_ROW
"""Excel's row limit."""
DIFFICULTIES: Final = {"1": "simple", "2": "moderate", "3": "challenging"}
AI_SDK: Final = "AI SDK Results and Answer"
"""The group title for answers of Denodo's AI SDK, as in its evaluator."""
_OWN: Final = "Further metrics"
NO_DIFFICULTY: Final = "(none)"

GROUP: Final = Look(fill="#1F3A4D", ink="#FFFFFF", is_bold=True, align="center")
HEADER: Final = Look(fill="#DCE6EC", is_bold=True, is_wrapped=True, border="#1F3A4D")
ABOUT: Final = Look(fill="#F4F6F8", ink="#5B6770", is_italic=True, is_wrapped=True)
TEXT: Final = Look(is_wrapped=True, border="#E3E6E8")
CODE: Final = Look(is_wrapped=True, is_code=True, border="#E3E6E8")
COUNT: Final = Look(number="0", align="right", border="#E3E6E8")
SCORE: Final = Look(number="0.000", align="right", border="#E3E6E8")
PERCENT: Final = Look(number="0.0", align="right", border="#E3E6E8")
SECONDS: Final = Look(number="0.000", align="right", border="#E3E6E8")
_ROW_HEIGHT: Final = 48.0


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header, its description, and the value of a case."""

    title: str
    about: str
    value: Callable[[CaseResult], Value]
    look: Look = TEXT
    width: float = 17.0


def difficulty_of(case: CaseResult) -> str:
    """Return a case's difficulty as a word; 1, 2 and 3 are simple, moderate and challenging."""
    difficulty = case.difficulty or NO_DIFFICULTY
    return DIFFICULTIES.get(difficulty, difficulty)


def write_details(sheet: Sheet, cases: Sequence[CaseResult]) -> None:
    """Fill the sheet; cases beyond Excel's last row are omitted."""
    groups = _groups(cases)
    columns = [column for _, group in groups for column in group]
    write_heading(sheet, groups)
    for place, case in enumerate(cases[:MOST_CASES]):
        row = FIRST_ROW + place
        sheet.page.set_row(row, _ROW_HEIGHT)
        for number, column in enumerate(columns):
            sheet.write(row, number, column.value(case), column.look)
    sheet.print_on_one_width()
    sheet.page.repeat_rows(0, FIRST_ROW - 1)
    sheet.page.freeze_panes(FIRST_ROW, 1)
    sheet.page.autofilter(
        FIRST_ROW - 1, 0, FIRST_ROW - 1 + min(len(cases), MOST_CASES), len(columns) - 1
    )


def _groups(cases: Sequence[CaseResult]) -> list[tuple[str, tuple[Column, ...]]]:
    """Return the column groups that have values in this run."""
    title = AI_SDK if any(map(_is_of_ai_sdk, cases)) else "Results and Answer"
    is_timed = any("ves_reward" in case.scores for case in cases)
    groups = [(title, GROUPS[0][1]), *GROUPS[1:]]
    if not is_timed:
        groups = [(name, tuple(map(_unmeasured, columns))) for name, columns in groups]
    own = _own_columns(cases)
    groups += [(_OWN, own)] if own else []
    groups += [JUDGE] if any(case.judge for case in cases) else []
    groups += _alone(cases)
    return [*groups, REQUEST] if any(case.request for case in cases) else groups


def _is_of_ai_sdk(case: CaseResult) -> bool:
    """Return whether Denodo's AI SDK answered: only it reports a vector store's time."""
    return case.generation is not None and case.generation.vector_store_search_time is not None


def write_heading(sheet: Sheet, groups: Sequence[tuple[str, Sequence[Column]]]) -> None:
    """Write group titles, then headers, then a row of descriptions."""
    first = 0
    for title, columns in groups:
        sheet.merge(0, first, first + len(columns) - 1, title, GROUP)
        for number, column in enumerate(columns, start=first):
            sheet.write(1, number, column.title, HEADER)
            sheet.write(2, number, column.about, ABOUT)
            sheet.page.set_column(number, number, column.width)
        first += len(columns)
    sheet.page.set_row(1, 32)
    sheet.page.set_row(2, 48)


def _score_columns(group: ColumnGroup) -> tuple[Column, ...]:
    """Return the columns of a group's scores, according to the registry."""
    return tuple(
        Column(score.title, score.column, _value_of(name), _look(score))
        for name, score in CASE_SCORES.items()
        if score.column is not None and score.group == group
    )


def _own_columns(cases: Sequence[CaseResult]) -> tuple[Column, ...]:
    """Return the columns of further techniques and the user's own metrics that this run has."""
    return tuple(
        Column(score.title, score.about, _value_of(name), _look(score))
        for name, score in OWN_SCORES.items()
        if any(name in case.scores for case in cases)
    )


def _value_of(name: str) -> Callable[[CaseResult], Value]:
    return _ves if name == "ves_reward" else lambda case: case.scores.get(name)


def _look(score: Score) -> Look:
    if score.is_percent:
        return PERCENT
    return SCORE if score.is_graded else COUNT


def _timing(name: str) -> Callable[[CaseResult], Value]:
    def value(case: CaseResult) -> Value:
        found: float | None = getattr(case.generation, name, None)
        return found

    return value


def _ves(case: CaseResult) -> Value:
    """Return the reward in a timed run; 0 if the results differ, None without a reference."""
    if case.is_unanswerable or not case.has_reference:
        return None
    return 0.0 if case.scores.get("results_match") == 0 else case.scores.get("ves_reward")


def _unmeasured(column: Column) -> Column:
    """Return a column adjusted for a run without timing."""
    return replace(column, value=lambda _: None) if column.value is _ves else column


def _statement(sql: str | None) -> str:
    return "None" if sql is None else sql


GROUPS: Final[tuple[tuple[str, tuple[Column, ...]], ...]] = (
    (
        AI_SDK,
        (
            Column(
                "Question ID",
                "Identifies the question",
                lambda case: case.id or str(case.index),
            ),
            Column("Difficulty", "Level of the question", difficulty_of),
            Column(
                "VQL Generated",
                "The statement that was generated",
                lambda case: _statement(case.predicted_sql),
                CODE,
                52,
            ),
            Column(
                "Ground Truth VQL",
                "The reference statement",
                lambda case: _statement(case.closest_sql) if case.has_reference else "",
                CODE,
                52,
            ),
        ),
    ),
    ("Evaluation Metrics", _score_columns("Evaluation Metrics")),
    ("BIRD Bench Metrics", _score_columns("BIRD Bench Metrics")),
    (
        "Timing Metrics",
        tuple(
            Column(name, about, _timing(name), SECONDS, 25)
            for name, about in (
                ("sql_execution_time", "Seconds running SQL"),
                ("vector_store_search_time", "Seconds in the vector store"),
                ("llm_time", "Seconds in the model"),
                ("total_execution_time", "Seconds until the answer"),
            )
        ),
    ),
    (
        "sqlobs",
        (
            Column("Question", "Question text", lambda case: case.question or "", TEXT, 40),
            Column("Ending", "Outcome of the execution", lambda case: BUCKET_TITLES[case.bucket]),
            Column("Reason", "Why", lambda case: case.reason or "", TEXT, 30),
            Column(
                "Exact Match",
                "1 if the texts are equal",
                lambda case: None if case.em is None else int(case.em),
                COUNT,
            ),
            *_score_columns("sqlobs"),
            Column(
                "Diagnosis",
                "Kind of mistake",
                lambda case: MISTAKE_TITLES.get(case.mistake or "", case.mistake or ""),
                TEXT,
                18,
            ),
            Column(
                "Failure Codes",
                "Primary code first",
                lambda case: ", ".join(codes_of(case)),
                TEXT,
                26,
            ),
        ),
    ),
)
"""Group titles: columns A to D, E to H, I to J and K to N as in the evaluator, then ours."""


def _of_judge(read: Callable[[JudgeVerdict], Value]) -> Callable[[CaseResult], Value]:
    """Return a function that reads a field of the judge's verdict; None without a verdict."""
    return lambda case: None if case.judge is None else read(case.judge)


JUDGE: Final[tuple[str, tuple[Column, ...]]] = (
    "Judge",
    (
        Column("Judge", "Model of the judge", _of_judge(lambda judge: judge.judge), TEXT, 26),
        Column(
            "Judged Correct",
            "1 if the judge accepts it",
            _of_judge(lambda judge: None if judge.correct is None else int(judge.correct)),
            COUNT,
        ),
        Column("Verdict", "Its reasoning", _of_judge(lambda judge: judge.explanation), TEXT, 52),
        Column(
            "Categories",
            "Categories of errors or differences",
            _of_judge(lambda judge: ", ".join(judge.categories)),
            TEXT,
            30,
        ),
        Column(
            "Category Reasons",
            "Why each category applies",
            _of_judge(lambda judge: "\n".join(explained_categories(judge))),
            TEXT,
            52,
        ),
        Column(
            "Suspect Content",
            "Possible prompt injection in the case",
            _of_judge(lambda judge: ", ".join(judge.suspicious)),
        ),
    ),
)
"""Additional columns of a judged run."""


def _alone(cases: Sequence[CaseResult]) -> list[tuple[str, tuple[Column, ...]]]:
    """Return two columns for each judge that needs no reference."""
    names = dict.fromkeys(name for case in cases for name in case.verdicts)
    columns = [column for name in names for column in _of_verdict(name)]
    return [("Judges Without a Reference", tuple(columns))] if columns else []


def _of_verdict(name: str) -> tuple[Column, Column]:
    def passed(case: CaseResult) -> Value:
        found = case.verdicts.get(name)
        return None if found is None or found.correct is None else int(found.correct)

    def reasoning(case: CaseResult) -> Value:
        found = case.verdicts.get(name)
        return None if found is None else found.explanation

    title = SCORES[name].title
    return (
        Column(title, "1 if the judge accepts it", passed, COUNT),
        Column(f"{name}: Verdict", "Its reasoning", reasoning, TEXT, 52),
    )


def _of_request(read: Callable[[RequestRecord], Value]) -> Callable[[CaseResult], Value]:
    """Return a function that reads a field of a production request; None for other cases."""
    return lambda case: None if case.request is None else read(case.request)


def _feedback(request: RequestRecord) -> str:
    return "; ".join(f"{said.kind} {said.value}" for said in request.feedback)


REQUEST: Final[tuple[str, tuple[Column, ...]]] = (
    "Request",
    (
        Column(
            "Time", "Time of the request, UTC", _of_request(lambda one: one.occurred_at), TEXT, 26
        ),
        Column("Outcome", "Outcome of the request", _of_request(lambda one: one.outcome)),
        Column(
            "Verdict",
            "Verdict of the checker",
            lambda case: case.check.verdict if case.check else None,
        ),
        Column(
            "First Attempt",
            "Verdict before any repair",
            _of_request(lambda one: one.first_verdict),
        ),
        Column("Tenant", "Tenant of the request", _of_request(lambda one: one.tenant)),
        Column("Prompt Version", "Of the template", _of_request(lambda one: one.prompt_version)),
        Column("Trace", "Its id", _of_request(lambda one: one.trace_id), CODE, 36),
        Column("Feedback", "User feedback, oldest first", _of_request(_feedback), TEXT, 30),
    ),
)
"""Additional columns of production requests."""
