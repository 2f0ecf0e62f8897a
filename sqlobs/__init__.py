"""Tracing and observability for production text-to-SQL.

Importing this package loads nothing heavy: each public name is imported at its first use (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sqlobs._version import __version__

if TYPE_CHECKING:
    from sqlobs.check.checker import check_sql, check_sql_async
    from sqlobs.check.profile import Profile
    from sqlobs.check.report import CheckReport, Finding
    from sqlobs.schema.live.source import SchemaSource
    from sqlobs.schema.model import Column, ForeignKey, Schema, Table

__all__ = [
    "CheckReport",
    "Column",
    "Finding",
    "ForeignKey",
    "Profile",
    "Schema",
    "SchemaSource",
    "Table",
    "__version__",
    "check_sql",
    "check_sql_async",
]

_HOMES = {
    "CheckReport": "sqlobs.check.report",
    "Column": "sqlobs.schema.model",
    "Finding": "sqlobs.check.report",
    "ForeignKey": "sqlobs.schema.model",
    "Profile": "sqlobs.check.profile",
    "Schema": "sqlobs.schema.model",
    "SchemaSource": "sqlobs.schema.live.source",
    "Table": "sqlobs.schema.model",
    "check_sql": "sqlobs.check.checker",
    "check_sql_async": "sqlobs.check.checker",
}


def __getattr__(name: str) -> object:
    """Import a public name from its home at its first use."""
    if name not in _HOMES:
        message = f"module 'sqlobs' has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
