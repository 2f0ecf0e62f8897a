"""The process that runs one task: it reads the task from its input and writes the outcome.

Statements and test cases come from others: limits come first, and output of test cases is dropped.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.tasks.databases import OvertimeError, PostgresCopy, SqliteCopy
from sqlobs.evaluation.tasks.functions import TestFunctions

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.evaluation.tasks.databases import CopiedDatabase
    from sqlobs.types import ResultTable

_FILE_BYTES: Final = 1024 * 1024 * 1024
_OPEN_FILES: Final = 64
_MESSAGE: Final = 500
"""Characters of a failure that are kept."""
_COPIES: Final[tuple[type[SqliteCopy | PostgresCopy], ...]] = (SqliteCopy, PostgresCopy)
_CALL: Final = "\ntest_case(pred_sqls, sol_sqls, db_name, conn)\n"


def main() -> None:
    """Run the task of the standard input."""
    request = json.load(sys.stdin)
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _limit(request["memory_bytes"], request["cpu_s"])
    status, reason = _run(request)
    os.write(answer, json.dumps([status, reason and reason[:_MESSAGE]]).encode())


def _limit(memory_bytes: int, cpu_s: int) -> None:
    os.umask(0o077)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        resource.setrlimit(limit, (value, value))


def _run(request: dict[str, object]) -> tuple[str, str | None]:
    """Return how the task ended: `ok`, `failed`, `error` or `timeout`, and why."""
    task = _Task(request)
    try:
        task.prepare()
        predicted = task.predict()
    except OvertimeError:
        return "timeout", "prediction: time limit"
    except Exception as error:  # noqa: BLE001 - whatever a driver raises
        return "error", f"prediction: {error}"
    reason = task.first_failure(predicted)
    task.clean_up()
    return ("ok", None) if reason is None else ("failed", reason)


def _opened(dialect: str, place: str, timeout_s: float, max_rows: int) -> CopiedDatabase:
    kind = next(each for each in _COPIES if each.dialect == dialect)
    return kind(place, timeout_s=timeout_s, max_rows=max_rows)


class _Task:
    def __init__(self, request: dict[str, object]) -> None:
        self._lists: dict[str, list[str]] = request["statements"]  # type: ignore[assignment]  # as the parent writes it
        self._conditions: dict[str, object] = request["conditions"]  # type: ignore[assignment]  # as above
        self._place = str(request["place"])
        limits = float(str(request["timeout_s"])), int(str(request["max_rows"]))
        self._database = _opened(str(request["dialect"]), self._place, *limits)
        self._functions = TestFunctions(self._database)

    def prepare(self) -> None:
        """Run the setup; a statement of it may fail, as in the original."""
        self._functions.execute_queries(self._lists["setup"])

    def predict(self) -> ResultTable | None:
        found = None
        for sql in self._lists["predicted"]:
            found = self._database.run(sql)
        return found

    def first_failure(self, predicted: ResultTable | None) -> str | None:
        """Return why the first test case fails; None if all pass."""
        tests = [self._test(code, predicted) for code in self._lists["tests"]]
        for number, test in enumerate(tests or [self._default], start=1):
            try:
                test()
            except Exception as error:  # noqa: BLE001 - whatever a test case raises
                return f"test {number}: {str(error) or type(error).__name__}"
        return None

    def clean_up(self) -> None:
        self._functions.execute_queries(self._lists["clean_up"])

    def _default(self) -> None:
        lists = self._lists
        self._functions.default_test(lists["predicted"], lists["solution"], self._conditions)

    def _test(self, code: str, predicted: ResultTable | None) -> Callable[[], None]:
        names = {
            **self._functions.names(predicted),
            "pred_sqls": self._lists["predicted"],
            "sol_sqls": self._lists["solution"],
            "db_name": self._place,
            "conn": self._database.connection,
        }
        return lambda: exec(code + _CALL, names)  # noqa: S102 - only with --run-test-cases
