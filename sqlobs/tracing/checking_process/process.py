"""The application's hold on its checking process: start it, ask it against the clock, end it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from sqlobs.check.engine.profile import Profile
from sqlobs.errors import SqlobsError
from sqlobs.fork_guard import IMPORTS, forget_in_child
from sqlobs.interpreter import boot_of, command
from sqlobs.tracing.checking_process.messages import (
    LACKS_SCHEMA,
    Terms,
    decode,
    dialect_document,
    encode,
    read_report,
)

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema

_BOOT: Final = boot_of("sqlobs.tracing.checking_process.program")
START_S: Final = 30.0
"""Longest wait for a start, which imports the parser: half a second on an idle machine."""
ANSWER_S: Final = 10.0
"""Longest wait for a report; the span, which waits for a shorter time, has ended by then."""
CLOSE_S: Final = 2.0
"""Longest wait for a thread that is starting it at that moment."""
PAUSE_S: Final = 60.0
"""Time without another attempt after a process did not start."""


class CheckingProcessError(SqlobsError):
    """A checking process did not start, ended, or did not answer in time."""


class NotStartedError(CheckingProcessError):
    """There is no checking process, and none can be started now."""


class ClosedError(CheckingProcessError):
    """The owner has ended its checking process."""


class OverdueError(CheckingProcessError):
    """A check took too long; its process is ended."""


@dataclass(slots=True, eq=False)
class _Started:
    """A started process, and the connection to it."""

    process: subprocess.Popen[bytes]
    connection: Connection
    is_ready: bool = False
    """It has loaded the parser."""

    def receive(self, seconds: float) -> Any:  # noqa: ANN401 - JSON
        """Return the next message; the lock of the interpreter is free while it is awaited."""
        if not self.connection.poll(seconds):
            raise OverdueError(f"the checking process did not answer in {seconds:.0f} s")
        return decode(self.connection.recv_bytes())

    def kill(self) -> None:
        """End the process and take its exit status. Safe twice, and while another thread waits."""
        if self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class CheckingProcess:
    """A process that checks for this one: started at first use, and again after it ended.

    It ends with its owner, however that ends, because it reads from the owner's socket.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._started: _Started | None = None
        self.forget()
        forget_in_child(self)

    def forget(self) -> None:
        """Start anew in a forked child: the process is the parent's."""
        if self._started is not None:
            self._started.connection.close()  # the parent's process sees the end of the parent
        self._started = None
        self._lock = threading.Lock()  # held by the thread that asks
        self._is_closed = False
        self._not_before = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether a question would be answered without the wait for a start."""
        started = self._started
        return started is not None and started.is_ready and started.process.poll() is None

    @property
    def may_start(self) -> bool:
        """Whether a start would be tried now; after a failed one a minute passes."""
        return not self._is_closed and monotonic() >= self._not_before

    @property
    def pid(self) -> int | None:
        """The id of the process; None where there is none."""
        return None if self._started is None else self._started.process.pid

    def report(
        self, text: str, schema: Schema | None, dialect: str | Profile | None
    ) -> CheckReport:
        """Have a statement checked.

        Raises:
            NotStartedError: There is no process, and none can be started now.
            ClosedError: It was closed, before or during the check.
            CheckingProcessError: It ended during the check, or did not answer in time.
        """
        question: dict[str, object] = {
            "text": text,
            "schema": None if schema is None else schema.version,
            "dialect": dialect_document(dialect),
        }
        with self._lock:
            try:
                answer = self._answer(self._asked(question), ANSWER_S)
                if answer == LACKS_SCHEMA and schema is not None:
                    whole = {**question, "document": schema.to_json()}
                    answer = self._answer(self._asked(whole), ANSWER_S)
            except OverdueError:
                self._drop()
                raise
        return read_report(answer)

    def close(self) -> None:
        """End the process; a thread that waits for its answer gets `ClosedError`."""
        self._is_closed = True
        if (started := self._started) is not None:
            started.kill()
        if self._lock.acquire(timeout=CLOSE_S):  # else it ends with this process
            self._drop()
            self._lock.release()

    def _asked(self, question: dict[str, object]) -> _Started:
        """Send a question; to a new process where the old one had ended before it was asked."""
        started = self._running()
        message = encode(question)
        try:
            started.connection.send_bytes(message)
        except OSError:
            self._drop()
            started = self._running()
            started.connection.send_bytes(message)
        return started

    def _answer(self, started: _Started, seconds: float) -> Any:  # noqa: ANN401 - JSON
        try:
            return started.receive(seconds)
        except (EOFError, OSError) as error:
            self._drop()
            kind = ClosedError if self._is_closed else CheckingProcessError
            raise kind("the checking process ended during a check") from error

    def _running(self) -> _Started:
        if self._started is not None:
            return self._started
        if self._is_closed:
            raise ClosedError("the checking process is closed")
        if not self.may_start:
            raise NotStartedError("the checking process is not running")
        try:
            with IMPORTS:  # a child that is forked meanwhile would hold the socket
                self._started = started = _start()
            if self._is_closed:  # meanwhile, and nobody else ends it
                started.kill()
            started.connection.send_bytes(encode(self._terms.document()))
            started.receive(START_S)
            started.is_ready = True
        except (EOFError, OSError, ValueError, OverdueError) as error:
            self._drop()
            if self._is_closed:
                raise ClosedError("the checking process is closed") from error
            self._not_before = monotonic() + PAUSE_S
            raise NotStartedError(
                "the checking process did not start; statements are checked in the application"
            ) from error
        return started

    def _drop(self) -> None:
        started, self._started = self._started, None
        if started is not None:
            started.kill()
            started.connection.close()


def _start() -> _Started:
    """Start the process in a session of its own: no signal of a terminal reaches it.

    A frozen application would start itself, and on Windows no socket is passed on.
    """
    if os.name != "posix" or hasattr(sys, "frozen"):
        raise OSError
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
            command(_BOOT, str(theirs.fileno())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
        return _Started(process, Connection(ours.detach()))
