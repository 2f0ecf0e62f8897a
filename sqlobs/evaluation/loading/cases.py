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
from sqlobs.evaluation.loading.omissions import NO_NAME, Omission
from sqlobs.evaluation.loading.predictions import nothing_left, read_predictions
from sqlobs.evaluation.loading.records import read_records
from sqlobs.evaluation.loading.run_files import is_run_directory, read_run_directory, without_task
from sqlobs.evaluation.loading.tasks import needs_tests, tasks_of
from sqlobs.evaluation.loading.text import read_lines
from sqlobs.evaluation.statements import predicted_of, references_of
from sqlobs.evaluation.tasks.task import TestedTask, joined, statements_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sqlobs.evaluation.gold_results import GoldResult
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
    dialects: Mapping[str, str | None] = field(default_factory=dict)
    """The dialect of each named database, where these have their own."""
    has_other_databases: bool = True
    """Whether cases may be for databases beyond the named ones; else those are left out."""
    with_references: bool = True
    """Whether references are read; without them, every statement is a prediction."""
    is_template: bool = False
    """`;` parts alternatives in a reference, `{a, b}` stands for any of the columns."""
    most: int | None = None
    """Only so many cases, from the first."""
    results: Mapping[str, tuple[GoldResult, ...]] = field(default_factory=dict)
    """Correct results by the case's id, in place of references."""
    with_tests: bool = False
    """Tasks of LiveSQLBench are decided by their test cases, which are code."""

    def dialect_of(self, db: str | None) -> str | None:
        """Return the dialect of a case's database."""
        return self.dialect if db is None else self.dialects.get(db, self.dialect)

    def omission(self, db: str | None, dialect: str | None = None) -> Omission | None:
        """Return why a case is left out: no target has its name, or it is for another dialect."""
        if not self.has_other_databases and db not in self.dialects:
            return Omission("no_target", db or NO_NAME)
        own = self.dialect_of(db)
        if dialect is None or own in {None, dialect}:
            return None
        return Omission("other_dialect", dialect)


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
    left_out: Mapping[Omission, int] = field(default_factory=dict)
    """The number of records that are no cases, by why."""
    predictions_left_out: Mapping[Omission, int] = field(default_factory=dict)
    positions: tuple[int, ...] = ()
    """The place of each case among all records."""
    untested: int = 0
    """Tasks with test cases or setup, which are run as plain statements."""

    def without_suites(self) -> CaseSet:
        """Return the cases on one database each: the files of a folder are not used."""
        return replace(self, cases=tuple(replace(case, suite=()) for case in self.cases))

    def with_predictions(self, path: Path, settings: LoadSettings) -> CaseSet:
        """Return the cases with the predictions of a file, joined by id or else by position.

        Raises:
            InputError: the file is broken, or belongs to other cases.
        """
        predictions = read_predictions(path, settings.columns, settings.dialect)
        own = predictions.at(self.positions, of=len(self.cases) + sum(self.left_out.values()))
        is_partial = settings.most is not None
        joined = own.joined_to(self.cases, is_partial=is_partial)
        alone = Counter() if is_partial else own.without_case(self.cases)
        return replace(
            self,
            cases=joined,
            has_predictions=True,
            predictions_left_out=Counter(predictions.left_out) + alone,
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
        return _from_lines(path, settings)
    no_sql: Counter[Omission] = Counter()
    records = as_cases(read_records(path), no_sql, with_references=settings.with_references)
    found = cases_of_records(turns_of(tasks_of(records)), settings)
    found = replace(found, left_out=no_sql + Counter(found.left_out))
    if not (found.cases or may_be_empty):
        raise InputError(nothing_left(path, "case", found.left_out, settings.dialect))
    return found


def cases_of_records(records: Iterable[Record], settings: LoadSettings) -> CaseSet:
    """Return the cases of records, up to the limit; no further record is read.

    Raises:
        InputError: a record lacks a field that the user named.
    """
    left_out: Counter[Omission] = Counter()
    own = islice(_own(records, settings, left_out), settings.most)
    cases: list[Case] = []
    positions: list[int] = []
    has_predictions = has_references = False
    untested = 0
    fields: tuple[str, ...] = ()
    for index, (position, record) in enumerate(own):
        fields = fields or tuple(filter(None, record.fields))
        has_references = has_references or bool(
            settings.results or settings.columns.has(record, "solution")
        )
        has_predictions = has_predictions or _has_prediction(record, settings)
        cases.append(_case(index, record, settings))
        positions.append(position)
        untested += not settings.with_tests and needs_tests(record)
    return CaseSet(
        cases=numbered(cases),
        has_predictions=has_predictions,
        has_references=has_references,
        fields=fields,
        untested=untested,
        left_out=left_out,
        positions=tuple(positions),
    )


def _own(
    records: Iterable[Record], settings: LoadSettings, left_out: Counter[Omission]
) -> Iterator[tuple[int, Record]]:
    """Yield the records that can run, with their places, and count the others."""
    for position, record in enumerate(records):
        omission = _omission(record, settings)
        if omission is None:
            yield position, record
        else:
            left_out[omission] += 1


def _kept(cases: Iterable[Case], settings: LoadSettings, *, has_predictions: bool) -> CaseSet:
    """Return the cases that have a target, up to the limit."""
    held = list(cases)
    omissions = [settings.omission(case.db) for case in held]
    own = [case for case, found in zip(held, omissions, strict=True) if found is None]
    chosen = own[: settings.most]
    return CaseSet(
        cases=tuple(replace(case, index=index) for index, case in enumerate(chosen)),
        has_predictions=has_predictions,
        left_out=Counter(found for found in omissions if found is not None),
        positions=tuple(case.index for case in chosen),
    )


def _from_directory(path: Path, settings: LoadSettings) -> CaseSet:
    if is_run_directory(path):
        cases = read_run_directory(
            path,
            is_template=settings.is_template,
            with_references=settings.with_references,
            with_tests=True,
            results=settings.results,
        )
        if settings.with_tests:
            return _kept(cases, settings, has_predictions=True)
        found = _kept(map(without_task, cases), settings, has_predictions=True)
        return replace(found, untested=sum(case.task is not None for case in cases))
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


def _from_lines(path: Path, settings: LoadSettings) -> CaseSet:
    """Return a case a line; if all lines name a database, blank lines part turns of dialogues."""
    lines = list(enumerate(read_lines(path), start=1))
    held = [(number, line) for number, line in lines if line.strip()]
    has_dialogues = len(held) < len(lines) and all("\t" in line for _, line in held)
    cases = [
        replace(
            _of_line(index, line, settings),
            dialogue=str(number - index) if has_dialogues else None,
        )
        for index, (number, line) in enumerate(held if has_dialogues else lines)
    ]
    return _kept(numbered(cases), settings, has_predictions=not settings.with_references)


def _of_line(index: int, line: str, settings: LoadSettings) -> Case:
    """Return the case of a line: a statement, in Spider's files with a tab and the database."""
    sql, _, name = line.rpartition("\t") if "\t" in line else (line, "", "")
    db = name.strip() or None
    if not settings.with_references:
        answer = predicted_of(sql, dialect=settings.dialect_of(db))
        return Case(index=index, has_reference=False, predicted_sql=answer, db=db)
    found = _references(sql, db, settings)
    return Case(index=index, references=found or (), has_reference=found is not None, db=db)


def _omission(record: Record, settings: LoadSettings) -> Omission | None:
    db = next(iter(settings.columns.texts(record, "db")), None)
    found = settings.omission(db, settings.columns.text(record, "dialect"))
    if found is not None or not settings.with_references:
        return found
    own, solution = settings.dialect_of(db), settings.columns.find(record, "solution")
    if own is not None and isinstance(solution, dict) and own not in solution:
        return Omission("other_dialect", ", ".join(map(str, solution)) or "no dialect")
    return None


def _case(index: int, record: Record, settings: LoadSettings) -> Case:
    columns = settings.columns
    databases = columns.texts(record, "db")
    db = next(iter(databases), None)
    results = settings.results.get(columns.text(record, "id") or str(index), ())
    has_given = settings.with_references and not results
    given = columns.find(record, "solution") if has_given else None
    try:
        references = _references(given, db, settings)
    except InputError as error:
        raise InputError(f"{record.place}: {error}") from None
    task = TestedTask.of(record.fields) if settings.with_tests else None
    is_decided = bool(results) or (task is not None and task.is_decidable)
    return Case(
        index=index,
        references=references or (),
        has_reference=references is not None or is_decided,
        results=results,
        task=task,
        predicted_sql=_prediction(record, db, settings),
        id=columns.text(record, "id"),
        question=columns.text(record, "question"),
        difficulty=columns.text(record, "difficulty"),
        category=columns.text(record, "category"),
        db=db,
        suite=databases[1:],
        dialogue=columns.text(record, "dialogue"),
        turn=columns.number(record, "turn"),
        hint=columns.text(record, "context"),
    )


def _has_prediction(record: Record, settings: LoadSettings) -> bool:
    if settings.with_references:
        return settings.columns.has(record, "prediction")
    return settings.columns.has_answer(record)


def _prediction(record: Record, db: str | None, settings: LoadSettings) -> str | None:
    columns = settings.columns
    is_answer = not settings.with_references and columns.has_answer(record)
    value = columns.answer(record) if is_answer else columns.find(record, "prediction")
    if settings.with_tests and isinstance(value, list):
        return joined(statements_of(value))
    found = predicted_of(value, dialect=settings.dialect_of(db))
    return None if found is None else clean(found)


def _references(value: object, db: str | None, settings: LoadSettings) -> tuple[str, ...] | None:
    found = references_of(value, dialect=settings.dialect_of(db), is_template=settings.is_template)
    return None if found is None else tuple(map(clean, found))
