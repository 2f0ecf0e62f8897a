"""Sums over the child spans of a generation: model calls, retrieval, executions.

The rollup of the open generation is in the OpenTelemetry context, where a span processor finds it
as the parent context of any child span. Tests: `tests/telemetry/test_usage.py`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Literal

from opentelemetry import context as context_api

from sqlobs.tracing.records.record import StageTimes, Usage

if TYPE_CHECKING:
    from opentelemetry.context import Context

ROLLUP_KEY = context_api.create_key("sqlobs-rollup")


def rollup_of(context: Context | None = None) -> Rollup | None:
    """Return the rollup of the generation open in a context, by default the current one."""
    found = context_api.get_value(ROLLUP_KEY, context)
    return found if isinstance(found, Rollup) else None


class Rollup:
    """Sums over the child spans of one generation. Safe to use from several threads."""

    is_touched = False
    """True once anything was added."""
    model: str | None = None
    """The model of the last call that named one."""
    model_calls = 0
    foreign_calls = 0
    """Model calls read from spans of other instrumentations."""
    stages = StageTimes()
    """The stage times so far, without the time to first token."""
    usage = Usage()

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def add_model_call(
        self,
        *,
        duration_s: float,
        model: str | None = None,
        usage: Usage | None = None,
        is_foreign: bool = False,
    ) -> None:
        """Add one call of a model; an unknown count leaves the sum as it is."""
        with self._lock:
            self.model_calls += 1
            self.foreign_calls += is_foreign
        self.add_time("llm_s", duration_s)
        self.add_usage(usage or Usage(), model=model)

    def add_usage(self, usage: Usage, *, model: str | None = None) -> None:
        """Add tokens and cost of a call whose duration is added elsewhere or unknown."""
        with self._lock:
            self.is_touched = True
            self.model = model or self.model
            self.usage = self.usage.plus(usage)

    def add_time(
        self, stage: Literal["llm_s", "retrieval_s", "execution_s"], duration_s: float
    ) -> None:
        """Add the duration of one stage."""
        with self._lock:
            self.is_touched = True
            self.stages = self.stages.plus(StageTimes(**{stage: duration_s}))
