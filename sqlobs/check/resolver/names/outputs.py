"""What a query gives: its columns, and the names under which it gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.model.scope import Relation, opaque
from sqlobs.check.types.literals import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.resolver.model.state import ResolverState


def output_name(state: ResolverState, item: exp.Expr) -> str:
    """Return the name of an item of the SELECT list; empty where the engine makes one up."""
    if isinstance(item, exp.Alias):
        alias = item.args.get("alias")  # DuckDB's `:p` has none
        return state.kept_name(alias) if alias is not None else ""
    if isinstance(item, exp.Paren) and isinstance(item.this, exp.Column):
        item = item.this
    if isinstance(item, exp.Column):
        return state.kept_name(item.this)
    return made_up_name(state, item)


def items_by_name(state: ResolverState, items: Iterable[exp.Expr]) -> dict[str, list[exp.Expr]]:
    """Return the items of a SELECT list by their folded names."""
    named: dict[str, list[exp.Expr]] = {}
    for item in items:
        if name := output_name(state, item):
            named.setdefault(state.output_key(name), []).append(item)
    return named


def collect(state: ResolverState, outputs: list[PreparedColumn], *, complete: bool) -> Relation:
    """Return the relation that gives these outputs, by name."""
    columns: dict[str, PreparedColumn] = {}
    repeated: set[str] = set()
    relation = Relation("", columns, outputs)
    relation.complete = complete
    for column in outputs:
        if not column.name:
            relation.nameless = True
            continue
        key = state.output_key(column.name)
        if key not in columns:
            columns[key] = column
        elif state.traits.duplicate_outputs != "first":
            repeated.add(key)
    if repeated:
        relation.repeated = frozenset(repeated)
    return relation


def values_relation(state: ResolverState, width: int) -> Relation:
    """Return what a VALUES list of a width gives; each engine names its columns its own way."""
    first = state.traits.values_name
    if first is None:
        relation = Relation("", {}, [PreparedColumn("")] * width)
        relation.nameless = True
        return relation
    stem, number = first.rstrip("0123456789"), int(first[-1])
    return _named_relation(state, "", [f"{stem}{number + place}" for place in range(width)])


def typed_values(state: ResolverState, values: exp.Expr, relation: Relation) -> Relation:
    """Give the columns of a VALUES list the common types of its rows, already resolved."""
    rows = [row for row in values.expressions if isinstance(row, exp.Tuple)]
    if state.types is None or any(id(row) not in state.rows for row in rows):
        return relation
    typed: dict[int, PreparedColumn] = {}
    for place, column in enumerate(relation.outputs):
        nodes = [row.expressions[place] for row in rows]
        types = [state.rows[id(row)][place] for row in rows]
        found = state.common(nodes[0], types, nodes, what="VALUES")
        typed[id(column)] = replace(column, type=found)
    columns = {key: typed[id(column)] for key, column in relation.columns.items()}
    given = Relation(relation.name, columns, list(typed.values()))
    given.nameless = relation.nameless
    return given


def relation_of(state: ResolverState, name: str, query: exp.Expr, alias: exp.Expr) -> Relation:
    """Return what a recursive CTE gives, read off its first SELECT without resolving it."""
    listed = alias.args.get("columns")
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    if listed:
        return _named_relation(state, name, [state.kept_name(identifier) for identifier in listed])
    if not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return opaque(name)
    return _named_relation(state, name, [output_name(state, item) for item in query.expressions])


def _named_relation(state: ResolverState, name: str, names: list[str]) -> Relation:
    outputs = [PreparedColumn(column) for column in names]
    columns = {state.output_key(column.name): column for column in outputs if column.name}
    relation = Relation(name, columns, outputs)
    relation.nameless = "" in names
    return relation


def made_up_name(state: ResolverState, item: exp.Expr) -> str:
    """Return the name that the engine gives an expression; empty: none that a query can use."""
    convention = state.traits.names_outputs_by
    if convention == "call":
        return _figured(state, item)[0] or "?column?"
    if (word := _WORDS.get(item.__class__)) is not None:
        return word
    return _constant_name(item) if convention == "text" else ""


_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "CURRENT_DATE",
    exp.CurrentTime: "CURRENT_TIME",
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP",
}
"""Values that a word stands for: outputs have its name in every engine."""


def _constant_name(item: exp.Expr) -> str:
    """Return MySQL's name of a constant: its text, that of a string without the quotes."""
    if isinstance(item, exp.Literal):
        return str(item.this)
    if isinstance(item, exp.Boolean):
        return str(item.this).lower()
    return "null" if isinstance(item, exp.Null) else ""


def _figured(state: ResolverState, item: exp.Expr | None) -> tuple[str, bool]:
    """Return PostgreSQL's name of an expression, and whether a cast around it keeps that.

    As `FigureColname` in its `parse_target.c`; empty where there is none.
    """
    if item.__class__ is exp.Anonymous:  # the most frequent one
        return item.name.lower(), True
    if isinstance(item, exp.Column):
        return state.kept_name(item.this), True
    if isinstance(item, _WRAPPERS):
        return _figured(state, item.this)
    if isinstance(item, exp.Dot):
        return _figured(state, item.expression)
    if isinstance(item, exp.Identifier):
        return state.kept_name(item), True
    if isinstance(item, exp.Cast):
        name, is_firm = _figured(state, item.this)
        return (name, True) if is_firm else (_type_name(item), False)
    if isinstance(item, exp.Case):
        name, is_firm = _figured(state, item.args.get("default"))
        return (name, True) if is_firm else ("case", False)
    if isinstance(item, exp.Subquery):
        return _of_query(state, item)
    if isinstance(item, exp.Interval):
        return "interval", False
    name = _call_name(item) if item is not None else ""
    return name, bool(name)


_WRAPPERS: Final = (
    exp.Paren,
    exp.Window,
    exp.Filter,
    exp.WithinGroup,
    exp.IgnoreNulls,
    exp.RespectNulls,
    exp.Collate,
    exp.Bracket,
)


def _of_query(state: ResolverState, query: exp.Expr) -> tuple[str, bool]:
    while isinstance(query, exp.Subquery):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    if not items:
        return "", False
    alias = items[0].args.get("alias") if isinstance(items[0], exp.Alias) else None
    return (state.kept_name(alias), True) if alias is not None else _figured(state, items[0])


def _call_name(item: exp.Expr) -> str:
    if isinstance(item, exp.Trim):
        return _TRIMS.get(item.text("position").upper(), "btrim")
    if (name := _NAMES.get(item.__class__)) is not None:
        return name
    if isinstance(item, exp.Func) and not isinstance(item, exp.Binary):
        return str(item.sql_name()).lower()
    return ""


_TRIMS: Final = {"LEADING": "ltrim", "TRAILING": "rtrim"}

_NAMES: Final[dict[type[exp.Expr], str]] = {
    exp.Array: "array",
    exp.Tuple: "row",
    exp.Exists: "exists",
    exp.AtTimeZone: "timezone",
    exp.StrPosition: "position",
    exp.GroupConcat: "string_agg",
    exp.JSONObject: "json_object",
}
"""Names of what sqlglot does not keep as a call."""


def _type_name(cast: exp.Cast) -> str:
    text = written(cast.args["to"], "postgres").lower()
    plain = text.partition("(")[0].partition("[")[0].strip()
    return _TYPE_NAMES.get(plain, plain)


_TYPE_NAMES: Final = {
    "int": "int4",
    "integer": "int4",
    "bigint": "int8",
    "smallint": "int2",
    "real": "float4",
    "double precision": "float8",
    "decimal": "numeric",
    "char": "bpchar",
    "boolean": "bool",
}
"""PostgreSQL's own names of types that the standard calls otherwise."""


def with_column_names(state: ResolverState, relation: Relation, alias: exp.Expr) -> Relation:
    """Apply `AS name(a, b, …)` to a relation."""
    name = alias.name if alias.this is not None else relation.name
    names = alias.args.get("columns") or []
    if not names:
        return relation.renamed(name)
    columns = [
        PreparedColumn(state.kept_name(identifier), column.type)
        for identifier, column in zip(names, relation.outputs, strict=False)
    ]
    keys = [state.column_key(identifier) for identifier in names]
    rest = relation.outputs[len(names) :]
    outputs = [*columns, *rest]
    by_name = dict(zip(keys, columns, strict=False)) | {
        state.output_key(column.name): column for column in rest if column.name
    }
    complete = relation.complete
    if not complete:
        by_name |= {key: PreparedColumn(key) for key in keys if key not in by_name}
    named = Relation(name, by_name, outputs)
    named.complete, named.nameless = complete, relation.nameless
    return named
