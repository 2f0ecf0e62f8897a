"""What a schema tells of structures, arrays and maps, where the engine was not asked for types."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.resolution import ColumnFault
from sqlobs.check.resolver.scope import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk

_STRUCTURES: Final = frozenset({exp.DType.STRUCT, exp.DType.NESTED})


@lru_cache(maxsize=1024)
def _parsed(declared: str, dialect: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(declared, dialect=dialect)
    except (SqlglotError, ValueError):
        return None


@lru_cache(maxsize=1024)
def fields_of(declared: str, dialect: str) -> Mapping[str, PreparedColumn] | None:
    """Return the fields of a declared structure by lower-case name; None: it is none.

    >>> sorted(fields_of("STRUCT<city STRING, zip INT64>", "bigquery"))
    ['city', 'zip']
    """
    found = _parsed(declared, dialect)
    if found is None or found.this not in _STRUCTURES:
        return None
    if not all(isinstance(field, exp.ColumnDef) for field in found.expressions):
        return None
    return {
        field.name.lower(): PreparedColumn(field.name, declared=_text(field.args["kind"], dialect))
        for field in found.expressions
    }


@lru_cache(maxsize=1024)
def parts_of(declared: str, dialect: str) -> tuple[str, ...]:
    """Return the declared type of an array's elements, or those of a map's keys and values."""
    found = _parsed(declared, dialect)
    if found is None or found.this not in {exp.DType.ARRAY, exp.DType.MAP}:
        return ()
    return tuple(_text(part, dialect) or "" for part in found.expressions)


def element_of(declared: str, dialect: str) -> str | None:
    """Return the declared type of the elements of an array; None: it is none, or not known."""
    parts = parts_of(declared, dialect)
    return parts[0] if len(parts) == 1 else None


def _text(kind: exp.Expr | None, dialect: str) -> str | None:
    return kind.sql(dialect) if kind is not None else None


def field_declared(
    walk: Walk, column: PreparedColumn, names: Sequence[exp.Expr], scope: Scope
) -> PreparedColumn | None:
    """Follow `.a.b` from a column with a structure; record the first field that does not exist.

    Of an array of structures, Spark and ClickHouse read a field of each element.

    Returns:
        The last field; None: the schema does not tell it.
    """
    found = column
    for name in names:
        declared = found.declared or ""
        fields = fields_of(element_of(declared, walk.dialect) or declared, walk.dialect)
        key = name.name.lower()
        if fields is None or key in _PARTS or key.isdecimal():
            return None
        if key not in fields:
            having = Relation(found.name, dict(fields))
            walk.facts.column_faults.append(ColumnFault(name, None, "misplaced", scope, (having,)))
            return None
        found = fields[key]
    return found


_PARTS: Final = frozenset({"size0", "null", "keys", "values"})
"""What ClickHouse calls the parts that it stores of a column."""


def exploded(walk: Walk, call: exp.Expr, declared: str | None) -> list[PreparedColumn] | None:
    """Return what Spark's `explode` and its like give; None: the schema does not tell it."""
    name = call.name.lower().removesuffix("_outer")
    if declared is None or name not in {"explode", "posexplode", "inline"}:
        return None
    parts = parts_of(declared, walk.dialect)
    if name == "inline":
        fields = fields_of(parts[0], walk.dialect) if len(parts) == 1 else None
        return [*fields.values()] if fields else None
    if not parts:
        return None
    names = ("col",) if len(parts) == 1 else ("key", "value")
    given = [PreparedColumn(one, declared=kind) for one, kind in zip(names, parts, strict=True)]
    return [PreparedColumn("pos"), *given] if name == "posexplode" else given
