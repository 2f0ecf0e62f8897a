"""Running a golden case now, on its target, with the target's limits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.execution.outcome import ExecutionRequest
from sqlobs_collector.disclosure import magnitude
from sqlobs_collector.evaluation.requests import session_of

if TYPE_CHECKING:
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs_collector.evaluation.requests import Targets
    from sqlobs_collector.store.golden import StoredCase

_NO_TARGET: Final = "no_target"


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """What came of running a case."""

    status: str
    """`ok`, `error`, `timeout`, `refused` or `not_run`."""
    reason: str | None = None
    """Why it failed: a failure code, what the gate rejects, or why it was not run."""
    rows: str | None = None
    """Number of rows, as a magnitude: exact numbers would tell what the rows hold."""
    duration_s: float | None = None
    target: str | None = None

    @property
    def detail(self) -> dict[str, object]:
        """The run in a case's history."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class GoldenRuns:
    """Runs cases on targets of their workspace."""

    def __init__(self, executor: Executor | None, targets: Targets) -> None:
        self._executor = executor
        self._targets = targets

    def run(self, case: StoredCase) -> GoldenRun:
        """Run a case on its target, or on the default target of its workspace."""
        alias = self._targets.alias(case.row.workspace, case.row.target or None)
        if alias is None or self._executor is None:
            return GoldenRun("not_run", _NO_TARGET)
        target = self._targets.known[alias]
        request = ExecutionRequest(
            sql=case.row.sql,
            target=alias,
            limits=target.limits,
            session=session_of(target.session, None),
        )
        return _run(self._executor.run(request).prediction, alias)


def _run(found: Execution, alias: str) -> GoldenRun:
    table = found.outcome.table
    return GoldenRun(
        found.outcome.status,
        found.failure_code or found.refusal or found.reason,
        None if table is None else magnitude(len(table.rows)),
        found.outcome.elapsed_s,
        alias,
    )
