"""Runs untrusted SQL on known targets: alone, or with its reference in the same snapshot."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import ConfigError
from sqlobs.execution.breaker import HELD, Breaker
from sqlobs.execution.budget import USED_UP, Budget, MemoryUsage
from sqlobs.execution.conversation import converse, not_run, refused, surviving
from sqlobs.execution.messages import Digesting
from sqlobs.execution.outcome import PairOutcome
from sqlobs.execution.pool import Pool
from sqlobs.execution.process import PoolClosedError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from sqlobs.execution.budget import UsageLedger
    from sqlobs.execution.messages import Backend
    from sqlobs.execution.outcome import Execution, ExecutionRequest
    from sqlobs.execution.process import WorkerProcess
    from sqlobs.execution.target import Limits, Target

_MEMORY_BYTES: Final = 1024 * 1024 * 1024
_MOST_WORKERS: Final = 4
"""How many workers one request may use up: two for a pair, and some that died while idle."""


class Executor:
    """Runs requests in killable worker processes; thread-safe, and a context manager.

    Nothing about the SQL raises: each statement's `Execution` says what came of it. Reference and
    prediction see the same data. A statement that must be killed does not take the other with it.

    Example:
        >>> from sqlobs.execution.target import Target
        >>> from sqlobs.execution.outcome import ExecutionRequest
        >>> with Executor([Target.from_url("shop", "sqlite:///shop.db")]) as executor:
        ...     executor.run(ExecutionRequest(sql="SELECT 1", target="elsewhere")).prediction.reason
        'no_target'
    """

    def __init__(
        self,
        targets: Iterable[Target],
        *,
        workers: int = 2,
        memory_bytes: int = _MEMORY_BYTES,
        ledger: UsageLedger | None = None,
    ) -> None:
        """Start the workers.

        Args:
            targets: The databases that requests may name.
            workers: How many statements run at a time; one more process is kept as a spare.
            memory_bytes: The address space of one worker.
            ledger: Records what statements on warehouses cost; None: in memory.

        Raises:
            ConfigError: Two targets share an alias, a warehouse has no limits of its cost, or the
                system cannot limit processes.
        """
        if os.name != "posix":
            raise ConfigError("executing SQL needs a POSIX system, which can limit processes")
        known = tuple(targets)
        self._targets = {target.alias: target for target in known}
        if len(self._targets) != len(known):
            raise ConfigError("two targets have the same alias")
        for target in known:
            target.require_executable()
        self._budget = Budget(ledger or MemoryUsage())
        self._pool = Pool(workers, memory_bytes=memory_bytes)
        self._breaker = Breaker(known, self._surviving)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sqlobs-execution")

    def run(self, request: ExecutionRequest) -> PairOutcome:
        """Run a request and wait for it, at most for its limits and the grace of a kill."""
        target = self._targets.get(request.target)
        if target is None:
            return _same_for_both(request, not_run("no_target", "this target is not configured"))
        if set(request.session) != set(target.session):
            return _same_for_both(request, refused("session_missing"))
        statements = _statements(request)
        executions, is_one_snapshot = self._run_all(request.session, target, statements)
        ran = [execution.outcome.status == "ok" for execution in executions]
        return PairOutcome(
            prediction=executions[-1],
            reference=executions[0] if request.reference is not None else None,
            same_snapshot=is_one_snapshot and len(ran) > 1 and all(ran),
        )

    def run_all(
        self,
        statements: Sequence[tuple[str, Limits]],
        *,
        target: str,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Run statements one after the other, in one snapshot unless a worker had to be given up.

        Args:
            statements: Each with its limits.
            target: The target's alias.
            session: Values for the settings that the target wants bound.
        """
        found = self._targets.get(target)
        if found is None:
            return [not_run("no_target", "this target is not configured")] * len(statements)
        executions, _ = self._run_all(session or {}, found, list(statements))
        return executions

    def digest_all(
        self,
        statements: Sequence[tuple[str, Limits]],
        *,
        target: str,
        keys: tuple[int, ...] | None = None,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Run statements as `run_all` does, but digest all their rows instead of fetching some.

        Args:
            statements: Each with its limits, of which only the time holds.
            target: The target's alias; an HTTP target gives no digests.
            keys: Positions of the sort keys, whose ties may stand in any order.
            session: Values for the settings that the target wants bound.
        """
        found = self._targets.get(target)
        if found is None or found.system == "http":
            return [
                not_run("no_target", "this target is not configured or does not support digests")
            ] * len(statements)
        executions, _ = self._run_all(session or {}, found, list(statements), Digesting(keys))
        return executions

    def stream(
        self, statements: Sequence[tuple[str, Limits]], *, target: str
    ) -> Generator[Execution]:
        """Run many statements in one snapshot and yield what came of each, in order.

        They run ahead of the consumer, as far as the socket buffers rows. A statement that breaks
        its worker, or may have done so, runs once more alone; those after it continue in a new
        snapshot. Given up before its end, the stream costs its worker.

        Args:
            statements: Each with its limits.
            target: The target's alias.
        """
        found = self._targets.get(target)
        if found is None:
            yield from [not_run("no_target", "this target is not configured")] * len(statements)
            return
        heard = 0
        if found.access.cost.is_limited:  # each is paid for before the next one starts
            for statement in statements:
                yield self._run_all({}, found, [statement])[0][0]
            return
        while heard < len(statements):
            before = heard
            if self._breaker.holds(found):
                yield _held()
                heard += 1
                continue
            with self._lent(found) as worker:
                for execution in converse(worker, found, statements[heard:], {}, is_patient=True):
                    heard += 1
                    yield execution
            if heard < len(statements) and (worker.is_silent or heard == before):
                [execution], _ = self._run_all({}, found, [statements[heard]])
                heard += 1
                yield execution

    def grammar(self, target: str) -> str | None:
        """Return sqlglot's name of a target's dialect; None if it or the target is unknown."""
        found = self._targets.get(target)
        return None if found is None else found.grammar

    @property
    def held(self) -> dict[str, int]:
        """Targets that get no statements now, each with the number of backends left behind there.

        They outlived their worker, as no server interrupts a function while it runs.
        """
        return self._breaker.held

    async def run_async(self, request: ExecutionRequest) -> PairOutcome:
        """Run a request without blocking the event loop; a canceled one ends by its limits."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.run, request)

    def interrupt(self) -> None:
        """End all workers at once; requests that are in progress end without an answer."""
        self._pool.interrupt()

    def close(self) -> None:
        """End all workers; requests that are in progress end first. Safe twice."""
        self._threads.shutdown()
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _lent(self, target: Target) -> Iterator[WorkerProcess]:
        """Lend a worker; where it does not come back, see to it that its backend ends, too."""
        borrowed: WorkerProcess | None = None
        try:
            with self._pool.lent(target.alias, connections=target.max_connections) as borrowed:
                yield borrowed
        finally:
            if borrowed is not None and borrowed.has_ended and borrowed.backend is not None:
                self._breaker.left_behind(target, borrowed.backend)

    def _surviving(self, target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
        try:
            with self._pool.spare() as worker:
                return surviving(worker, target, backends)
        except PoolClosedError:
            return ()  # nothing will be sent any more; the server's own clock remains

    def _run_all(
        self,
        session: Mapping[str, str],
        target: Target,
        statements: list[tuple[str, Limits]],
        digest: Digesting | None = None,
    ) -> tuple[list[Execution], bool]:
        """Run statements within the day's budget; return whether one worker sufficed."""
        if not target.access.cost.is_limited:
            return self._run_admitted(session, target, statements, digest)
        limits = [limits for _, limits in statements]
        if not self._budget.reserve(target, limits):
            return [not_run("budget", USED_UP)] * len(statements), False
        executions: list[Execution] = []
        try:
            executions, is_one = self._run_admitted(session, target, statements, digest)
            return executions, is_one
        finally:
            self._budget.settle(target, limits, executions)

    def _run_admitted(
        self,
        session: Mapping[str, str],
        target: Target,
        statements: list[tuple[str, Limits]],
        digest: Digesting | None,
    ) -> tuple[list[Execution], bool]:
        """Run statements, on another worker if one was abandoned; return whether one sufficed."""
        executions: list[Execution] = []
        asked_s = monotonic()
        for attempt in range(_MOST_WORKERS):
            rest = statements[len(executions) :]
            if self._breaker.holds(target):
                return [*executions, *[_held()] * len(rest)], attempt == 0
            with self._lent(target) as worker:
                heard = list(converse(worker, target, rest, session, digest=digest))
                executions += [_waited(one, worker, asked_s) for one in heard]
            if len(executions) == len(statements):
                return executions, attempt == 0
        missing = len(statements) - len(executions)
        return executions + [not_run("error", "the worker processes are stopping")] * missing, False


def _waited(execution: Execution, worker: WorkerProcess, asked_s: float) -> Execution:
    """Return an execution with the time that it waited for its worker."""
    if worker.began_s is None:
        return execution
    return replace(execution, wait_s=worker.began_s - asked_s)


def _held() -> Execution:
    return not_run("target_unavailable", HELD)


def _statements(request: ExecutionRequest) -> list[tuple[str, Limits]]:
    prediction = (request.sql, request.limits)
    if request.reference is None:
        return [prediction]
    return [(request.reference, request.reference_limits or request.limits), prediction]


def _same_for_both(request: ExecutionRequest, execution: Execution) -> PairOutcome:
    reference = None if request.reference is None else execution
    return PairOutcome(prediction=execution, reference=reference)
