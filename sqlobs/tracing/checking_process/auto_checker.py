"""Who checks under `check="auto"`: the application, until a check may delay somebody else."""

from __future__ import annotations

from asyncio.events import _get_running_loop
from dataclasses import replace
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.checking_process.checker import ProcessChecker

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.checking import Checker
    from sqlobs.tracing.checking_process.messages import Terms
    from sqlobs.tracing.options.option_layer import Resolved

LONG: Final = 1024
"""Characters beyond which a statement waits on the worker for a process that starts: its check
would hold Python's lock for more than a few milliseconds."""
START_WAIT_S: Final = 2.0
"""Longest of these waits; a start takes half a second on an idle machine."""


class AutoChecker:
    """Checks here for a single thread, and in a process for an event loop or several threads.

    The process is started in the background; until it is up short statements are checked here, and
    all of them where it does not start.
    """

    def __init__(self, terms: Terms) -> None:
        self._there = ProcessChecker(terms)
        self._here = self._there.here
        self._caller: int | None = None
        """The thread of the first traced call."""
        self._is_shared = False
        """A check here may delay somebody else."""
        self._starting = Lock()  # held while the process is started
        self._starter: Thread | None = None

    @property
    def process_id(self) -> int | None:
        """The id of the checking process; None where there is none."""
        return self._there.process_id

    @property
    def is_up(self) -> bool:
        """Whether the process has loaded what checks need, and answers."""
        return self._there.process.is_ready and not self._starting.locked()

    def note_caller(self) -> None:
        """Note whose statement is about to be checked; called on the thread of the traced call."""
        if self._is_shared:
            return
        thread = get_ident()
        if self._caller is None:
            self._caller = thread
        self._is_shared = thread != self._caller or _get_running_loop() is not None

    def await_process(self, sql: str, resolved: Resolved) -> None:
        """Wait for a start in progress before a long statement is checked on the worker."""
        if not self._is_shared or len(sql) <= LONG or self.is_up:
            return
        self._start(resolved)
        if (starter := self._starter) is not None:
            starter.join(START_WAIT_S)

    def check(self, sql: str, resolved: Resolved) -> CheckReport:
        """Return the report of a statement."""
        return self._chosen(resolved).check(sql, resolved)

    def _chosen(self, resolved: Resolved) -> Checker | ProcessChecker:
        if not self._is_shared:
            return self._here
        if self.is_up:
            return self._there
        self._start(resolved)
        return self._here

    def _start(self, resolved: Resolved) -> None:
        """Start the process on a thread, unless it is being started or did not start lately."""
        if not (self._there.process.may_start and self._starting.acquire(blocking=False)):
            return
        starter = Thread(
            target=self._prepare,
            args=(replace(resolved, stale_source=None),),
            name="sqlobs-checking-process",
            daemon=True,
        )
        try:
            starter.start()
            self._starter = starter
        except RuntimeError:  # the limit of threads, or the exit: the next check tries again
            self._starting.release()

    def _prepare(self, resolved: Resolved) -> None:
        try:
            self._there.warm_up(resolved)
        finally:
            self._starting.release()

    def warm_up(self, resolved: Resolved) -> None:
        """Load modules and schema here."""
        self._here.warm_up(resolved)

    def is_warm(self, resolved: Resolved) -> bool:
        """Return whether modules and schema are loaded here."""
        return self._here.is_warm(resolved)

    @property
    def is_loaded(self) -> bool:
        """Whether a check waits for no parser."""
        return self._here.is_loaded

    def is_quick(self, sql: str, resolved: Resolved) -> bool:
        """Return whether the caller may check: it delays nobody else, and itself not for long."""
        return not self._is_shared and self._here.is_quick(sql, resolved)

    def close(self) -> None:
        """End the process."""
        self._there.close()
