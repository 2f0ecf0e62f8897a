"""Ask all questions, some at a time, and write the runs' files; continue where one was killed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.generation.answer import Answer, CostLimitError
from sqlobs.evaluation.generation.directory import (
    ANSWERS,
    PROGRESS,
    Calls,
    finish,
    new_directory,
    retried,
    unfinished,
)
from sqlobs.evaluation.generation.plan import Plan
from sqlobs.evaluation.resumption import Progress, digest_of
from sqlobs.evaluation.watching import Unwatched
from sqlobs.runs.case import GenerationRecord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.generation.answer import System
    from sqlobs.evaluation.generation.directory import Generation
    from sqlobs.evaluation.watching import Watcher

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
    is_retry: bool = False
    """Ask only the questions that failed in the newest finished run of the same plan."""


def generate_runs(
    plan: Plan,
    open_system: Callable[[Path], System],
    root: Path,
    settings: GenerationSettings,
    *,
    watcher: Watcher | None = None,
) -> Generation:
    """Ask all questions of a plan and write its runs below `root`.

    An unfinished generation of the same plan is continued: no answered question is sent again.

    Args:
        plan: The questions with their references, and how often they are asked.
        open_system: Returns what answers, for a directory in which it may keep files.
        root: The folder of runs.
        settings: How.
        watcher: Receives the progress.

    Raises:
        CostLimitError: questions remain, and the next call could exceed the cost limit.
        InputError: a retry finds no finished run, or the directory cannot be made.
    """
    digest = digest_of((settings.source, *plan.runs, *plan.tasks))
    directory = unfinished(root, digest)
    if directory is None:
        directory = retried(root, digest, plan) if settings.is_retry else new_directory(root, plan)
    watching, path = watcher or Unwatched(), directory / PROGRESS
    with Progress(path, digest, ANSWERS) as progress, Calls(directory) as calls:
        watching.begin(total=len(plan.tasks), finished=len(progress.finished))
        asking = _Asking(open_system(directory), settings, calls)
        try:
            answers = asyncio.run(_all_answers(plan.tasks, asking, progress, watching))
        finally:
            watching.end()
        found = finish(directory, plan, answers, digest=digest, calls=calls)
        progress.remove()
    return found


def generate_run(
    cases: Sequence[Case],
    system: System,
    root: Path,
    settings: GenerationSettings,
    *,
    watcher: Watcher | None = None,
) -> Path:
    """Ask each question once and return the directory `run_YYYYMMDD_HHMMSS` with the answers.

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
    plan = Plan.of(cases)
    return generate_runs(plan, lambda _: system, root, settings, watcher=watcher).directory


@dataclass(frozen=True, slots=True)
class _Asking:
    """A system, and how it is asked."""

    system: System
    settings: GenerationSettings
    calls: Calls


async def _all_answers(
    tasks: Sequence[Case], asking: _Asking, progress: Progress[Answer], watcher: Watcher
) -> dict[int, Answer]:
    answers = dict(progress.finished)
    waiting = [task for task in tasks if task.index not in answers]
    try:
        async for answer in _answers(waiting, asking):
            answers[answer.index] = answer
            progress.add([answer])
            watcher.advance(is_good=answer.record.status == "answered")
    except CostLimitError as error:
        raise CostLimitError(
            f"stopped at the cost limit: {error}; {len(answers)} of {len(tasks)} questions are"
            f" answered, {len(tasks) - len(answers)} remain. Repeat the command with a higher"
            " --max-cost to ask them"
        ) from None
    finally:
        await asking.system.close()
    return answers


async def _answers(tasks: Sequence[Case], asking: _Asking) -> AsyncIterator[Answer]:
    """Yield answers as they come, with a bounded number of questions in progress.

    Raises:
        CostLimitError: once every call under way is answered.
    """
    waiting = list(reversed(tasks))
    under_way: set[asyncio.Task[Answer]] = set()
    limit: CostLimitError | None = None
    try:
        while under_way or (waiting and limit is None):
            while waiting and limit is None and len(under_way) < asking.settings.concurrency:
                under_way.add(asyncio.create_task(_answer(waiting.pop(), asking)))
            done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                fault = task.exception()
                if fault is None:
                    yield task.result()
                elif isinstance(fault, CostLimitError):
                    limit = fault
                else:
                    raise fault
    finally:
        for task in under_way:
            task.cancel()
    if limit is not None:
        raise limit


async def _answer(case: Case, asking: _Asking) -> Answer:
    """Ask one question; an error or no answer in time is an answer, too.

    Raises:
        CostLimitError: the question was not asked.
    """
    started, timeout_s = perf_counter(), asking.settings.timeout_s
    asking.calls.begin(case.index)
    try:
        return await asyncio.wait_for(asking.system.ask(case), timeout_s)
    except CostLimitError:
        raise
    except TimeoutError:
        record = GenerationRecord(status="timeout", error=f"no answer within {timeout_s:g} s")
    except Exception as error:  # noqa: BLE001 - whatever the system does is data
        text = f"{type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]
        record = GenerationRecord(status="error", error=text)
    elapsed_s = round(perf_counter() - started, 6)
    return Answer(case.index, None, replace(record, total_execution_time=elapsed_s))
