"""Sums over the child spans of a generation: model calls, retrieval, executions.

The rollup of the open generation is in the OpenTelemetry context, where a span processor finds it
as the parent context of any child span. Tests: `tests/telemetry/test_usage.py`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

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
    _llm_s: float | None = None
    _retrieval_s: float | None = None
    _execution_s: float | None = None
    _input_tokens: int | None = None
    _output_tokens: int | None = None
    _cost_usd: float | None = None
    _model: str | None = None
    _model_calls = 0
    _foreign_calls = 0

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def model(self) -> str | None:
        """The model of the last call that named one."""
        return self._model

    @property
    def model_calls(self) -> int:
        """Number of model calls."""
        return self._model_calls

    @property
    def foreign_calls(self) -> int:
        """Number of model calls read from spans of other instrumentations."""
        return self._foreign_calls

    @property
    def stages(self) -> StageTimes:
        """The stage times so far, without the time to first token."""
        if self._llm_s is self._retrieval_s is self._execution_s is None:
            return _NO_STAGES
        return StageTimes(
            llm_s=self._llm_s, retrieval_s=self._retrieval_s, execution_s=self._execution_s
        )

    @property
    def usage(self) -> Usage:
        """Tokens and cost so far."""
        if self._input_tokens is self._output_tokens is self._cost_usd is None:
            return _NO_USAGE
        return Usage(self._input_tokens, self._output_tokens, self._cost_usd)

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
            self.is_touched = True
            self._model_calls += 1
            self._foreign_calls += is_foreign
            self._llm_s = _plus(self._llm_s, duration_s)
            self._model = model or self._model
        if usage is not None:
            self.add_usage(usage)

    def add_usage(self, usage: Usage, *, model: str | None = None) -> None:
        """Add tokens and cost of a call whose duration is added elsewhere or unknown."""
        with self._lock:
            self.is_touched = True
            self._model = model or self._model
            self._input_tokens = _plus(self._input_tokens, usage.input_tokens)
            self._output_tokens = _plus(self._output_tokens, usage.output_tokens)
            self._cost_usd = _plus(self._cost_usd, usage.cost_usd)

    def set_model(self, model: str) -> None:
        """Set the model of a call whose duration is not added."""
        self.is_touched = True
        self._model = model

    def add_retrieval(self, duration_s: float) -> None:
        """Add one search for the tables that a question is about."""
        with self._lock:
            self.is_touched = True
            self._retrieval_s = _plus(self._retrieval_s, duration_s)

    def add_execution(self, duration_s: float) -> None:
        """Add one execution of SQL."""
        with self._lock:
            self.is_touched = True
            self._execution_s = _plus(self._execution_s, duration_s)


_Number = TypeVar("_Number", int, float)
_NO_STAGES = StageTimes()
_NO_USAGE = Usage()


def _plus(total: _Number | None, more: _Number | None) -> _Number | None:
    if more is None:
        return total
    return more if total is None else total + more
