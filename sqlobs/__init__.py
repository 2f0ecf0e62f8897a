"""Tracing and observability for production text-to-SQL.

Decorate a generator with `trace_generation`, configure once with `configure`, check a statement
with `check_sql`. Importing this package loads nothing heavy: each public name is imported at its
first use (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING

from sqlobs._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.check.checker import check_sql, check_sql_async
    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.policy import Policy
    from sqlobs.check.report.model import CheckReport, Finding
    from sqlobs.schema.content import Column, ForeignKey, Table
    from sqlobs.schema.model import Schema
    from sqlobs.schema.source import SchemaSource
    from sqlobs.tracing.instance import (
        Sqlobs,
        aflush,
        configure,
        context,
        current_generation,
        flush,
        record_feedback,
        shutdown,
        trace_execution,
        trace_generation,
        trace_llm,
        trace_retrieval,
    )
    from sqlobs.tracing.requests.generation import Generation

__all__ = [
    "CheckReport",
    "Column",
    "Finding",
    "ForeignKey",
    "Generation",
    "Policy",
    "Profile",
    "Schema",
    "SchemaSource",
    "Sqlobs",
    "Table",
    "__version__",
    "aflush",
    "check_sql",
    "check_sql_async",
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

_HOMES = {
    "CheckReport": "sqlobs.check.report.model",
    "Column": "sqlobs.schema.content",
    "Finding": "sqlobs.check.report.model",
    "ForeignKey": "sqlobs.schema.content",
    "Generation": "sqlobs.tracing.requests.generation",
    "Policy": "sqlobs.check.policy",
    "Profile": "sqlobs.check.engine.profile",
    "Schema": "sqlobs.schema.model",
    "SchemaSource": "sqlobs.schema.source",
    "Sqlobs": "sqlobs.tracing.instance",
    "Table": "sqlobs.schema.content",
    "aflush": "sqlobs.tracing.instance",
    "check_sql": "sqlobs.check.checker",
    "check_sql_async": "sqlobs.check.checker",
    "configure": "sqlobs.tracing.instance",
    "context": "sqlobs.tracing.instance",
    "current_generation": "sqlobs.tracing.instance",
    "flush": "sqlobs.tracing.instance",
    "record_feedback": "sqlobs.tracing.instance",
    "shutdown": "sqlobs.tracing.instance",
    "trace_execution": "sqlobs.tracing.instance",
    "trace_generation": "sqlobs.tracing.instance",
    "trace_llm": "sqlobs.tracing.instance",
    "trace_retrieval": "sqlobs.tracing.instance",
}


def lazy_names(module: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a module's `__getattr__`: it imports a public name from its home at its first use."""

    def get(name: str) -> object:
        if name not in homes:
            message = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(message)
        value: object = getattr(import_module(homes[name]), name)
        setattr(modules[module], name, value)
        return value

    return get


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
