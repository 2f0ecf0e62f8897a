"""Fields of structured values: what a schema or a type system says of them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.model.resolution import ColumnUse
from sqlobs.check.resolver.model.scope import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.resolver.model.scope import Scope
    from sqlobs.check.resolver.model.state import State
    from sqlobs.check.types.system import Type

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
        field.name.lower(): PreparedColumn(
            field.name, declared=_type_text(field.args["kind"], dialect)
        )
        for field in found.expressions
    }


@lru_cache(maxsize=1024)
def parts_of(declared: str, dialect: str) -> tuple[str, ...]:
    """Return the declared type of an array's elements, or those of a map's keys and values."""
    found = _parsed(declared, dialect)
    if found is None or found.this not in {exp.DType.ARRAY, exp.DType.MAP}:
        return ()
    return tuple(_type_text(part, dialect) or "" for part in found.expressions)


def element_of(declared: str, dialect: str) -> str | None:
    """Return the declared type of the elements of an array; None: it is none, or not known."""
    parts = parts_of(declared, dialect)
    return parts[0] if len(parts) == 1 else None


def _type_text(kind: exp.Expr | None, dialect: str) -> str | None:
    return kind.sql(dialect) if kind is not None else None


def field_declared(
    state: State, column: PreparedColumn, names: Sequence[exp.Expr], scope: Scope
) -> PreparedColumn | None:
    """Follow `.a.b` from a structured column to its last field; None: the schema does not say.

    Of an array of structures, Spark and ClickHouse read a field of each element.
    """
    found = column
    for name in names:
        declared = found.declared or ""
        fields = fields_of(
            element_of(declared, state.context.dialect) or declared, state.context.dialect
        )
        key = name.name.lower()
        if fields is None or key in _PARTS or key.isdecimal():
            return None
        if key not in fields:
            having = Relation(found.name, dict(fields))
            state.add_column_fault(name, None, "misplaced", scope, (having,))
            return None
        found = fields[key]
    return found


_PARTS: Final = frozenset({"size0", "null", "keys", "values"})
"""What ClickHouse calls the parts that it stores of a column."""


def exploded(state: State, call: exp.Expr, declared: str | None) -> list[PreparedColumn] | None:
    """Return what Spark's `explode` and similar calls give; None: the schema does not say."""
    name = call.name.lower().removesuffix("_outer")
    if declared is None or name not in {"explode", "posexplode", "inline"}:
        return None
    parts = parts_of(declared, state.context.dialect)
    if name == "inline":
        fields = fields_of(parts[0], state.context.dialect) if len(parts) == 1 else None
        return [*fields.values()] if fields else None
    if not parts:
        return None
    names = ("col",) if len(parts) == 1 else ("key", "value")
    given = [PreparedColumn(one, declared=kind) for one, kind in zip(names, parts, strict=True)]
    return [PreparedColumn("pos"), *given] if name == "posexplode" else given


def field_of_column(state: State, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Resolve `column.field` and `relation.column.field`, where types are known."""
    if not state.traits.fields_by_dot or (state.types is None and state.follows_defaults):
        return None
    args = node.args
    parts = [part for name in ("catalog", "db", "table", "this") if (part := args.get(name))]
    found = _column_of_parts(state, parts, scope)
    if found is None:
        return None
    column, relation, level, fields = found
    path = "".join(f".{part.name.lower()}" for part in fields)
    if state.types is None:
        field = field_declared(state, column, fields, scope)
        column = replace(column, declared=field.declared if field is not None else None)
    state.resolution.columns.append(ColumnUse(node, column, relation, level, path))
    return PreparedColumn(
        fields[-1].name, field_type(state, column.type, column.name, fields, scope)
    )


def fields_of_star(state: State, item: exp.Expr, scope: Scope) -> list[PreparedColumn] | None:
    """Return what `column.*` gives of a structure; None: that is not known."""
    if state.types is None or not state.traits.fields_by_dot or item.args.get("db") is not None:
        return None
    found = _column_of_parts(state, [item.args["table"], item.args["table"]], scope)
    fields = state.types.fields(found[0].type) if found is not None else None
    if found is None or not fields or any(item.this.args.values()):
        return None
    column, relation, level, _ = found
    state.resolution.columns.append(ColumnUse(item, column, relation, level, ".*"))
    return [PreparedColumn(name, kind) for name, kind in fields.items()]


def _column_of_parts(
    state: State, parts: list[exp.Expr], scope: Scope
) -> tuple[PreparedColumn, Relation, Scope, list[exp.Expr]] | None:
    """Return the first column of a dotted name, its relation and query, and the fields after it."""
    first, second = state.column_key(parts[0]), state.column_key(parts[1])
    alias = state.alias_key(parts[0])
    for level in state.visible(scope):
        relation = level.relations.get(alias)
        if relation is not None and len(parts) > 2 and second in relation.columns:  # noqa: PLR2004
            return relation.columns[second], relation, level, parts[2:]
        owners = level.relations.showing(first)
        if owners:
            return owners[0].columns[first], owners[0], level, parts[1:]
    return None


def field_type(
    state: State, found: Type, owner: str, names: Sequence[exp.Expr], scope: Scope
) -> Type:
    """Return the type of a nested field; record the first one that does not exist."""
    for name in names:
        fields = state.types.fields(found) if state.types is not None else None
        if fields is None:
            return None
        key = name.name.lower()
        if key not in fields:
            having = Relation(owner, {one: PreparedColumn(one) for one in fields})
            state.add_column_fault(name, None, "misplaced", scope, (having,))
            return None
        found, owner = fields[key], name.name
    return found


def resolve_field(state: State, row: exp.Expr, field: exp.Expr, scope: Scope) -> None:
    """Look up `(row).field` where the row is that of a relation."""
    if not isinstance(row, exp.Column) or not isinstance(field, exp.Identifier):
        return
    if row.args.get("table") is not None:
        return
    key, name = state.column_key(field), state.alias_key(row.this)
    for level in state.visible(scope):
        if any(state.column_key(row.this) in one.columns for one in level.relations.values()):
            return
        relation = level.relations.get(name)
        if relation is not None:
            if key not in relation.columns and not relation.may_have(key, quoted=True):
                state.add_column_fault(field, row.this, "misplaced", scope, (relation,))
            return
