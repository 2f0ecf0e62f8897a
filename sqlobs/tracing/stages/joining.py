"""Finds the generation whose answer an executed statement is.

Candidates are those of its context, else of its trace; the final SQL must have the same text, else
the same fingerprint. Without a match nothing is compared.
Tests: `tests/tracing/test_executions.py`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from opentelemetry.context import Context, get_current
from opentelemetry.trace import get_current_span

from sqlobs.tracing.options.scope import Scope, current_scope

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.requests.answer import Attempt
    from sqlobs.tracing.requests.request import Request
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.types import Label


def candidates_for(runtime: Runtime, scope: Scope | Request, context: Context) -> list[Request]:
    """Return the generations that an execution may belong to, the most likely first."""
    found: dict[int, Request] = {}
    if scope.request is not None:
        found[id(scope.request)] = scope.request
    around = () if scope.context_block is None else scope.context_block.requests
    outer = get_current_span(context).get_span_context()
    for request in reversed(around):
        found.setdefault(id(request), request)
    if not found and outer.is_valid:
        found = {id(request): request for request in runtime.recent.of_trace(outer.trace_id)}
    return [request for request in found.values() if request.runtime is runtime]


def may_join(runtime: Runtime, sql: str) -> bool:
    """Return, without a check, whether a statement may be that of a generation.

    It runs inside one, or its text is the answer of one that ended in the same context.
    """
    text = _bare(sql)
    return any(
        request.is_open
        or request.is_pending
        or any(_is_text_of(attempt, text) for attempt in request.answers())
        for request in candidates_for(runtime, current_scope(), get_current())
    )


class Join:
    """The generation and the report of one executed statement."""

    def __init__(
        self, sql: str | None, *, candidates: list[Request], scope: Scope | Request
    ) -> None:
        self._sql = sql
        self._candidates = candidates
        self._attempt: Attempt | None = None
        self.open_request = (
            scope.request if scope.request is not None and scope.request.is_open else None
        )
        """The generation open around the execution."""
        self.request: Request | None = None
        """The generation whose SQL this is."""
        self.report: CheckReport | None = None
        if sql is not None:
            self._match_text(_bare(sql))

    def _match_text(self, text: str) -> None:
        for request in self._candidates:
            for attempt in request.answers():
                if _is_text_of(attempt, text):
                    self.request, self.report, self._attempt = request, attempt.report, attempt
                    return

    def take_attempt(self, request: Request, *, worked: bool) -> None:
        """Add the statement as an agent's attempt, and compare with its check."""
        if self._sql is None:
            return
        attempt, _ = request.add_attempt(self._sql, worked=worked)
        self.request, self._attempt, self.report = request, attempt, attempt.report

    @property
    def target(self) -> str | None:
        """The target of the generation, for an execution without one."""
        return None if self.request is None else self.request.resolve().context.target

    @property
    def static_label(self) -> Label | None:
        """Both labels together: fail if one fails, pass if both pass."""
        if self.report is None:
            return None
        labels = (self.report.syntactic, self.report.schematic)
        if False in labels:
            return "fail"
        return "not_evaluated" if None in labels else "pass"

    def is_quick(self, runtime: Runtime) -> bool:
        """Return whether the check may run on the caller's thread."""
        if self._sql is None or self.report is not None or runtime.is_check_off:
            return True
        if any(request.is_pending for request in self._candidates):
            return False
        resolved = self._like().resolve() if self._candidates else runtime.resolved
        return runtime.checks_inline(self._sql, resolved)

    def check(self, runtime: Runtime) -> None:
        """Check the statement unless it has a report, then match by fingerprint."""
        if self._attempt is not None and self.report is None:
            self.report = self._attempt.report  # checked by the worker in the meantime
        if self._sql is None or self.report is not None or runtime.is_check_off:
            return
        resolved = self._like().resolve() if self._candidates else runtime.resolved
        report = runtime.checker.check(self._sql, resolved)
        self.report = report
        if self._attempt is not None:
            self._attempt.report = report
        else:
            self.request = _by_fingerprint(report.fingerprint, self._candidates)

    def _like(self) -> Request:
        return self.request or self._candidates[0]


def _by_fingerprint(fingerprint: str | None, candidates: Iterable[Request]) -> Request | None:
    if fingerprint is None:
        return None
    for request in candidates:
        for attempt in request.answers():
            if attempt.report is not None and attempt.report.fingerprint == fingerprint:
                return request
    return None


def _is_text_of(attempt: Attempt, text: str) -> bool:
    report = attempt.report
    return _bare(attempt.text) == text or (report is not None and _bare(report.sql) == text)


def _bare(sql: str) -> str:
    return sql.strip().rstrip(";").rstrip()


RECENT: Final = 1024
"""Number of generations kept."""


class RecentGenerations:
    """The last generations, sorted by trace at the first lookup."""

    def __init__(self) -> None:
        self._new: deque[Request] = deque(maxlen=RECENT)
        """Not sorted yet: a request only pays for an append."""
        self._sorted: deque[Request] = deque()
        self._by_trace: dict[int, deque[Request]] = {}
        self._lock = threading.Lock()  # guards the sorted ones

    def append(self, request: Request) -> None:
        """Add a generation that starts."""
        self._new.append(request)

    def of_trace(self, trace_id: int) -> Iterable[Request]:
        """Return the generations of a trace, newest first."""
        with self._lock:
            while self._new:
                self._sort(self._new.popleft())
            return tuple(reversed(self._by_trace.get(trace_id, ())))

    def _sort(self, request: Request) -> None:
        self._sorted.append(request)
        self._by_trace.setdefault(request.identity.trace_id, deque()).append(request)
        if len(self._sorted) > RECENT:
            oldest = self._sorted.popleft().identity.trace_id
            self._by_trace[oldest].popleft()
            if not self._by_trace[oldest]:
                del self._by_trace[oldest]
