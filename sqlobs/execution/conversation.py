"""One run on one worker: open the target, send the statements, receive the outcomes."""

from __future__ import annotations

import os
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlobs.execution.breaker import warn_once
from sqlobs.execution.messages import (
    BRIEF_BYTES,
    Admitted,
    Chunk,
    Close,
    Failed,
    Finished,
    Lost,
    Open,
    Ready,
    Repeated,
    Run,
    Settle,
    Settled,
    Stopped,
    Unavailable,
    joined,
)
from sqlobs.execution.outcome import Execution, NotRun
from sqlobs.execution.process import WorkerDiedError, WorkerOverrunError
from sqlobs.metrics.digest import TableDigest
from sqlobs.metrics.ordering import UNORDERED
from sqlobs.types import ExecutionOutcome, ResultTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.execution.admission import Refusal
    from sqlobs.execution.messages import Backend, Digesting, Report
    from sqlobs.execution.process import WorkerProcess
    from sqlobs.execution.target import Limits, Target

START_S: Final = 60.0
"""A start takes a quarter of a second; a busy machine may take long."""

GRACE_S: Final = 0.25
"""From the end of a statement's time to the kill: the engines stop by themselves before."""

SETTLE_S: Final = 10.0
"""For asking a server which backends are left, a connection included."""

MOST_OPEN: Final = 8
"""Targets that one worker holds open at a time."""

_SLACK_BYTES: Final = 64 * 1024


def converse(
    worker: WorkerProcess,
    target: Target,
    statements: Sequence[tuple[str, Limits]],
    session: Mapping[str, str],
    *,
    is_patient: bool = False,
    digest: Digesting | None = None,
) -> Iterator[Execution]:
    """Run statements in one snapshot and yield their executions in order.

    A worker that had to be given up is marked broken; statements after the one that broke it are
    missing from the answer: all of them, where it was dead before the first.

    Args:
        worker: Runs them.
        target: Where.
        statements: Each with its limits.
        session: Values for the settings that the target wants bound.
        is_patient: How a statement ended may be said when the next one starts, which is cheaper,
            and one that comes again need not be run again, unless it is volatile.
            The answer then ends before a statement that may not be the one to blame, and after one
            that found the target away: each of them is worth a conversation of its own.
        digest: How the rows are digested instead of fetched; None = they are fetched.
    """
    order = Run(target.alias, tuple(statements), session, is_patient, digest)
    try:
        trouble = _begin(worker, order, target)
    except WorkerOverrunError:
        worker.is_broken = True
        trouble = "the target does not respond"
    except WorkerDiedError:
        worker.is_broken = True
        return
    if trouble is not None:
        lost = not_run("target_unavailable", trouble)
        yield from [lost] * (1 if is_patient else len(statements))
        return
    if is_patient and len(statements) > 1:
        yield from _hear_certain(worker, target, statements)
    else:
        yield from _hear_all(worker, target, statements)


def surviving(
    worker: WorkerProcess, target: Target, backends: Sequence[Backend]
) -> tuple[Backend, ...]:
    """Have a worker end backends that another one left behind; return those that may continue."""
    try:
        _await_start(worker)
        worker.send(Settle(target, _environment(target), tuple(backends)))
        answer = worker.receive(monotonic() + max(SETTLE_S, target.open_s))
    except (WorkerOverrunError, WorkerDiedError):
        worker.is_broken = True
        return tuple(backends)
    return answer.survivors if isinstance(answer, Settled) else tuple(backends)


def not_run(reason: NotRun, message: str) -> Execution:
    """Return the execution of a statement that was not run."""
    return Execution(outcome=ExecutionOutcome(status="not_run", error=message), reason=reason)


def refused(refusal: Refusal, detail: str = "") -> Execution:
    """Return the execution of a statement that the gate rejected."""
    message = f"{refusal}: {detail}" if detail else refusal
    return Execution(outcome=ExecutionOutcome(status="refused", error=message), refusal=refusal)


def _begin(worker: WorkerProcess, order: Run, target: Target) -> str | None:
    """Open the target and begin the snapshot; return why that failed, if it did."""
    worker.backend = worker.began_s = None
    _await_start(worker)
    answer: Report | None = None
    for _ in range(2):  # a connection that was lost while idle is opened again, once
        answer = _open(worker, target)
        if isinstance(answer, Ready):
            worker.send(order)
            answer = worker.receive(monotonic() + target.open_s)
        if not isinstance(answer, Lost):
            break
        worker.opened.pop(target.alias, None)
    if isinstance(answer, Unavailable | Lost):
        worker.opened.pop(target.alias, None)
        return answer.message
    if isinstance(answer, Ready):
        worker.backend = answer.backend
    worker.began_s = monotonic()
    return None


def _await_start(worker: WorkerProcess) -> None:
    if not worker.is_ready:
        worker.receive(monotonic() + START_S)
        worker.is_ready = True


def _open(worker: WorkerProcess, target: Target) -> Report:
    if target.alias in worker.opened:
        worker.opened.move_to_end(target.alias)
        return Ready()
    while len(worker.opened) >= MOST_OPEN:
        oldest, _ = worker.opened.popitem(last=False)
        worker.send(Close(oldest))
    worker.send(Open(target, _environment(target)))
    answer = worker.receive(monotonic() + target.open_s)
    if isinstance(answer, Ready):
        worker.opened[target.alias] = None
        warn_once(target.alias, answer.warnings)
    return answer


def _environment(target: Target) -> dict[str, str]:
    """Return the variables that the target declares, as far as they are set."""
    return {name: os.environ[name] for name in target.access.environment if name in os.environ}


def _hear_all(
    worker: WorkerProcess, target: Target, statements: Sequence[tuple[str, Limits]]
) -> Iterator[Execution]:
    for position, (_, limits) in enumerate(statements):
        execution = _hear(worker, target, limits)
        yield execution
        if execution.reason == "target_unavailable":
            worker.opened.pop(target.alias, None)
            yield from [execution] * (len(statements) - position - 1)
            return
        if worker.is_broken:
            return


def _hear_certain(
    worker: WorkerProcess, target: Target, statements: Sequence[tuple[str, Limits]]
) -> Iterator[Execution]:
    """Yield what is known for certain: reports that were in progress are lost with their worker."""
    last = {sql: position for position, (sql, _) in enumerate(statements)}
    brief: dict[str, Execution] = {}
    """Answers whose statements come again."""
    for position, (sql, limits) in enumerate(statements):
        before = worker.received_bytes
        execution = _hear(worker, target, limits, brief.get(sql))
        if worker.is_silent:
            return
        yield execution
        brief.pop(sql, None)
        if position < last[sql] and worker.received_bytes - before <= BRIEF_BYTES:
            brief[sql] = execution
        if execution.reason == "target_unavailable":
            worker.opened.pop(target.alias, None)
            return
        if worker.is_broken:
            return


def _hear(
    worker: WorkerProcess, target: Target, limits: Limits, known: Execution | None = None
) -> Execution:
    """Return what came of a statement; `known` is its answer where it was run before."""
    try:
        report = worker.receive(monotonic() + target.read_s)
        if isinstance(report, Repeated) and known is not None:
            return known
        if not isinstance(report, Admitted):
            return _execution(worker, report, None, [])
    except WorkerOverrunError:
        worker.is_broken = worker.is_silent = True
        return not_run("error", "the worker does not respond")
    except WorkerDiedError:
        worker.is_broken = worker.is_silent = True
        return refused("too_complex")
    return _hear_run(worker, limits, report)


def _hear_run(worker: WorkerProcess, limits: Limits, admitted: Admitted) -> Execution:
    worker.backend = admitted.backend
    started = monotonic()
    deadline = started + limits.timeout_s + GRACE_S
    chunks: list[Chunk] = []
    digest: TableDigest | None = None
    try:
        while isinstance(report := _next(worker, limits, deadline), Chunk | TableDigest):
            if isinstance(report, Chunk):
                chunks.append(report)
            else:
                digest = report
    except WorkerOverrunError:
        worker.is_broken = worker.is_silent = True
        return _killed(monotonic() - started, admitted)
    except WorkerDiedError as error:
        worker.is_broken = worker.is_silent = True
        return not_run("error", str(error))
    execution = _execution(worker, report, admitted, chunks)
    return execution if digest is None else replace(execution, digest=digest)


def _next(worker: WorkerProcess, limits: Limits, deadline: float) -> Report:
    return worker.receive(deadline, max_bytes=limits.max_bytes + _SLACK_BYTES)


def _execution(
    worker: WorkerProcess, report: Report, admitted: Admitted | None, chunks: Sequence[Chunk]
) -> Execution:
    if isinstance(report, Stopped):
        return refused(report.refusal, report.detail)
    if isinstance(report, Unavailable):
        return not_run("target_unavailable", report.message)
    if isinstance(report, Failed):
        worker.is_broken = worker.is_broken or report.is_exhausted
        return _failed(report, admitted)
    if isinstance(report, Finished) and admitted is not None:
        return _finished(report, admitted, chunks)
    worker.is_broken = True
    return not_run("error", "the worker sent an unexpected message")


def _finished(report: Finished, admitted: Admitted, chunks: Sequence[Chunk]) -> Execution:
    table = ResultTable.of(report.columns, joined(chunks), truncated=report.is_truncated)
    return Execution(
        outcome=ExecutionOutcome(status="ok", table=table, elapsed_s=report.elapsed_s),
        ordering=admitted.ordering,
        volatile=admitted.volatile,
        shape=admitted.shape,
        usage=report.usage,
    )


def _failed(report: Failed, admitted: Admitted | None) -> Execution:
    return Execution(
        outcome=ExecutionOutcome(
            status=report.status,
            error=report.message,
            sqlstate=report.sqlstate,
            elapsed_s=report.elapsed_s,
        ),
        engine_class=report.engine_class,
        failure_code=report.failure_code,
        ordering=admitted.ordering if admitted is not None else UNORDERED,
        volatile=admitted.volatile if admitted is not None else frozenset(),
        shape=admitted.shape if admitted is not None else None,
        is_fault=report.is_fault,
        usage=report.usage,
    )


def _killed(elapsed_s: float, admitted: Admitted) -> Execution:
    return Execution(
        outcome=ExecutionOutcome(
            status="timeout",
            error="killed: the engine did not stop the statement in time",
            elapsed_s=elapsed_s,
        ),
        engine_class="killed",
        failure_code="execution.timeout",
        ordering=admitted.ordering,
        volatile=admitted.volatile,
        shape=admitted.shape,
    )
