"""Cases of a finished evaluation, scored again from stored results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.databases import Databases, redacted
from sqlobs.evaluation.stored_results import Origin, StoredResults
from sqlobs.execution.target import Target
from sqlobs.runs.case import NOT_ASKED
from sqlobs.scores.registry import TIMED_SCORES
from sqlobs.semconv.evaluations import LOCAL_ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.evaluation.frames import Frames
    from sqlobs.runs.case import CaseResult
    from sqlobs.schema.model import Schema

_EXECUTED: Final = (
    *("bucket", "reason", "matched_alternative", "scores", "unscored", "cell_mode", "assignment"),
    *("approximate", "mistake", "is_close", "reference", "predicted", "difference", "timed"),
    *("judge", "verdicts", "shape", "dialect"),
)
"""Fields of a row that an execution gives."""


def cases_of_rows(rows: Iterable[CaseResult]) -> tuple[Case, ...]:
    """Return the cases that gave these rows, without test cases and results of files."""
    return tuple(
        Case(
            index=row.index,
            has_reference=row.has_reference,
            references=tuple(sql for sql in row.references if sql is not None),
            predicted_sql=row.predicted_sql,
            id=row.id,
            question=row.question,
            sample_of=row.sample_of,
            difficulty=row.difficulty,
            category=row.category,
            db=row.db,
            suite=row.suite,
            dialogue=row.dialogue,
            turn=row.turn,
            hint=row.hint,
            generation=row.generation,
        )
        for row in rows
    )


def remember(databases: Databases, origins: Mapping[str, Origin], frames: Frames) -> None:
    """Store where the results of a run come from; no password is in it."""
    frames.remember_places(
        {
            name: {
                "alias": target.alias,
                "system": target.system,
                "url": redacted(target.url),
                "dialect": target.dialect,
                "identity": origins[target.alias].identity,
            }
            for name, target in databases.targets.items()
        }
    )


def remembered(frames: Frames, schema: Schema | None) -> tuple[Databases, StoredResults]:
    """Return the databases of a run as they were, and their results.

    Raises:
        InputError: no results are stored.
    """
    places = frames.places()
    if not places or not len(frames):
        raise InputError("the run has no stored results; evaluate it with --dsn first")
    targets = {
        name: Target(
            alias=place["alias"],
            system=place["system"],  # type: ignore[arg-type]  # as `remember` wrote it
            url=place["url"],
            spoken=place["dialect"],
        )
        for name, place in places.items()
    }
    origins = {
        place["alias"]: Origin(place["identity"], is_known=True) for place in places.values()
    }
    schemas = dict.fromkeys(targets, schema) if schema is not None else {}
    return Databases(targets=targets, schemas=schemas), StoredResults(frames, origins, None)


def with_timings(row: CaseResult, earlier: CaseResult) -> CaseResult:
    """Add to a row what only an execution gives: timed scores, test cases, results of files."""
    if earlier.decided_by != "reference":
        return earlier
    kept = {name: value for name, value in earlier.scores.items() if name in TIMED_SCORES}
    return replace(row, timed=earlier.timed, scores={**kept, **row.scores})


def with_execution(rows: Sequence[CaseResult], earlier: Sequence[CaseResult]) -> list[CaseResult]:
    """Add the results of an earlier execution to rows of the same statements that did not run."""
    before = {row.index: row for row in earlier}
    return [_executed(row, before.get(row.index)) for row in rows]


def _executed(row: CaseResult, before: CaseResult | None) -> CaseResult:
    if before is None or before.reason == NOT_ASKED or row.reason != NOT_ASKED:
        return row
    if _statements(row) != _statements(before):
        return row
    found = {name: getattr(before, name) for name in _EXECUTED}
    for name in ("scores", "unscored"):
        asked = {key: value for key, value in getattr(row, name).items() if key == LOCAL_ENGINE}
        found[name] = {k: v for k, v in found[name].items() if k != LOCAL_ENGINE} | asked
    return replace(row, **found)


def _statements(row: CaseResult) -> tuple[object, ...]:
    return row.references, row.predicted_sql, row.db, row.suite
