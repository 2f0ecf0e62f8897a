"""One case prepared for the page: highlighted statements, differing rows, findings, feedback."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.engine_verdicts import disagreement_of
from sqlobs.reporting.failures import BUCKET_TITLES, MISTAKE_HINTS, MISTAKE_TITLES
from sqlobs.reporting.figures import MAIN_SCORES
from sqlobs.reporting.inspection_text import reference_line
from sqlobs.reporting.judged import VERDICT_WORDS, all_verdicts, explained_categories
from sqlobs.reporting.rows import differing_rows
from sqlobs.reporting.statement.difference import Mark, shown_pair, shown_statement
from sqlobs.reporting.wording import counted, shortened, shown_cell, visible
from sqlobs.scores.registry import SHOWN_SCORES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.reporting.statement.difference import ShownStatement
    from sqlobs.runs.case import (
        CaseResult,
        CheckFinding,
        CheckSummary,
        GenerationRecord,
        JudgeVerdict,
        ResultDifference,
        RunOutcome,
        TimedRuns,
    )
    from sqlobs.runs.request import Feedback, RequestRecord

_STATEMENT: Final = 20_000
"""Maximum characters of a statement to show."""
_TEXT: Final = 4_000
_CELL: Final = 160
_COLUMNS: Final = 60
_BETWEEN: Final = "\x1f"
"""Separates the texts of a statement, in which control characters are replaced (`visible`)."""
_REASONS: Final = {
    "one_side_none": "Only one side says that the question is unanswerable.",
    "empty_prediction": "The system did not return a statement.",
    "not_asked": "Execution was disabled for this run.",
    "syntax.no_sql": "The answer does not contain SQL.",
    "no_reference": "The reference to compare the result with is missing.",
    "no_target": "The collector has no execution target for this request.",
    "sampled_out": "The request was sampled out.",
    "content_not_captured": "The SQL was not sent to the collector.",
    "abstained": "The request was declined: no SQL was intended.",
    "clarified": "The answer was a clarifying question.",
}
_ANSWERS: Final[dict[str, str]] = {
    "abstained": "Declined: no SQL was intended",
    "clarified": "Clarifying question: no SQL was intended",
}


def case_document(case: CaseResult) -> dict[str, object]:
    """Return a case as JSON for the page, without empty fields."""
    reference, predicted = _statements(case)
    document = {
        "question": case.question and _clean(case.question),
        "facts": [*_facts(case)],
        "verdict": [*_verdict(case)],
        "findings": _findings(case.check) if case.check else None,
        "reference": reference,
        "predicted": predicted,
        "alternatives": [
            _encoded(shown_statement(shortened(sql, _STATEMENT))) for sql in _others(case)
        ],
        "missing": _missing(case),
        "feedback": [_said(said) for said in case.request.feedback] if case.request else None,
        "ran": [_ran(case, case.reference), _ran(case, case.predicted)],
        "difference": case.difference and _difference(case, case.difference),
        "scores": [*_scores(case)],
        "judges": [_judge(found) for found in all_verdicts(case)],
        "copy": [case.closest_sql, case.predicted_sql],
    }
    return {name: value for name, value in document.items() if value}


def _missing(case: CaseResult) -> list[str] | None:
    """Return why a production request lacks a statement."""
    request = case.request
    if request is None:
        return None if case.has_reference else ["No reference", "No statement"]
    reference = "not part of this export" if request.is_compared else "unknown"
    return [f"Reference: {reference}", _ANSWERS.get(request.outcome, "Not part of this export")]


def _said(said: Feedback) -> list[str]:
    """Return one piece of feedback: time, kind, comment and SQL."""
    texts = (said.explanation, said.corrected_sql, said.standing)
    return [said.at, f"{said.kind}: {said.value}", *(_clean(text or "") for text in texts)]


def _ran(case: CaseResult, outcome: RunOutcome | None) -> str:
    is_known = outcome is not None or case.request is None
    return _outcome(outcome) if is_known else ""


def _clean(text: str) -> str:
    return visible(shortened(text, _TEXT))


def _others(case: CaseResult) -> Iterator[str]:
    """Yield the references other than the shown one."""
    for place, sql in enumerate(case.references):
        if sql is not None and place != (case.matched_alternative or 0):
            yield sql


def _statements(case: CaseResult) -> tuple[list[object] | None, list[object] | None]:
    """Return both statements as they are shown; None for a side that has none."""
    reference, predicted = (
        sql if sql is None else shortened(sql, _STATEMENT)
        for sql in (case.closest_sql, case.predicted_sql)
    )
    marks = _marks(case.check, predicted) if case.check and predicted else []
    if reference is None or predicted is None:
        left, right = (
            shown_statement(reference or ""),
            shown_statement(predicted or "", marks=marks),
        )
    else:
        left, right = shown_pair(reference, predicted, marks=marks)
    return (
        None if reference is None else _encoded(left),
        None if predicted is None else _encoded(right),
    )


def _marks(check: CheckSummary, predicted: str) -> list[Mark]:
    """Locate the checker's findings, whose positions refer to the extracted statement."""
    offset = predicted.find(check.sql)
    return [
        Mark(offset + found.start, offset + found.end, _note(found))
        for found in check.findings
        if offset >= 0 and found.start is not None and found.end is not None
    ]


def _note(found: CheckFinding) -> str:
    meant = f" Did you mean {found.suggestion}?" if found.suggestion else ""
    return visible(f"{found.message}{meant}")


def _encoded(shown: ShownStatement) -> list[object]:
    """Return a statement as the script reads it: texts, letters of their styles, notes by place."""
    texts = shown.texts
    if not "".join(texts).replace("\n", "").isprintable():
        texts = [visible(text) for text in texts]
    return [_BETWEEN.join(texts), shown.letters, shown.notes]


def _verdict(case: CaseResult) -> Iterator[str]:
    """Yield sentences about the outcome of the case."""
    yield f"{BUCKET_TITLES[case.bucket]}."
    if case.is_unanswerable and case.is_match:
        yield "Both sides say that the question is unanswerable."
    if case.reason and not _is_said_beside(case, case.reason):
        yield _REASONS.get(case.reason) or f"{_clean(case.reason).rstrip('.')}."
    if disagreement := disagreement_of(case):
        yield f"{_clean(disagreement.sentence)}."
    if case.mistake and case.bucket == "mismatch":
        title = MISTAKE_TITLES.get(case.mistake, visible(case.mistake))
        yield f"{title}: {MISTAKE_HINTS.get(case.mistake, '')}"
    if case.is_close:
        yield "Near miss: often a single wrong filter or aggregate."
    if case.alternatives and case.matched_alternative is not None:
        yield f"Showing {reference_line(case)}."


def _is_said_beside(case: CaseResult, reason: str) -> bool:
    """Return whether the reason is an error that is already shown above its statement."""
    outcomes = (case.reference, case.predicted)
    return any(outcome and outcome.error and outcome.error in reason for outcome in outcomes)


def _findings(check: CheckSummary) -> list[list[str | int]]:
    """Return severity, code, sentence and count of each finding; duplicates are merged."""
    counts = Counter(
        (found.severity, visible(found.code), _note(found)) for found in check.findings
    )
    return [[*finding, count] for finding, count in counts.items()]


def _facts(case: CaseResult) -> Iterator[str]:
    yield f"case {case.index}"
    named = (case.id, case.difficulty, case.db, case.dialect, case.workflow)
    yield from (_clean(value) for value in named if value)
    if case.request:
        yield from _request(case.request)
    if case.generation:
        yield from _generation(case.generation)
    if case.timed:
        yield _timed(case.timed)


def _request(request: RequestRecord) -> Iterator[str]:
    named = {
        "at": request.occurred_at,
        "tenant": request.tenant,
        "prompt version": request.prompt_version,
        "outcome": request.outcome,
        "first attempt": request.first_verdict,
        "trace": request.trace_id,
    }
    yield from (f"{name} {_clean(value)}" for name, value in named.items() if value)


def _timed(runs: TimedRuns) -> str:
    kept = "" if runs.kept == runs.count else f", {runs.kept:,} kept"
    fast = ", too fast to measure" if runs.is_below_resolution else ""
    return f"timed {counted(runs.count, 'time')}{kept}{fast}"


def _generation(record: GenerationRecord) -> Iterator[str]:
    if record.status != "answered":
        yield f"generation: {record.status}" + (f", {_clean(record.error)}" if record.error else "")
    if record.model:
        yield _clean(record.model)
    if record.input_tokens is not None or record.output_tokens is not None:
        yield f"{record.input_tokens or 0:,} + {record.output_tokens or 0:,} tokens"
    if record.cost is not None:
        yield f"cost {record.cost:.4g}"
    if record.attempts is not None:
        yield counted(record.attempts, "attempt")
    if record.total_execution_time is not None:
        yield f"{record.total_execution_time:.2f} s latency"


def _outcome(outcome: RunOutcome | None) -> str:
    """Return one line about the outcome of running a statement."""
    if outcome is None:
        return "not executed"
    words = [outcome.status if outcome.rows is None else counted(outcome.rows, "row")]
    if outcome.is_truncated:
        words.append("truncated")
    if outcome.elapsed_ms:
        words.append(f"{outcome.elapsed_ms:,.1f} ms")
    if outcome.error:
        words.append(_clean(outcome.error))
    return ", ".join(words)


def _difference(case: CaseResult, difference: ResultDifference) -> dict[str, object]:
    rows = [
        [row.side, [_cell(cell) for cell in row.cells[:_COLUMNS]], list(row.changed)]
        for row in differing_rows(difference)
    ]
    return {
        "columns": [_columns(case.reference), _columns(case.predicted)],
        "rows": rows,
        "missing": max(difference.missing_count, len(difference.missing)),
        "extra": max(difference.extra_count, len(difference.extra)),
        "firstAt": None if rows else difference.first_at,
    }


def _columns(outcome: RunOutcome | None) -> list[str]:
    return (
        [shortened(visible(name), _CELL) for name in outcome.columns[:_COLUMNS]] if outcome else []
    )


def _cell(cell: object) -> object:
    """Return a cell: text, or [text, class] with class `num` or `null`."""
    text = shortened(shown_cell(cell), _CELL)
    if cell is None:
        return [text, "null"]
    return [text, "num"] if isinstance(cell, int | float) else text


def _scores(case: CaseResult) -> Iterator[list[object]]:
    """Yield title, value and whether it is a main score."""
    for name, score in SHOWN_SCORES.items():
        if name in case.scores:
            value = case.scores[name]
            shown = "undetermined" if value is None else f"{value:.4g}"
            if name in case.approximate:
                shown = f"≈ {shown}"
            yield [score.title, shown, name in MAIN_SCORES]


def _judge(judge: JudgeVerdict) -> dict[str, object]:
    return {
        "by": _clean(judge.judge),
        "verdict": VERDICT_WORDS[judge.correct],
        "score": judge.score,
        "text": _clean(judge.explanation or ""),
        "categories": [_clean(category) for category in explained_categories(judge)],
    }
