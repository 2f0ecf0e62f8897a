"""Ask all questions, some at a time, and write the run's files; continue where one was killed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.generation.answer import Answer, answer_line, answer_of
from sqlobs.evaluation.loading.run_files import write_run
from sqlobs.evaluation.resumption import Lines, Progress, belongs_to, digest_of
from sqlobs.evaluation.watching import Unwatched
from sqlobs.runs.case import GenerationRecord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.generation.answer import System
    from sqlobs.evaluation.watching import Watcher

PROGRESS: Final = "generation.partial.jsonl"
_ANSWERS: Final = Lines(answer_line, answer_of)
_STAMP: Final = "run_%Y%m%d_%H%M%S"
_SHOWN_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationSettings:
    """How questions are sent to the system."""

    concurrency: int = 4
    """Questions in progress at a time."""
    timeout_s: float = 120.0
    """For each question."""
    source: str = ""
    """Names the system; a killed run of another one is not continued."""


def generate_run(
    cases: Sequence[Case],
    system: System,
    root: Path,
    settings: GenerationSettings,
    *,
    watcher: Watcher | None = None,
) -> Path:
    """Ask all questions and return the directory `run_YYYYMMDD_HHMMSS` with the answers.

    An unfinished run of the same questions below `root` is continued: no question is sent twice.

    Args:
        cases: Questions with their references.
        system: Answers the questions.
        root: The folder of runs.
        settings: How.
        watcher: Receives the progress.

    Raises:
        InputError: a case has no question.
    """
    silent = next((case for case in cases if not case.question), None)
    if silent is not None:
        raise InputError(f"case {silent.label} has no question")
    digest = digest_of((settings.source, *cases))
    directory = _unfinished(root, digest) or _new(root)
    with Progress(directory / PROGRESS, digest, _ANSWERS) as progress:
        watching = watcher or Unwatched()
        watching.begin(total=len(cases), finished=len(progress.finished))
        try:
            answers = asyncio.run(_all_answers(cases, system, settings, progress, watching))
        finally:
            watching.end()
        write_run(directory, [_answered(case, answers[case.index]) for case in cases])
        progress.remove()
    return directory


def _answered(case: Case, answer: Answer) -> Case:
    return replace(case, predicted_sql=answer.sql, generation=answer.record)


def _unfinished(root: Path, digest: str) -> Path | None:
    runs = sorted(root.glob(f"run_*/{PROGRESS}"), reverse=True)
    return next((path.parent for path in runs if belongs_to(path, digest)), None)


def _new(root: Path) -> Path:
    """Make a directory named after the present time, by the clock of this place."""
    directory = root / datetime.now().astimezone().strftime(_STAMP)
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{directory} exists: another run began within this second") from None
    except OSError as error:
        raise InputError(f"{directory}: {(error.strerror or 'no folder').lower()}") from None
    return directory


async def _all_answers(
    cases: Sequence[Case],
    system: System,
    settings: GenerationSettings,
    progress: Progress[Answer],
    watcher: Watcher,
) -> dict[int, Answer]:
    answers = dict(progress.finished)
    open_cases = [case for case in cases if case.index not in answers]
    try:
        async for answer in _answers(open_cases, system, settings):
            answers[answer.index] = answer
            progress.add([answer])
            watcher.advance(is_good=answer.record.status == "answered")
    finally:
        await system.close()
    return answers


async def _answers(
    cases: Sequence[Case], system: System, settings: GenerationSettings
) -> AsyncIterator[Answer]:
    """Yield answers as they come, with a bounded number of questions in progress."""
    waiting = list(reversed(cases))
    under_way: set[asyncio.Task[Answer]] = set()
    try:
        while waiting or under_way:
            while waiting and len(under_way) < settings.concurrency:
                asking = _answer(waiting.pop(), system, settings.timeout_s)
                under_way.add(asyncio.create_task(asking))
            done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in under_way:
            task.cancel()


async def _answer(case: Case, system: System, timeout_s: float) -> Answer:
    """Ask one question; an error or no answer in time is an answer, too."""
    started = perf_counter()
    try:
        return await asyncio.wait_for(system.ask(case), timeout_s)
    except TimeoutError:
        record = GenerationRecord(status="timeout", error=f"no answer within {timeout_s:g} s")
    except Exception as error:  # noqa: BLE001 - whatever the system does is data
        text = f"{type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]
        record = GenerationRecord(status="error", error=text)
    elapsed_s = round(perf_counter() - started, 6)
    return Answer(case.index, None, replace(record, total_execution_time=elapsed_s))
