"""Cases from a file or folder, whatever its form, and the predictions that belong to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.loading.collected import as_cases
from sqlobs.evaluation.loading.columns import Columns, clean
from sqlobs.evaluation.loading.dialogues import numbered, turns_of
from sqlobs.evaluation.loading.folder_databases import FolderDatabases
from sqlobs.evaluation.loading.predictions import nothing_left, read_predictions
from sqlobs.evaluation.loading.records import read_records
from sqlobs.evaluation.loading.run_files import is_run_directory, read_run_directory
from sqlobs.evaluation.loading.text import read_lines
from sqlobs.evaluation.statements import predicted_of, references_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sqlobs.evaluation.loading.records import Record

_BENCHMARK_FILES: Final = ("dev.json", "mini_dev_sqlite.json", "mini_dev.json", "test.json")
_DATABASE_FOLDERS: Final = ("database", "dev_databases", "databases", "test_database")
"""Of Spider, BIRD and their kin: each holds a folder a database with a file of the same name."""

_STATEMENT_SUFFIXES: Final = (".sql", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSettings:
    """How files are read."""

    columns: Columns = field(default_factory=Columns)
    dialect: str | None = None
    """Picks the statements of a mapping by dialect; records of another dialect are left out."""
    is_template: bool = False
    """`;` parts alternatives in a reference, `{a, b}` stands for any of the columns."""
    most: int | None = None
    """Only so many cases, from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet:
    """Cases, and the information that their source has about them."""

    cases: tuple[Case, ...]
    has_predictions: bool
    has_references: bool = True
    """The records have a field for them, even if it is empty."""
    fields: tuple[str, ...] = ()
    """The fields of the first record."""
    dsn: str | Mapping[str, str] | None = None
    """The DSN of a benchmark's databases, with `{db}` in it; with test suites, each file's."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The number of records skipped because they are for another dialect, by its name."""
    predictions_left_out: Mapping[str, int] = field(default_factory=dict)

    def without_suites(self) -> CaseSet:
        """Return the cases on one database each: the files of a folder are not used."""
        return replace(self, cases=tuple(replace(case, suite=()) for case in self.cases))

    def with_predictions(self, path: Path, settings: LoadSettings) -> CaseSet:
        """Return the cases with the predictions of a file, joined by id or else by position.

        Raises:
            InputError: the file is broken, or belongs to other cases.
        """
        predictions = read_predictions(path, settings.columns, settings.dialect)
        joined = predictions.joined_to(self.cases, is_partial=settings.most is not None)
        return replace(
            self, cases=joined, has_predictions=True, predictions_left_out=predictions.left_out
        )


def load_cases(path: Path, settings: LoadSettings, *, may_be_empty: bool = False) -> CaseSet:
    """Read cases from a run directory, a benchmark's folder, or a file.

    Args:
        path: The file or folder.
        settings: How it is read.
        may_be_empty: Accept a file without a case: a collector's export may have corrected SQL of
            users and no reference.

    Raises:
        InputError: it has none of the known forms, or is broken; the message names the place.
    """
    if path.is_dir():
        return _from_directory(path, settings)
    if path.suffix.lower() in _STATEMENT_SUFFIXES:
        return CaseSet(cases=numbered(_from_lines(path, settings)), has_predictions=False)
    found = cases_of_records(turns_of(as_cases(read_records(path))), settings)
    if not (found.cases or may_be_empty):
        raise InputError(nothing_left(path, "case", found.left_out, settings.dialect))
    return found


def cases_of_records(records: Iterable[Record], settings: LoadSettings) -> CaseSet:
    """Return the cases of records, up to the limit; no further record is read.

    Raises:
        InputError: a record lacks a field that the user named.
    """
    left_out: Counter[str] = Counter()
    own = islice(_own(records, settings, left_out), settings.most)
    cases: list[Case] = []
    has_predictions = has_references = False
    fields: tuple[str, ...] = ()
    for index, record in enumerate(own):
        fields = fields or tuple(filter(None, record.fields))
        has_references = has_references or settings.columns.has(record, "solution")
        has_predictions = has_predictions or settings.columns.has(record, "prediction")
        cases.append(_case(index, record, settings))
    return CaseSet(
        cases=numbered(cases),
        has_predictions=has_predictions,
        has_references=has_references,
        fields=fields,
        left_out=left_out,
    )


def _own(
    records: Iterable[Record], settings: LoadSettings, left_out: Counter[str]
) -> Iterator[Record]:
    """Yield the records for the dialect, and count the others by theirs."""
    for record in records:
        other = _other_dialect(record, settings)
        if other is None:
            yield record
        else:
            left_out[other] += 1


def _from_directory(path: Path, settings: LoadSettings) -> CaseSet:
    if is_run_directory(path):
        cases = read_run_directory(path, is_template=settings.is_template)
        return CaseSet(cases=cases[: settings.most], has_predictions=True)
    name = next((name for name in _BENCHMARK_FILES if (path / name).is_file()), None)
    if name is None:
        raise InputError(
            f"{path}: neither gold.txt and preds.txt nor one of {', '.join(_BENCHMARK_FILES)}"
        )
    folder = next((name for name in _DATABASE_FOLDERS if (path / name).is_dir()), None)
    place = path.resolve() / (folder or "")
    found = load_cases(path / name, settings)
    return found if folder is None else _on_databases(found, place)


def _on_databases(found: CaseSet, folder: Path) -> CaseSet:
    """Return cases that run on the databases of a folder, and on their test suites."""
    databases = FolderDatabases.of(folder, {case.db for case in found.cases if case.db})
    cases = (
        replace(case, suite=case.suite or databases.suites.get(case.db or "", ()))
        for case in found.cases
    )
    return replace(found, cases=tuple(cases), dsn=databases.dsn)


def _from_lines(path: Path, settings: LoadSettings) -> Iterable[Case]:
    """Yield a case a line: the statement, in Spider's files with a tab and the database behind.

    If all lines name a database, blank lines part the turns of dialogues.
    """
    lines = list(enumerate(read_lines(path), start=1))
    held = [(number, line) for number, line in lines if line.strip()]
    has_dialogues = len(held) < len(lines) and all("\t" in line for _, line in held)
    for index, (number, line) in enumerate((held if has_dialogues else lines)[: settings.most]):
        sql, _, db = line.rpartition("\t") if "\t" in line else (line, "", "")
        yield Case(
            index=index,
            references=_references(sql, f"{path}, line {number}", settings),
            db=db.strip() or None,
            dialogue=str(number - index) if has_dialogues else None,
        )


def _other_dialect(record: Record, settings: LoadSettings) -> str | None:
    """Return the dialect that a record is for; None if it is the target's, or says of none."""
    if settings.dialect is None:
        return None
    own = settings.columns.text(record, "dialect")
    if own is not None and own != settings.dialect:
        return own
    solution = settings.columns.find(record, "solution")
    if isinstance(solution, dict) and settings.dialect not in solution:
        return ", ".join(map(str, solution)) or "no dialect"
    return None


def _case(index: int, record: Record, settings: LoadSettings) -> Case:
    columns = settings.columns
    databases = columns.texts(record, "db")
    return Case(
        index=index,
        references=_references(columns.find(record, "solution"), record.place, settings),
        predicted_sql=_prediction(record, settings),
        id=columns.text(record, "id"),
        question=columns.text(record, "question"),
        difficulty=columns.text(record, "difficulty"),
        db=databases[0] if databases else None,
        suite=databases[1:],
        dialogue=columns.text(record, "dialogue"),
        turn=columns.number(record, "turn"),
        hint=columns.text(record, "context"),
    )


def _prediction(record: Record, settings: LoadSettings) -> str | None:
    value = settings.columns.find(record, "prediction")
    found = predicted_of(value, dialect=settings.dialect)
    return None if found is None else clean(found)


def _references(value: object, place: str, settings: LoadSettings) -> tuple[str, ...]:
    found = references_of(
        value, place=place, dialect=settings.dialect, is_template=settings.is_template
    )
    return tuple(map(clean, found))
