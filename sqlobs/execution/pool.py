"""A bounded number of workers, one of them spare, so that a kill costs nobody a start."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlobs.errors import SqlobsError
from sqlobs.execution.process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator


class PoolClosedError(SqlobsError):
    """Work was asked of an executor after it was closed."""


class Pool:
    """Lends workers; a broken one is killed and replaced at once."""

    def __init__(self, size: int, *, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._places = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()  # protects both lists and the closed mark
        self._is_closed = False
        self._lent: list[WorkerProcess] = []
        self._idle = [self._spawn() for _ in range(size + 1)]

    @contextmanager
    def lent(self, alias: str) -> Iterator[WorkerProcess]:
        """Lend a worker, one that has the target open if there is one; wait for a free place.

        It is kept only if the block ends without an exception and leaves it unbroken.

        Raises:
            PoolClosedError: The pool is closed.
        """
        with self._places:
            worker = self._take(alias)
            try:
                yield worker
            except BaseException:
                self._replace(worker)
                raise
            if worker.is_broken:
                self._replace(worker)
            else:
                self._give_back(worker)

    def close(self) -> None:
        """Kill all workers that are idle now, the others when they come back."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()

    def interrupt(self) -> None:
        """End all workers now, those that are lent, too."""
        with self._lock:
            self._is_closed = True
            for worker in self._lent:
                worker.shoot()
        self.close()

    def _take(self, alias: str) -> WorkerProcess:
        with self._lock:
            if self._is_closed:
                raise PoolClosedError("the executor is closed")
            ranked = (
                [w for w in self._idle if alias in w.opened]
                or [w for w in self._idle if w.is_ready]
                or self._idle
            )
            worker = ranked[0]
            self._idle.remove(worker)
            self._lent.append(worker)
            return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._lent.remove(worker)
            if not self._is_closed:
                self._idle.append(worker)
                return
        worker.kill()

    def _replace(self, worker: WorkerProcess) -> None:
        worker.kill()
        with self._lock:
            self._lent.remove(worker)
            if not self._is_closed:
                self._idle.append(self._spawn())

    def _spawn(self) -> WorkerProcess:
        return WorkerProcess(memory_bytes=self._memory_bytes)
