"""Runs a task in a process of its own, on a throw-away copy of the database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from sqlobs.errors import SqlobsError
from sqlobs.evaluation.tasks.copies import throw_away_copy
from sqlobs.evaluation.tasks.task import statements_of
from sqlobs.interpreter import boot_of, command
from sqlobs.scores.registry import SCORES

if TYPE_CHECKING:
    from sqlobs.evaluation.tasks.task import TestedTask
    from sqlobs.execution.target import Limits, Target
    from sqlobs.runs.case import Bucket, CaseResult

_BOOT: Final = boot_of("sqlobs.evaluation.tasks.program")
_MEMORY_BYTES: Final = 4 * 1024 * 1024 * 1024
_STATEMENTS: Final = 10
"""A task may take as long as so many statements that reach their limit."""
_START_S: Final = 30.0
_BUCKETS: Final[dict[str, Bucket]] = {
    "ok": "ok",
    "failed": "mismatch",
    "error": "pred_fail",
    "timeout": "timeout",
}
NO_TESTS: Final = "no_reference"
"""Neither test cases nor a solution: the public files keep them back."""
_SCORE: Final = SCORES["tests_pass"]


def tested_row(row: CaseResult, task: TestedTask, target: Target, limits: Limits) -> CaseResult:
    """Return a case's row with the outcome of its test cases."""
    if not task.is_decidable:
        return replace(row, bucket="skipped", reason=NO_TESTS, unscored={_SCORE.name: NO_TESTS})
    predicted = statements_of(row.predicted_sql)
    if not predicted:
        scores = {**row.scores, _SCORE.name: 0.0}
        return replace(row, bucket="skipped", reason="empty_prediction", scores=scores)
    try:
        with throw_away_copy(target) as place:
            status, reason = _run(_request(task, predicted, target, limits) | {"place": place})
    except SqlobsError as error:
        return replace(row, bucket="other_error", reason=str(error))
    bucket = _BUCKETS.get(status, "other_error")
    known = {} if bucket == "other_error" else {_SCORE.name: float(bucket == "ok")}
    return replace(row, bucket=bucket, reason=reason, scores={**row.scores, **known})


def _request(
    task: TestedTask, predicted: tuple[str, ...], target: Target, limits: Limits
) -> dict[str, object]:
    return {
        "dialect": target.dialect,
        "timeout_s": limits.timeout_s,
        "max_rows": limits.max_rows,
        "memory_bytes": _MEMORY_BYTES,
        "cpu_s": int(_START_S + _STATEMENTS * limits.timeout_s) + 1,
        "conditions": dict(task.conditions),
        "statements": {
            "setup": task.setup,
            "predicted": predicted,
            "solution": task.solution,
            "tests": task.tests,
            "clean_up": task.clean_up,
        },
    }


def _run(request: dict[str, object]) -> tuple[str, str | None]:
    """Run the task's process; its environment is empty, its directory is thrown away."""
    limit = float(str(request["cpu_s"]))
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(  # noqa: S603 - our own interpreter; what it runs is asked for
            command(_BOOT),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd=folder,
            start_new_session=True,
        ) as process,
    ):
        try:
            answer, _ = process.communicate(json.dumps(request).encode(), timeout=limit)
        except subprocess.TimeoutExpired:
            return "timeout", "the test cases took too long"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return _outcome(answer)


def _outcome(answer: bytes) -> tuple[str, str | None]:
    try:
        status, reason = json.loads(answer)
    except ValueError:
        return "died", "the process of the test cases ended without an outcome"
    return str(status), reason
