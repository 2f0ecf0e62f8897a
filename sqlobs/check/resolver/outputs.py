"""What a query gives: its columns, and the names under which it gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.naming import made_up_name
from sqlobs.check.resolver.scope import Relation, opaque

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.resolver.state import Walk


def output_name(walk: Walk, item: exp.Expr) -> str:
    """Return the name of an item of the SELECT list; empty where the engine makes one up."""
    if isinstance(item, exp.Alias):
        alias = item.args.get("alias")  # DuckDB's `:p` has none
        return walk.kept_name(alias) if alias is not None else ""
    if isinstance(item, exp.Paren) and isinstance(item.this, exp.Column):
        item = item.this
    if isinstance(item, exp.Column):
        return walk.kept_name(item.this)
    return made_up_name(walk, item)


def items_by_name(walk: Walk, items: Iterable[exp.Expr]) -> dict[str, list[exp.Expr]]:
    """Return the items of a SELECT list by their folded names."""
    named: dict[str, list[exp.Expr]] = {}
    for item in items:
        if name := output_name(walk, item):
            named.setdefault(walk.output_key(name), []).append(item)
    return named


def collect(walk: Walk, outputs: list[PreparedColumn], *, complete: bool) -> Relation:
    """Return the relation that gives these outputs, by name."""
    columns: dict[str, PreparedColumn] = {}
    repeated: set[str] = set()
    relation = Relation("", columns, outputs)
    relation.complete = complete
    for column in outputs:
        if not column.name:
            relation.nameless = True
            continue
        key = walk.output_key(column.name)
        if key not in columns:
            columns[key] = column
        elif walk.traits.duplicate_outputs != "first":
            repeated.add(key)
    if repeated:
        relation.repeated = frozenset(repeated)
    return relation


def values_relation(walk: Walk, width: int) -> Relation:
    """Return what a VALUES list of a width gives; each engine names its columns its own way."""
    first = walk.traits.values_name
    if first is None:
        relation = Relation("", {}, [PreparedColumn("")] * width)
        relation.nameless = True
        return relation
    stem, number = first.rstrip("0123456789"), int(first[-1])
    return _named(walk, "", [f"{stem}{number + place}" for place in range(width)])


def typed_values(walk: Walk, values: exp.Expr, relation: Relation) -> Relation:
    """Give the columns of a VALUES list the common types of its rows, already resolved."""
    rows = [row for row in values.expressions if isinstance(row, exp.Tuple)]
    if walk.types is None or any(id(row) not in walk.rows for row in rows):
        return relation
    typed: dict[int, PreparedColumn] = {}
    for place, column in enumerate(relation.outputs):
        nodes = [row.expressions[place] for row in rows]
        types = [walk.rows[id(row)][place] for row in rows]
        found = walk.common(nodes[0], types, nodes, what="VALUES")
        typed[id(column)] = replace(column, type=found)
    columns = {key: typed[id(column)] for key, column in relation.columns.items()}
    given = Relation(relation.name, columns, list(typed.values()))
    given.nameless = relation.nameless
    return given


def relation_of(walk: Walk, name: str, query: exp.Expr, alias: exp.Expr) -> Relation:
    """Return what a recursive CTE gives, read off its first SELECT without resolving it."""
    listed = alias.args.get("columns")
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    if listed:
        return _named(walk, name, [walk.kept_name(identifier) for identifier in listed])
    if not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return opaque(name)
    return _named(walk, name, [output_name(walk, item) for item in query.expressions])


def _named(walk: Walk, name: str, names: list[str]) -> Relation:
    outputs = [PreparedColumn(column) for column in names]
    columns = {walk.output_key(column.name): column for column in outputs if column.name}
    relation = Relation(name, columns, outputs)
    relation.nameless = "" in names
    return relation
