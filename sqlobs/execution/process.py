"""The parent's hold on one worker process: start it, speak with it against the clock, kill it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections import OrderedDict
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from sqlobs.errors import SqlobsError
from sqlobs.execution.messages import HEADER, ProtocolError, decode_report, encode
from sqlobs.interpreter import boot_of, command

if TYPE_CHECKING:
    from sqlobs.execution.messages import Backend, Order, Report

_BOOT: Final = boot_of("sqlobs.execution.worker")

_LAST_LOOK_S: Final = 0.02
"""A report that is in the socket at the deadline still counts."""

_READ_BYTES: Final = 256 * 1024
_SEND_S: Final = 10.0


class WorkerOverrunError(Exception):
    """The worker did not answer in time."""


class WorkerDiedError(Exception):
    """The worker ended, or sent an invalid message."""


class PoolClosedError(SqlobsError):
    """An executor was used after it was closed, or interrupted while it was used."""


class WorkerProcess:
    """A worker: a fresh interpreter in its own session, without our environment or files."""

    def __init__(self, *, memory_bytes: int) -> None:
        self.opened: OrderedDict[str, None] = OrderedDict()
        """Aliases of the targets that the worker holds open, least recently used first."""
        self.backend: Backend | None = None
        """The backend that runs the current statement; None if it ends with this process."""
        self.is_ready = False
        self.began_s: float | None = None
        """When the latest run began, by `time.monotonic`; None if it did not."""
        self.received_bytes = 0
        """The size of all reports so far."""
        self.is_broken = False
        """It must not be used again."""
        self.is_silent = False
        """It was given up without a word of what happened."""
        self._is_shot = False
        self._buffer = bytearray()
        self._socket, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        try:
            self._process = _start(theirs.fileno(), lifeline, memory_bytes)
        except BaseException:
            self._socket.close()
            os.close(self._lifeline)
            raise
        finally:
            theirs.close()
            os.close(lifeline)

    @property
    def has_ended(self) -> bool:
        """Return whether it was killed."""
        return self._process.returncode is not None

    @property
    def pid(self) -> int:
        """The process id, also its session's and group's."""
        return self._process.pid

    def send(self, order: Order) -> None:
        """Give an order.

        Raises:
            WorkerDiedError: There is nobody to take it.
            PoolClosedError: It was shot.
        """
        try:
            self._socket.settimeout(_SEND_S)
            self._socket.sendall(encode(order))
        except OSError as error:
            raise self._death("the worker does not accept requests") from error

    def receive(self, deadline: float, *, max_bytes: int = _READ_BYTES) -> Report:
        """Return the next report.

        Args:
            deadline: By `time.monotonic`.
            max_bytes: The maximum size of a report; a longer one is invalid.

        Raises:
            WorkerOverrunError: The deadline passed.
            WorkerDiedError: The worker ended or broke the protocol.
            PoolClosedError: It was shot.
        """
        self._fill(HEADER.size, deadline)
        (length,) = HEADER.unpack_from(self._buffer)
        if length > max_bytes:
            raise WorkerDiedError("the worker exceeded its message size limit")
        end = HEADER.size + length
        self._fill(end, deadline)
        body = bytes(memoryview(self._buffer)[HEADER.size : end])
        del self._buffer[:end]
        self.received_bytes += end
        try:
            return decode_report(body)
        except ProtocolError as error:
            raise WorkerDiedError(str(error)) from error

    def shoot(self) -> None:
        """End the process and all it may have started, while another thread speaks with it."""
        self._is_shot = True
        self._end()

    def kill(self) -> None:
        """End the process and all it may have started, and take its exit status. Safe twice."""
        self._end()
        self._process.wait()
        self._socket.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _fill(self, size: int, deadline: float) -> None:
        while len(self._buffer) < size:
            self._socket.settimeout(max(deadline - monotonic(), _LAST_LOOK_S))
            try:
                received = self._socket.recv(max(_READ_BYTES, size - len(self._buffer)))
            except TimeoutError as error:
                raise WorkerOverrunError from error
            except OSError as error:
                raise self._death("the worker closed its connection") from error
            if not received:
                raise self._death("the worker ended")
            self._buffer += received

    def _death(self, message: str) -> WorkerDiedError | PoolClosedError:
        """Return why nothing came: a worker that was shot says nothing about its statement."""
        if self._is_shot:
            return PoolClosedError("the executor is closed")
        return WorkerDiedError(message)


def _start(connection: int, lifeline: int, memory_bytes: int) -> subprocess.Popen[bytes]:
    arguments = (str(connection), str(lifeline), str(memory_bytes))
    return subprocess.Popen(  # noqa: S603 - our own interpreter and program
        command(_BOOT, *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in ("TZ",) if name in os.environ},
        pass_fds=(connection, lifeline),
        start_new_session=True,
    )
