"""A request while telemetry is disabled. Tests: `tests/telemetry/test_config.py`."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.requests.request import Request
from sqlobs.tracing.requests.rollup import Rollup

if TYPE_CHECKING:
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.requests.operation import GenerationOperation
    from sqlobs.tracing.runtime import Runtime


class SilentRequest(Request):
    """A request that records nothing; `attempt` still checks."""

    outer = None
    _is_settled = True

    def __init__(
        self, runtime: Runtime, operation: GenerationOperation, arguments: Arguments
    ) -> None:
        self.runtime = runtime
        self.operation = operation
        self.context_block = current_scope().context_block
        self._arguments = arguments
        if self.context_block is not None:
            self.context_block.started(self)

    @cached_property
    def lock(self) -> threading.Lock:  # type: ignore[override]  # made at first use
        """Guards the numbering of attempts."""
        return threading.Lock()

    @cached_property
    def rollup(self) -> Rollup:  # type: ignore[override]  # made at first use
        """Sums that are never read."""
        return Rollup()

    def _end(self, *_: object, is_abandoned: bool = False) -> None:  # noqa: ARG002 - as `closed`
        self.is_open = False

    returned = raised = exhausted = closed = _end

    def chunk(self, value: object) -> None:
        """Record nothing."""
