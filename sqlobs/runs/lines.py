"""A case as one line of `details.jsonl`, in both directions.

The line begins with the fields of the evaluation pipeline's document (`gold`, `pred`, `em`, `esm`,
`bucket`, …), for programs that read those; everything else follows under our own names.
"""

from __future__ import annotations

import json
from dataclasses import fields as fields_of
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.runs.case import (
    CaseResult,
    CheckFinding,
    CheckSummary,
    ClauseMatch,
    EngineVerdict,
    GenerationRecord,
    JudgeVerdict,
    Probabilities,
    ResultDifference,
    RunOutcome,
    TimedRuns,
)
from sqlobs.runs.request import Feedback, RequestRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pydantic import TypeAdapter

_FIRST: Final = ("index", "id", "question", "difficulty", "db")
_DERIVED: Final = ("esm", "gold_ms", "pred_ms", "gold_rows", "pred_rows")
_RENAMED: Final = {"gold": "reference_sql", "pred": "predicted_sql"}
_ROWS: Final = frozenset(
    (
        *(CheckFinding, CheckSummary, ClauseMatch, EngineVerdict, Feedback, GenerationRecord),
        *(JudgeVerdict, Probabilities, RequestRecord, ResultDifference, RunOutcome, TimedRuns),
    )
)
_REASON_CHARACTERS: Final = 200


def line_of(case: CaseResult) -> str:
    """Return a case as one line of JSON, without the line break."""
    return _ENCODER.encode(_document(case))


class KnownLines:
    """The lines of cases, each written once: a run writes its rows as progress and as details."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[CaseResult, str]] = {}

    def line_of(self, case: CaseResult) -> str:
        """Return the line of a case, the same text as the function of this name."""
        known, line = self._lines.get(case.index, (None, ""))
        if known is not case:
            line = line_of(case)
            self._lines[case.index] = case, line
        return line


def case_document(case: CaseResult) -> dict[str, object]:
    """Return a case as JSON can hold it, the evaluation pipeline's fields first."""
    return {name: _plain(value) for name, value in _document(case).items()}


def _document(case: CaseResult) -> dict[str, object]:
    """Return the fields of a case; those of the values in it are left to the encoder."""
    fields = _fields(case)
    seed = {
        "gold": fields.pop("reference_sql"),
        "pred": fields.pop("predicted_sql"),
        "em": case.em,
        "esm": case.esm,
        "bucket": case.bucket,
        "reason": case.reason,
        "gold_ms": case.reference and case.reference.elapsed_ms,
        "pred_ms": case.predicted and case.predicted.elapsed_ms,
        "gold_rows": case.reference and case.reference.rows,
        "pred_rows": case.predicted and case.predicted.rows,
    }
    ordered = {name: fields.pop(name) for name in _FIRST} | seed
    return ordered | {k: v for k, v in fields.items() if k not in seed}


def case_of(line: str) -> CaseResult:
    """Return the case of a line; fields that this version does not know are left out.

    Raises:
        InputError: the line is not a JSON object, or one of its fields has a wrong type.
    """
    from pydantic import ValidationError

    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({json_fault(error)})") from None
    if not isinstance(fields, dict):
        raise InputError("not a JSON object")
    own = {_RENAMED.get(name, name): fields[name] for name in fields if name not in _DERIVED}
    try:
        return _adapter().validate_python(own)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the object"
        raise InputError(f"{place}: {first['msg']}"[:_REASON_CHARACTERS]) from None


def json_fault(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a JSON text, without the place in it."""
    return str(error).partition(": line ")[0]


def read_cases(path: Path) -> Iterator[CaseResult]:
    """Yield the cases of a `details.jsonl` in the order of the file.

    Raises:
        InputError: the file cannot be read, or a line of it is broken; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield case_of(line)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None


def write_cases(
    path: Path, cases: Iterable[CaseResult], *, write: Callable[[CaseResult], str] = line_of
) -> None:
    """Write a `details.jsonl`, replacing what is there only once all is written."""
    beside = path.with_name(path.name + ".new")
    with beside.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write(case) + "\n" for case in cases)
    beside.replace(path)


def _fields(value: object) -> dict[str, object]:
    """Return a value's fields; `asdict` would copy all that is in them."""
    kind: type = type(value)
    names, values_of = _reader(kind)
    return dict(zip(names, values_of(value), strict=True))


def _plain(value: object) -> object:
    if type(value) in _ROWS:
        return {name: _plain(entry) for name, entry in _fields(value).items()}
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


@cache
def _reader(kind: type) -> tuple[tuple[str, ...], Callable[[object], tuple[object, ...]]]:
    """Return the names of a class's fields, and what reads all of them from a value."""
    names = tuple(field.name for field in fields_of(kind))
    return names, attrgetter(*names)


def _encoded(value: object) -> dict[str, object]:
    if type(value) in _ROWS:
        return _fields(value)
    raise TypeError(f"{type(value).__name__} is not part of a case")


_ENCODER: Final = json.JSONEncoder(default=_encoded)


@cache
def _adapter() -> TypeAdapter[CaseResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(CaseResult)
