"""The process that parses and runs untrusted SQL: limited in resources, and killable."""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.check.policy import Policy
from sqlobs.check.report.message_masking import mask_engine_message
from sqlobs.dialects.registry import WARMED_UP, by_system
from sqlobs.execution.admission import UNDECIDED, Admission, Refused
from sqlobs.execution.engines import (
    TargetLostError,
    TargetUnavailableError,
    open_target,
    surviving_backends,
)
from sqlobs.execution.gate import admit
from sqlobs.execution.messages import (
    BRIEF_BYTES,
    HEADER,
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
    decode_order,
    encode,
)
from sqlobs.execution.target import PARSING_S
from sqlobs.metrics.digest import Digester

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.execution.admission import Decision
    from sqlobs.execution.engines import Engine
    from sqlobs.execution.messages import Digesting, Ending, Order, Report
    from sqlobs.execution.target import Limits, Target
    from sqlobs.types import Row

_FILE_BYTES: Final = 8 * 1024 * 1024
"""Nothing is written; reading a database in WAL mode may need its shared-memory file."""

_OPEN_FILES: Final = 64
_RECURSION: Final = 10_000
"""Enough for the deepest nesting that the gate reads, also with the parser in pure Python."""

_BEFORE_ROWS: Final = ("schema.", "syntax.")
_WITH_ROWS: Final = frozenset({"schema.type_mismatch"})
"""Codes of what an engine finds before it reads rows, and those of them that it finds later too."""
_SEND_BYTES: Final = 256 * 1024
_CPU_RESERVE_S: Final = 10
_YOUNG_OBJECTS: Final = 10_000
"""Some ten statements' trees: usually they are gone before anybody has to look for them."""


class Worker:
    """Answers the orders that come over a socket, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._incoming = connection.makefile("rb")
        self._outgoing = bytearray()
        self._said_bytes = 0
        """The size of all reports so far."""
        self._open: dict[str, tuple[Open, Engine]] = {}
        self._shown: Mapping[str, str] = {}
        """The variables of the current target; the process starts with none but `TZ`."""

    def serve(self) -> None:
        """Answer until the parent hangs up."""
        self._say(Ready())
        self._flush()
        while (order := self._next()) is not None:
            self._obey(order)
            self._flush()

    def close(self) -> None:
        """Give up all targets."""
        for alias in tuple(self._open):
            self._forget(alias)
        self._show({})
        self._incoming.close()

    def _next(self) -> Order | None:
        header = self._incoming.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        return decode_order(self._incoming.read(*HEADER.unpack(header)))

    def _obey(self, order: Order) -> None:
        if isinstance(order, Open):
            self._say(self._connect(order))
        elif isinstance(order, Close):
            self._forget(order.alias)
        elif isinstance(order, Settle):
            self._show(order.environment)
            self._say(_settled(order))
        else:
            self._run(order)

    def _connect(self, order: Open) -> Ready | Unavailable:
        target = order.target
        self._forget(target.alias)
        self._show(order.environment)
        admit("SELECT 1", dialect=target.dialect, policy=Policy())
        try:
            engine = open_target(target)
        except TargetUnavailableError as error:
            return Unavailable(str(error))
        except ImportError:
            known = by_system(target.system)
            extra = (known.connections.extra if known else "db") or "all"
            return Unavailable(f'{target.system} needs an extra: pip install "sqlobs[{extra}]"')
        self._open[target.alias] = order, engine
        return Ready(engine.backend(), engine.warnings)

    def _show(self, variables: Mapping[str, str]) -> None:
        """Let the driver of a target read its variables, and none of the target before."""
        for name in self._shown.keys() - variables.keys():
            os.environ.pop(name, None)
        os.environ.update(variables)
        self._shown = variables

    def _forget(self, alias: str) -> None:
        found = self._open.pop(alias, None)
        if found is not None:
            found[1].close()

    def _run(self, order: Run) -> None:
        opened, engine = self._open[order.alias]
        target = opened.target
        self._show(opened.environment)
        try:
            engine.begin(order.session)
        except (TargetLostError, TargetUnavailableError) as error:
            self._forget(order.alias)
            is_lost = isinstance(error, TargetLostError)
            self._say(Lost(str(error)) if is_lost else Unavailable(str(error)))
            return
        self._say(Ready(engine.backend()))
        self._flush()
        brief: dict[str, Limits] = {}
        for sql, limits in order.statements:
            if brief.get(sql) == limits:
                self._say(Repeated())
                continue
            brief.pop(sql, None)
            before = self._said_bytes
            _limit_cpu(limits.timeout_s)
            decision = _read(sql, target, limits)
            ending = self._ending(sql, decision, limits, order.digest, engine)
            if isinstance(ending, Failed):
                ending = _masked(ending, sql, target.grammar or "")
            self._say(ending)
            if isinstance(ending, Unavailable):
                self._forget(order.alias)
                return
            if not order.is_patient:
                self._flush()
            elif self._said_bytes - before <= BRIEF_BYTES and _holds(decision, ending):
                brief[sql] = limits
        self._flush()  # the parent need not wait for the cleaning up
        engine.end()

    def _ending(
        self,
        sql: str,
        decision: Decision,
        limits: Limits,
        digest: Digesting | None,
        engine: Engine,
    ) -> Ending:
        """Run a statement, if it was admitted, and send its rows or their digest."""
        if isinstance(decision, Refused):
            fault = engine.diagnose(sql) if decision.refusal in UNDECIDED else None
            return fault or Stopped(decision.refusal, decision.detail)
        self._say(Admitted(decision.ordering, decision.volatile, engine.backend(), decision.shape))
        self._flush()
        if digest is None:
            return engine.execute(decision, limits, self._emit)
        digester = Digester(digest.keys)
        ending = engine.execute(
            decision,
            replace(limits, max_rows=sys.maxsize, max_bytes=sys.maxsize),
            lambda rows, _: digester.add(rows),
        )
        if isinstance(ending, Finished):
            self._say(digester.finish())
        return ending

    def _emit(self, rows: list[Row], bytes_left: int) -> int:
        if not rows:
            return 0
        frame = encode(Chunk(rows))
        if len(frame) <= bytes_left:
            self._send(frame)
            if len(self._outgoing) > _SEND_BYTES:
                self._flush()
        return len(frame)

    def _say(self, report: Report) -> None:
        self._send(encode(report))

    def _send(self, frame: bytes) -> None:
        self._outgoing += frame
        self._said_bytes += len(frame)

    def _flush(self) -> None:
        self._connection.sendall(self._outgoing)
        self._outgoing.clear()


def main() -> None:
    """Run a worker on the descriptors that the parent names in the arguments."""
    connection, lifeline, memory_bytes = map(int, sys.argv[1:4])
    _limit_resources(memory_bytes)
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    for dialect in WARMED_UP:  # a dialect's grammar is loaded at its first use
        admit("SELECT 1", dialect=dialect, policy=Policy())
    gc.freeze()  # what is loaded stays; trees of statements are what is to be collected
    gc.set_threshold(_YOUNG_OBJECTS)
    with socket.socket(fileno=connection) as channel:
        try:
            Worker(channel).serve()
        except (BrokenPipeError, ConnectionResetError):
            return  # the parent is gone


def _settled(order: Settle) -> Settled:
    """End backends; where the server is unreachable, all of them may still run."""
    try:
        return Settled(surviving_backends(order.target, order.backends))
    except (TargetUnavailableError, ImportError):
        return Settled(order.backends)


def _read(sql: str, target: Target, limits: Limits) -> Decision:
    """Decide on a statement; the system ends the process if that takes too much CPU.

    The clock of the wall would blame a statement for a busy machine.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(_RECURSION)
    signal.setitimer(signal.ITIMER_PROF, PARSING_S)
    try:
        return admit(
            sql,
            dialect=target.dialect,
            policy=target.policy,
            max_sql_bytes=limits.max_sql_bytes,
        )
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.setrecursionlimit(usual)


def _holds(decision: Decision, ending: Ending) -> bool:
    """Return whether running a statement again would give the same rows in the same snapshot.

    What a statement may contain is known only where it was parsed.
    """
    return (
        isinstance(ending, Finished)
        and isinstance(decision, Admission)
        and decision.shape is not None
        and not decision.volatile
    )


def _masked(failed: Failed, sql: str, dialect: str) -> Failed:
    """Return a failure whose message has no value of the statement or of a row."""
    code = failed.failure_code
    is_read = failed.is_fault and code.startswith(_BEFORE_ROWS) and code not in _WITH_ROWS
    return replace(
        failed,
        message=mask_engine_message(
            failed.message, sql=sql, dialect=dialect, is_about_names=is_read
        ),
    )


def _limit_resources(memory_bytes: int) -> None:
    os.umask(0o077)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        _, hard = resource.getrlimit(limit)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (allowed, allowed))


def _limit_cpu(seconds: float) -> None:
    """Let the next statement use its time and a reserve; beyond it the system ends us."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    spent = usage.ru_utime + usage.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + _CPU_RESERVE_S, hard))


def _die_with_parent(lifeline: int) -> None:
    """End the process when the other end of a pipe closes, even in the middle of a statement."""
    os.read(lifeline, 1)
    os._exit(1)
