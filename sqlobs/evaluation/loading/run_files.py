"""The files of a run directory: `gold.txt`, `preds.txt` and `summary.jsonl`, in both directions."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.loading.columns import clean
from sqlobs.evaluation.loading.records import read_records
from sqlobs.evaluation.loading.text import read_lines
from sqlobs.evaluation.statements import references_of
from sqlobs.evaluation.tasks.task import TestedTask
from sqlobs.metrics.text_match import UNANSWERABLE, is_unanswerable, single_line
from sqlobs.runs.case import GenerationRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sqlobs.evaluation.gold_results import GoldResult
    from sqlobs.evaluation.loading.records import Record

GOLD: Final = "gold.txt"
PREDICTIONS: Final = "preds.txt"
SUMMARY: Final = "summary.jsonl"
NO_RESULTS: Final[Mapping[str, tuple[GoldResult, ...]]] = MappingProxyType({})
_WITH_DATABASE: Final = re.compile(r"[^\t]+\t\w+")
_GENERATION: Final = tuple(field.name for field in fields(GenerationRecord))


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the summary, as far as evaluation reads it."""

    fields: dict[str, object]

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        return None if value is None else str(value)

    def number(self, name: str) -> int | None:
        value = self.fields.get(name)
        return value if isinstance(value, int) else None

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.fields.get(name)
        return tuple(map(str, values)) if isinstance(values, list) else ()


def is_run_directory(path: Path) -> bool:
    """Return whether a folder holds a run."""
    return (path / GOLD).is_file() or (path / PREDICTIONS).is_file()


def read_run_directory(
    path: Path,
    *,
    is_template: bool = False,
    with_references: bool = True,
    with_tests: bool = False,
    results: Mapping[str, tuple[GoldResult, ...]] = NO_RESULTS,
) -> tuple[Case, ...]:
    """Read a run's cases; an empty line of `gold.txt` means that no reference is known.

    Args:
        path: The run's directory.
        is_template: Whether references are templates.
        with_references: Whether `gold.txt` is read; without it, no case has a reference.
        with_tests: Whether the test cases of tasks decide, which are code.
        results: Correct results by the case's id, in place of references.

    Raises:
        InputError: a file is missing or broken, or the files have different numbers of lines.
    """
    predictions = read_lines(path / PREDICTIONS)
    gold = _gold(path) if with_references else [""] * len(predictions)
    if len(gold) != len(predictions):
        raise InputError(
            f"{path}: {GOLD} has {len(gold)} lines, {PREDICTIONS} has {len(predictions)};"
            " each needs one line per question"
        )
    if not gold:
        raise InputError(f"{path}: {GOLD if with_references else PREDICTIONS} is empty")
    summary = _summary(path / SUMMARY, len(gold))
    if all(_WITH_DATABASE.fullmatch(line) for line in gold):  # as Spider's gold files have it
        for index, line in enumerate(gold):
            gold[index], _, db = line.rpartition("\t")
            summary[index].fields.setdefault("db", db)
    cases = (
        _case(
            index,
            references_of(line, is_template=is_template),
            None if is_unanswerable(predictions[index]) else predictions[index],
            summary[index],
        )
        for index, line in enumerate(gold)
    )
    return tuple(_decided(case, results, with_tests=with_tests) for case in cases)


def without_task(case: Case) -> Case:
    """Return a case that its references decide, where it is a task of which no code may run."""
    return (
        case if case.task is None else replace(case, task=None, has_reference=bool(case.references))
    )


def _decided(
    case: Case, results: Mapping[str, tuple[GoldResult, ...]], *, with_tests: bool
) -> Case:
    """Return a case with what decides it: test cases, results in files, or its references."""
    if case.task is not None:
        return case if with_tests else without_task(case)
    own = results.get(case.label, ())
    return replace(case, results=own, references=(), has_reference=True) if own else case


def _gold(path: Path) -> list[str]:
    if not (path / GOLD).is_file():
        raise InputError(
            f"{path / GOLD}: no such file; give --no-gold to evaluate without references"
        )
    return read_lines(path / GOLD)


def write_statements(path: Path, statements: Iterable[str | None]) -> None:
    """Write one statement per line; None is `None`, line breaks become spaces."""
    lines = (UNANSWERABLE if sql is None else single_line(sql) for sql in statements)
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_run(path: Path, cases: Sequence[Case]) -> None:
    """Write the three files of a run.

    A statement that does not survive being put into one line stands in the summary as well.
    """
    write_statements(path / GOLD, map(first_reference, cases))
    write_statements(path / PREDICTIONS, (case.predicted_sql for case in cases))
    lines = (json.dumps(_summary_fields(case), ensure_ascii=False) + "\n" for case in cases)
    (path / SUMMARY).write_text("".join(lines), encoding="utf-8", newline="\n")


def _summary_fields(case: Case) -> dict[str, object]:
    own: dict[str, object] = {"index": case.index, "id": case.id, "difficulty": case.difficulty}
    own |= _generation_fields(case.generation) if case.generation is not None else {}
    own |= {"question": case.question, "db": case.db}
    further = {"hint": case.hint, "sample_of": case.sample_of, "category": case.category}
    own |= {name: value for name, value in further.items() if value is not None}
    if case.task is not None:
        own["task"] = case.task.fields
    if len(case.references) > 1:
        own["alternatives"] = list(case.references[1:])
    if case.suite:
        own["suite"] = list(case.suite)
    if case.dialogue is not None:
        own |= {"dialogue": case.dialogue, "turn": case.turn}
    for name, sql in (("gold_sql", first_reference(case)), ("pred_sql", case.predicted_sql)):
        if sql is not None and single_line(sql) != sql:
            own[name] = sql
    return own


def _generation_fields(record: GenerationRecord) -> dict[str, object]:
    counts = [count for count in (record.input_tokens, record.output_tokens) if count is not None]
    own = asdict(record)
    status = {name: own.pop(name) for name in ("status", "error", "model")}
    return {**status, "tokens": sum(counts) if counts else None, **own}


def first_reference(case: Case) -> str | None:
    """Return the first reference as a line of `gold.txt`: "" if none is known."""
    return case.references[0] if case.references else None if case.has_reference else ""


def _case(
    index: int, known: tuple[str, ...] | None, predicted_sql: str | None, line: _Line
) -> Case:
    references = known or ()
    exact = line.text("pred_sql")
    if exact is not None and predicted_sql == single_line(exact):
        predicted_sql = exact
    first = line.text("gold_sql")
    if first is not None and references[:1] == (single_line(first),):
        references = (first, *references[1:])
    return Case(
        index=index,
        references=(*references, *(line.texts("alternatives") if known is not None else ())),
        has_reference=known is not None,
        predicted_sql=predicted_sql,
        id=line.text("id"),
        question=line.text("question"),
        difficulty=line.text("difficulty"),
        category=line.text("category"),
        db=line.text("db"),
        suite=line.texts("suite"),
        dialogue=line.text("dialogue"),
        turn=line.number("turn"),
        hint=line.text("hint"),
        task=_task(line),
        sample_of=line.text("sample_of"),
        generation=_generation(line),
    )


def _task(line: _Line) -> TestedTask | None:
    fields = line.fields.get("task")
    return TestedTask.of(fields) if isinstance(fields, dict) else None


def _generation(line: _Line) -> GenerationRecord | None:
    """Return what the summary says about the generation; values of other types are left out."""
    from pydantic import TypeAdapter, ValidationError

    own = {name: line.fields[name] for name in _GENERATION if name in line.fields}
    adapter = TypeAdapter(GenerationRecord)
    try:
        return adapter.validate_python(own) if own else None
    except ValidationError as error:
        strange = {found["loc"][0] for found in error.errors(include_url=False)}
        return adapter.validate_python({k: v for k, v in own.items() if k not in strange})


def _summary(path: Path, count: int) -> list[_Line]:
    """Return the summary's lines by position; a run without a summary has empty ones."""
    lines: list[_Line] = [_Line({}) for _ in range(count)]
    for place, record in enumerate(read_records(path) if path.is_file() else ()):
        index = _index(record, place)
        if index >= count:
            raise InputError(f"{record.place}: index {index}, but there are {count} questions")
        lines[index] = _Line(
            {
                key: clean(value) if isinstance(value, str) else value
                for key, value in record.fields.items()
            }
        )
    return lines


def _index(record: Record, place: int) -> int:
    value = record.fields.get("index", place)
    if not isinstance(value, int) or value < 0:
        raise InputError(f"{record.place}: index must be a whole number from 0")
    return value
