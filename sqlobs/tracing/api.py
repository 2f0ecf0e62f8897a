"""The module functions of `sqlobs`: methods of the default instance.

Tests: `tests/architecture/test_foundation.py`.
"""

from __future__ import annotations

from sqlobs.tracing.instance import current_generation, default_instance

__all__ = [
    "aflush",
    "configure",
    "context",
    "current_generation",
    "flush",
    "record_feedback",
    "shutdown",
    "trace_execution",
    "trace_generation",
    "trace_llm",
    "trace_retrieval",
]

_default = default_instance()

aflush = _default.aflush
configure = _default.configure
context = _default.context
flush = _default.flush
record_feedback = _default.record_feedback
shutdown = _default.shutdown
trace_execution = _default.trace_execution
trace_generation = _default.trace_generation
trace_llm = _default.trace_llm
trace_retrieval = _default.trace_retrieval
