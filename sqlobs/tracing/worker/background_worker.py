"""A thread with a bounded queue, which checks, counts and sends ended requests."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

from sqlobs.check.parsing.stack import start_on_big_stack
from sqlobs.fork_guard import ForkGuard, forget_in_child
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.worker.pace import Pace
from sqlobs.tracing.worker.task import Barrier, Task
from sqlobs.tracing.worker.watchdog import Watchdog

DEADLINE_S: Final = 5.0
"""Longest wait of a span for its verdict: enough for a burst on a cold process, and shorter than
tail samplers wait."""
DRAIN_S: Final = 5.0
"""Longest wait at exit for the queue."""
_IDLE_S: Final = 1.0
"""After so long without a task the worker blocks on the queue, and uses no CPU."""


class BackgroundWorker:
    """A bounded queue and one thread, started by `release` or by the first task of a process."""

    def __init__(
        self,
        *,
        capacity: int,
        deadline_s: float = DEADLINE_S,
        is_warm: Callable[[], bool] = lambda: True,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        self._capacity = capacity
        self._is_warm = is_warm
        self._deadline_s = deadline_s
        self._on_start = on_start
        self._fork_guard = ForkGuard()
        self.forget()
        forget_in_child(self)

    def forget(self) -> None:
        """Start anew in a forked child: the queue belongs to the parent."""
        self._pid = os.getpid()
        self._lock = threading.Lock()  # guards the start of the threads
        self._queue: SimpleQueue[Task | None] = SimpleQueue()
        self._checks: deque[Task] = deque()
        """Done first: spans wait for them."""
        self._others: deque[Task | None] = deque()
        self._thread: threading.Thread | None = None
        self._busy: Task | None = None
        self._is_closed = False
        self._is_running = False
        self._is_held = False
        self._is_announced = False
        self._nudge = threading.Event()
        """Set by whoever waits for the worker, so that it looks at its queue now."""
        self._pace = Pace()
        self._watchdog = Watchdog(self._deadline_s, is_warm=self._is_warm)

    @property
    def size(self) -> int:
        """The queue depth."""
        return self._queue.qsize() + len(self._checks) + len(self._others)

    def submit(self, task: Task, *, has_deadline: bool = False) -> bool:
        """Queue a task; False where the queue is full or closed, or no thread can be started."""
        size = self._queue.qsize() + len(self._checks) + len(self._others)
        if self._is_closed or size >= self._capacity:
            return False
        if not (self._is_running or self._is_held or self.ensure_started()):
            return False
        self._announce()
        if has_deadline:
            self._watchdog.watch(task)
        self._queue.put(task)
        if not (self._is_running or self._is_held):  # released meanwhile
            self.ensure_started()
        if size == self._capacity // 2:
            self.hurry()
        return True

    def hurry(self) -> None:
        """Have the worker look at its queue now: somebody waits for it."""
        self._nudge.set()

    def hold(self) -> None:
        """Queue tasks without starting threads, until `release`.

        Starting a thread while another one is busy costs the caller several times the
        interpreter's switch interval.
        """
        self._is_held = self._watchdog.is_held = True

    def release(self) -> None:
        """Start worker and watchdog now, so that no request waits until they are scheduled."""
        self._is_held = False
        if not self._is_closed and self._try_to_start():
            self._watchdog.release()

    def postpone(self, task: Task) -> None:
        """Continue a half-done task after the queued checks."""
        self._others.appendleft(task)  # ahead of a barrier queued later

    def hand_over(self, task: Task) -> None:
        """Queue a task from a finalizer: without a lock, a new thread or a size limit."""
        self._queue.put(task)

    def ensure_started(self) -> bool:
        """Start the worker unless it runs; False where the process cannot start threads."""
        thread = self._thread
        if thread is not None and thread.is_alive() and self._pid == os.getpid():
            return True
        if not self._try_to_start():
            return False
        self._announce()
        return True

    def _try_to_start(self) -> bool:
        if self._pid != os.getpid():
            self.forget()
        # It fails at exit, or at the system's limit of threads
        with INTERNAL_ERRORS.contained("worker.start"), self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = start_on_big_stack(self._run, name="sqlobs-worker")
                self._is_running = True
            return True
        return False

    def _announce(self) -> None:
        if not self._is_announced:
            self._is_announced = True
            if self._on_start is not None:
                self._on_start()

    def _run(self) -> None:
        try:
            while (task := self._next()) is not None:
                self._busy = task
                self._pace.did(is_awaited=task.is_awaited)
                with self._fork_guard, INTERNAL_ERRORS.contained("worker"):
                    task.work()
                self._busy = None
        finally:
            self._is_running = False

    def _next(self) -> Task | None:
        """Return the next task, checks first.

        While tasks keep coming the worker polls, 4 to 20 times a second, instead of blocking on
        the queue: waking a blocked thread would cost the caller more than everything else.
        """
        idle_at_s = monotonic() + _IDLE_S
        while monotonic() < idle_at_s:
            while self._take():
                with suppress(IndexError):  # `close` took it
                    return self._pop()
            self._nudge.wait(self._pace.pause_s())
            self._nudge.clear()
        self._sort(self._queue.get())
        return self._next()

    def _take(self) -> bool:
        """Move tasks from the queue to the deques; False where there are none."""
        with suppress(Empty):
            while True:
                self._sort(self._queue.get_nowait())
        return bool(self._checks or self._others)

    def _sort(self, task: Task | None) -> None:
        if task is not None and task.is_awaited:
            self._checks.append(task)
        else:
            self._others.append(task)

    def _pop(self) -> Task | None:
        return self._checks.popleft() if self._checks else self._others.popleft()

    # -- flush and exit -------------------------------------------------------------------------

    def flush(self, timeout_s: float) -> bool:
        """Wait until all tasks queued so far are done; False at the timeout."""
        if self._pid != os.getpid() or threading.current_thread() is self._thread:
            return True
        if self._thread is None and not self.size:
            return True
        if not self.ensure_started():
            self._work_off(monotonic() + timeout_s)
            return not self.size
        barrier = Barrier()
        self._queue.put(barrier)
        self.hurry()
        return barrier.reached.wait(timeout_s)

    def close(self, timeout_s: float = DRAIN_S) -> bool:
        """Work off the queue, drop the rest at the timeout, stop the threads."""
        if self._pid != os.getpid():
            return True
        until = monotonic() + timeout_s
        self._is_closed = True
        is_drained = self.flush(timeout_s)
        self._work_off(until)
        self._watchdog.stop()
        busy = self._busy
        if busy is not None and not is_drained:
            busy.drop("timeout")
        self._queue.put(None)
        self.hurry()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(0.0, until - monotonic()))
        return is_drained

    def _work_off(self, until: float) -> None:
        """Work off the queue on this thread; drop tasks once the time is up."""
        while self._take():
            task = None
            with suppress(IndexError):  # the worker took it
                task = self._pop()
            if task is None:
                continue
            if monotonic() >= until:
                task.drop("timeout")
                continue
            with INTERNAL_ERRORS.contained("worker"):
                task.work()
