"""Evaluates a set of cases from start to end: connect, evaluate, write the run's files."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError, InputError
from sqlobs.evaluation.batch_judging import TICKET, BatchJudge
from sqlobs.evaluation.databases import Databases
from sqlobs.evaluation.evaluator import CaseEvaluator
from sqlobs.evaluation.frames import FRAMES, Frames, has_frames
from sqlobs.evaluation.judge_store import JudgeStore
from sqlobs.evaluation.judging import CaseJudge
from sqlobs.evaluation.loading.run_files import (
    GOLD,
    PREDICTIONS,
    first_reference,
    write_statements,
)
from sqlobs.evaluation.rescoring import (
    cases_of_rows,
    remember,
    remembered,
    with_execution,
    with_timings,
)
from sqlobs.evaluation.resumption import Lines, Progress, belongs_to, held
from sqlobs.evaluation.runner import evaluate_cases
from sqlobs.evaluation.session_record import described, session_digest, spent_on, versions
from sqlobs.evaluation.stored_results import Origin, StoredResults
from sqlobs.evaluation.watching import Unwatched
from sqlobs.execution.executor import Executor
from sqlobs.metrics.text_match import canonical_text
from sqlobs.runs.lines import KnownLines, case_of, read_cases
from sqlobs.runs.run import DETAILS, EVALUATION, Run
from sqlobs.scores.techniques import technique_declarations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.session_settings import SessionSettings
    from sqlobs.evaluation.watching import Watcher
    from sqlobs.runs.case import CaseResult, CheckSummary, Value

CANON: Final = "canon"
PROGRESS: Final = "details.partial.jsonl"
_MEMORY_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Address space of a worker: DuckDB wants much of it for wide tables; engines hold less."""


def evaluate_run(
    cases: Sequence[Case],
    directory: Path,
    settings: SessionSettings,
    *,
    watcher: Watcher | None = None,
) -> Run:
    """Evaluate cases and write `eval/` below a run's directory; an interrupted run resumes.

    Args:
        cases: The run's cases.
        directory: The run's directory; its name is the run's.
        settings: Where and how.
        watcher: Receives the progress.

    Raises:
        ConfigError: a database cannot be reached.
        InputError: a case names no database although the DSN wants one, or another evaluation
            writes to the directory.
        SchemaUnavailableError: a catalog cannot be read.
    """
    watching = watcher or Unwatched()
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    folder = directory / EVALUATION
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.enter_context(held(folder))
        frames = _frames(settings, folder, stack)
        earlier = _earlier(settings, folder)
        digest = session_digest(cases, settings)
        is_resumed = belongs_to(folder / PROGRESS, digest)
        judge = _judge(cases, settings, folder, stack, is_resumed=is_resumed)
        evaluator = _evaluator(cases, settings, stack, judge=judge, frames=frames, earlier=earlier)
        before = _nothing if frames is None else frames.commit
        lines = KnownLines()
        kept = Lines(lines.line_of, case_of)
        progress = stack.enter_context(Progress(folder / PROGRESS, digest, kept, before=before))
        watching.begin(total=len(cases), finished=len(progress.finished))
        stack.callback(watching.end)
        rows = evaluate_cases(
            cases,
            evaluator.evaluate_some,
            workers=_threads(settings),
            progress=None if isinstance(judge, BatchJudge) else progress,
            on_row=lambda row: watching.advance(is_good=row.is_match),
            on_stop=evaluator.stop,
        )
        if isinstance(judge, BatchJudge):
            rows = judge.settled(rows)
        if settings.is_rescored:
            rows = [with_timings(*pair) for pair in zip(rows, earlier, strict=True)]
        elif earlier:
            rows = with_execution(rows, earlier)
        run = Run(
            name=directory.resolve().name,
            cases=tuple(rows),
            settings={**described(settings, directory, earlier), **spent_on(judge)},
            calibrations=settings.calibrations,
            versions=versions(),
            metrics=(
                *technique_declarations(settings.evaluator.scores.further),
                *(metric.declaration for metric in settings.evaluator.metrics),
            ),
            left_out=settings.left_out,
            started_at=started_at,
        )
        _write_canon(cases, folder / CANON)
        run.write(directory, write_case=lines.line_of)
        progress.remove()
    return run


def rescore_run(
    directory: Path, settings: SessionSettings, *, watcher: Watcher | None = None
) -> Run:
    """Evaluate a run again from its stored results: other scores, judges or reports, no execution.

    Args:
        directory: The run's directory, which was evaluated.
        settings: How; its `place` and `workers` do not matter.
        watcher: Receives the progress.

    Raises:
        InputError: the run was not evaluated, or its results are not stored.
    """
    if settings.evaluator.timing_runs:
        raise InputError("--ves times executions; evaluate the run again with --dsn")
    earlier = Run.read(directory)
    if not earlier.cases:
        raise InputError(f"{directory}: the run has no cases")
    if all(row.decided_by == "tests" for row in earlier.cases):
        raise InputError(
            f"{directory}: its cases were decided by test cases, which leave no results to score"
            " again; run them again with --input and --run-test-cases, or show the run with"
            " `sqlobs report`"
        )
    settings = replace(
        settings,
        is_rescored=True,
        left_out=earlier.left_out,
        system=settings.system or _text(earlier.settings.get("model")),
        system_type=settings.system_type or _text(earlier.settings.get("model_type")),
    )
    return evaluate_run(cases_of_rows(earlier.cases), directory, settings, watcher=watcher)


def _text(setting: Value) -> str | None:
    return None if setting is None else str(setting)


def _nothing() -> None:
    """Do nothing: no results are stored."""


def _frames(settings: SessionSettings, folder: Path, stack: ExitStack) -> Frames | None:
    """Open the stored results; without them, those of earlier evaluations are deleted."""
    path = folder / FRAMES
    if settings.is_rescored and not path.is_file():
        raise InputError(f"{path} does not exist; evaluate the run with --dsn first")
    if settings.is_rescored and not has_frames(path):
        raise InputError(
            f"{path} is damaged or of another version; evaluate the run with --dsn again"
        )
    if settings.frames_bytes or settings.is_rescored:
        return stack.enter_context(Frames(path, most_bytes=settings.frames_bytes))
    path.unlink(missing_ok=True)
    return None


def _earlier(settings: SessionSettings, folder: Path) -> tuple[CaseResult, ...]:
    """Return the rows of an earlier evaluation, where this one executes nothing."""
    details = folder / DETAILS
    is_kept = settings.is_rescored or settings.place is None or not settings.evaluator.with_esm
    return tuple(read_cases(details)) if is_kept and details.is_file() else ()


def _judge(
    cases: Sequence[Case],
    settings: SessionSettings,
    folder: Path,
    stack: ExitStack,
    *,
    is_resumed: bool,
) -> CaseJudge | BatchJudge | None:
    if settings.judge is None:
        return None
    if _are_tasks(cases):
        raise ConfigError("a judge needs results, which test cases do not leave; omit the judge")
    has_results = settings.place is not None or settings.is_rescored
    if not has_results or not settings.evaluator.with_esm:
        raise ConfigError("a judge needs results; give --dsn, and omit --no-esm")
    if settings.judge.is_batch:
        return BatchJudge(settings.judge, folder, is_resumed=is_resumed)
    if (folder / TICKET).exists():
        raise ConfigError(
            f"{folder / TICKET}: the answers of an interrupted batch are not fetched; add"
            " --judge-batch to fetch them, or delete the file to pay for them again"
        )
    store = JudgeStore(folder, is_resumed=is_resumed)
    return stack.enter_context(CaseJudge(settings.judge, store))


def _threads(settings: SessionSettings) -> int:
    """Return how many cases are in progress: statements wait for workers, verdicts for a server."""
    judge = settings.judge
    waiting = 0 if judge is None or judge.is_batch else judge.concurrency
    return settings.workers + waiting


def _evaluator(
    cases: Sequence[Case],
    settings: SessionSettings,
    stack: ExitStack,
    *,
    judge: CaseJudge | BatchJudge | None,
    frames: Frames | None,
    earlier: Sequence[CaseResult],
) -> CaseEvaluator:
    asked = settings.evaluator
    if settings.is_rescored and frames is not None:
        databases, stored = remembered(frames, settings.schema)
        checks = {} if settings.schema is not None else _checks(earlier)
        return CaseEvaluator(databases, None, asked, judge=judge, results=stored, checks=checks)
    if settings.place is None:
        schemas = {case.db: settings.schema for case in cases} if settings.schema else {}
        return CaseEvaluator(Databases(targets={}, schemas=schemas), None, asked)
    databases = Databases.of(
        settings.place, cases, functions=settings.functions, access=settings.access
    )
    if _are_tasks(cases):
        databases = _with_schemas(databases, cases, settings)
        return CaseEvaluator(databases, None, asked)  # a database in use cannot be copied
    executor = Executor(databases.distinct, workers=settings.workers, memory_bytes=_MEMORY_BYTES)
    stack.enter_context(executor)
    databases.require_reachable(executor, asked.limits)
    databases = _with_schemas(databases, cases, settings)
    if not asked.with_esm:
        return CaseEvaluator(databases, None, asked, judge=judge)
    results = None if frames is None else _stored(databases, executor, frames, settings)
    return CaseEvaluator(databases, executor, asked, judge=judge, results=results)


def _are_tasks(cases: Sequence[Case]) -> bool:
    """Return whether test cases decide all cases."""
    return bool(cases) and all(case.task is not None for case in cases)


def _with_schemas(
    databases: Databases, cases: Sequence[Case], settings: SessionSettings
) -> Databases:
    """Return the databases with the given schema, or those of their catalogs if they are used."""
    if settings.schema is not None:
        schemas = dict.fromkeys(databases.targets, settings.schema)
        return Databases(targets=databases.targets, schemas=schemas)
    asked = settings.evaluator
    if (asked.with_check or asked.with_local_engine) and databases.has_catalogs:
        return databases.with_schemas({case.db for case in cases})
    return databases


def _stored(
    databases: Databases, executor: Executor, frames: Frames, settings: SessionSettings
) -> StoredResults:
    version = settings.data_version
    origins = {each.alias: Origin.of(each, version=version) for each in databases.distinct}
    remember(databases, origins, frames)
    return StoredResults(frames, origins, executor)


def _checks(rows: Sequence[CaseResult]) -> dict[int, CheckSummary]:
    return {row.index: row.check for row in rows if row.check is not None}


def _write_canon(cases: Sequence[Case], folder: Path) -> None:
    """Write the texts that exact match compares, a statement a line."""
    folder.mkdir(exist_ok=True)
    write_statements(folder / GOLD, (_canonical(first_reference(case)) for case in cases))
    write_statements(folder / PREDICTIONS, (_canonical(case.predicted_sql) for case in cases))


def _canonical(sql: str | None) -> str | None:
    return None if sql is None else canonical_text(sql)
