"""A bounded number of workers, one of them spare, so that a kill costs nobody a start."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlobs.execution.process import PoolClosedError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


_SPARE: Final = ""
"""No target's alias: the worker is lent besides those that run statements."""


class Pool:
    """Lends workers; a broken one is killed and replaced at once."""

    def __init__(self, size: int, *, memory_bytes: int) -> None:
        self._size = size
        self._memory_bytes = memory_bytes
        self._changed = threading.Condition()  # its lock protects all that follows
        self._is_closed = False
        self._lent: dict[WorkerProcess, str] = {}
        """Those at work, each with the alias of its target."""
        self._idle = [self._spawn() for _ in range(size + 1)]

    @contextmanager
    def lent(self, alias: str, *, connections: int) -> Iterator[WorkerProcess]:
        """Lend a worker, one that has the target open if there is one; wait for a free one.

        It is kept only if the block ends without an exception and leaves it unbroken.

        Args:
            alias: The target's.
            connections: How many workers may have the target open at a time.

        Raises:
            PoolClosedError: The pool is closed.
        """
        worker = self._take(alias, connections)
        try:
            yield worker
        except BaseException:
            self._replace(worker)
            raise
        if worker.is_broken:
            self._replace(worker)
        else:
            self._give_back(worker)

    def spare(self) -> AbstractContextManager[WorkerProcess]:
        """Lend the worker that is kept besides, for what must not wait for statements.

        Raises:
            PoolClosedError: The pool is closed.
        """
        return self.lent(_SPARE, connections=1)

    def close(self) -> None:
        """Kill all workers that are idle now, the others when they come back."""
        with self._changed:
            self._is_closed = True
            idle, self._idle = self._idle, []
            self._changed.notify_all()
        for worker in idle:
            worker.kill()

    def interrupt(self) -> None:
        """End all workers now, those that are lent, too."""
        with self._changed:
            self._is_closed = True
            for worker in self._lent:
                worker.shoot()
        self.close()

    def _take(self, alias: str, connections: int) -> WorkerProcess:
        with self._changed:
            while (worker := self._choice(alias, connections)) is None:
                self._changed.wait()
            self._idle.remove(worker)
            self._lent[worker] = alias
            return worker

    def _choice(self, alias: str, connections: int) -> WorkerProcess | None:
        """Return the worker to lend; None while there is none, or none may open the target."""
        if self._is_closed:
            raise PoolClosedError("the executor is closed")
        running = sum(lent != _SPARE for lent in self._lent.values())
        if alias != _SPARE and running >= self._size:
            return None
        having = [worker for worker in self._idle if alias in worker.opened]
        if having:
            return having[0]
        others = sum(alias in (lent, *worker.opened) for worker, lent in self._lent.items())
        if others >= connections:
            return None
        ready = [worker for worker in self._idle if worker.is_ready]
        return (ready or self._idle)[0]

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._changed:
            del self._lent[worker]
            self._changed.notify_all()
            if not self._is_closed:
                self._idle.append(worker)
                return
        worker.kill()

    def _replace(self, worker: WorkerProcess) -> None:
        worker.kill()
        with self._changed:
            del self._lent[worker]
            self._changed.notify_all()
            if not self._is_closed:
                self._idle.append(self._spawn())

    def _spawn(self) -> WorkerProcess:
        return WorkerProcess(memory_bytes=self._memory_bytes)
