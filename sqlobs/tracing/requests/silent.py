"""A request while telemetry is disabled."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from sqlobs.tracing.conditions.scope import current_scope
from sqlobs.tracing.requests.request import Request
from sqlobs.tracing.requests.rollup import Rollup

if TYPE_CHECKING:
    from sqlobs.tracing.conditions.arguments import Arguments
    from sqlobs.tracing.requests.operation import GenerationOperation
    from sqlobs.tracing.runtime import Runtime


class SilentRequest(Request):
    """A request while telemetry is disabled: `attempt` still checks, nothing is recorded."""

    def __init__(
        self, runtime: Runtime, operation: GenerationOperation, arguments: Arguments
    ) -> None:
        self.runtime = runtime
        self.operation = operation
        self.ambient = current_scope().ambient
        self._arguments = arguments
        self.outer = None
        if self.ambient is not None:
            self.ambient.started(self)

    @cached_property
    def lock(self) -> threading.Lock:  # type: ignore[override]  # made when first asked for
        """Guards the numbering of attempts."""
        return threading.Lock()

    @cached_property
    def rollup(self) -> Rollup:  # type: ignore[override]  # made when first asked for
        """Takes what nobody reads."""
        return Rollup()

    def returned(self, value: object) -> None:  # noqa: ARG002 - the protocol's signature
        """Record nothing."""
        self.is_open = False

    def raised(self, error: BaseException) -> None:  # noqa: ARG002 - the protocol's signature
        """Record nothing."""
        self.is_open = False

    def chunk(self, value: object) -> None:
        """Record nothing."""

    def exhausted(self, value: object) -> None:  # noqa: ARG002 - the protocol's signature
        """Record nothing."""
        self.is_open = False

    def closed(self, *, is_abandoned: bool = False) -> None:  # noqa: ARG002 - the protocol's
        """Record nothing."""
        self.is_open = False
