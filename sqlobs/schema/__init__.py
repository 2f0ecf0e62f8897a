"""Schemas: tables, columns and keys, from DDL, mappings or live databases.

`Schema` holds `Table`s with `Column`s and `ForeignKey`s and has one constructor for each source;
`SchemaSource` refreshes one in the background. `changes` lists each `Change` between two schemas.

Tests: `tests/schema/test_model.py`.
Tests of gaps: `tests/cli/test_schema_command.py`.
Tests of bird, dbt: `tests/schema/test_dbt_and_bird.py`.
Tests of alteration, creation, cursor, definitions, lexing, reading: `tests/schema/test_ddl.py`.
Tests of script, views, workbench: `tests/schema/test_ddl.py`.
Tests of source: `tests/schema/test_live.py`.
Tests of declared_type, difference, type_lexing: `tests/schema/test_nested.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.schema.content import Column, ForeignKey, Table
    from sqlobs.schema.difference import Change, changes
    from sqlobs.schema.model import Schema
    from sqlobs.schema.source import SchemaSource

__all__ = [
    "Change",
    "Column",
    "ForeignKey",
    "Schema",
    "SchemaSource",
    "Table",
    "changes",
]

_HOMES = {
    "Change": "sqlobs.schema.difference",
    "Column": "sqlobs.schema.content",
    "ForeignKey": "sqlobs.schema.content",
    "Schema": "sqlobs.schema.model",
    "SchemaSource": "sqlobs.schema.source",
    "Table": "sqlobs.schema.content",
    "changes": "sqlobs.schema.difference",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
