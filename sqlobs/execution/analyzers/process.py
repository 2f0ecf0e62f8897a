"""The parent's hold on the process of an engine: start it, ask it against the clock, kill it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from sqlobs.execution.analyzers.questions import NoVerdictError, Rejection
from sqlobs.interpreter import boot_of, command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.analyzers.kinds import Kind
    from sqlobs.execution.analyzers.questions import DeclaredTable

_BOOT: Final = boot_of("sqlobs.execution.analyzers.program")
_SHOWN: Final = ("HOME", "JAVA_HOME", "LANG", "PATH", "TMPDIR", "TZ", "XDG_CACHE_HOME")
"""The only variables that the process gets: it needs no credentials."""
ANSWER_S: Final = 10.0
"""From a question to the kill; most answers take less than 0.1 s."""


class EngineGoneError(Exception):
    """The engine ended, did not start, or did not answer in time."""


class EngineProcess:
    """A started engine."""

    def __init__(self, kind: Kind) -> None:
        self._folder = tempfile.mkdtemp(prefix="sqlobs-engine-")
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _start(kind.module, theirs.fileno(), self._folder)
        self._connection = Connection(ours.detach())
        try:
            self.engine: str = self._receive(kind.starts_s)["engine"]
        except EngineGoneError:
            self.kill()
            raise

    def rejection(self, sql: str, tables: Sequence[DeclaredTable]) -> Rejection | None:
        """Return the engine's error; None: it accepts the query.

        Raises:
            NoVerdictError: It cannot decide.
            EngineGoneError: It must be started again.
        """
        question = {"sql": sql, "tables": [[one.path, one.columns] for one in tables]}
        try:
            self._connection.send_bytes(json.dumps(question).encode())
        except OSError as error:
            raise EngineGoneError from error
        answer = self._receive(ANSWER_S)
        if "undecided" in answer:
            raise NoVerdictError(answer["undecided"])
        found = answer["rejection"]
        return None if found is None else Rejection(**found)

    def forget(self) -> None:
        """Give up the connection without ending the process: in a forked child it is another's."""
        self._connection.close()

    def kill(self) -> None:
        """End the process and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self, seconds: float) -> dict[str, Any]:
        try:
            if not self._connection.poll(seconds):
                raise EngineGoneError
            found: dict[str, Any] = json.loads(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise EngineGoneError from error
        return found


def _start(module: str, handle: int, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter and program
        command(_BOOT, module, str(handle)),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _SHOWN if name in os.environ},
        pass_fds=(handle,),
        start_new_session=True,
    )
