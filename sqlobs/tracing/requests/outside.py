"""The handle outside any request: it checks, and records nothing. Tests: `test_handles.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.tracing.checking import unchecked
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import Arguments
from sqlobs.tracing.options.option_layer import NO_OPTIONS
from sqlobs.tracing.options.option_resolution import resolve
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.generation import Generation

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.runtime import Runtime


class OutsideGeneration(Generation):
    """The handle outside any request, where `attempt` checks with the options of the context."""

    __slots__ = ("_runtime",)

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        super().__init__()
        self._runtime = runtime

    def attempt(self, sql: str) -> CheckReport:
        """Check a statement; never raises."""
        try:
            runtime, block = self._runtime(), current_scope().context_block
            options = NO_OPTIONS if block is None else block.options
            resolved = resolve(options.over(runtime.options), Arguments(None))
            text = text_in(sql)
            if text is None:
                return unchecked("", reason="undecided")
            return runtime.checker.check(text, resolved)
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("attempt", error)
            return unchecked(sql if type(sql) is str else "", reason="error")
