"""What arrays and functions give in FROM in engines whose functions are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.model.scope import Relation, opaque
from sqlobs.check.resolver.names.fields import element_of, exploded, fields_of
from sqlobs.check.resolver.names.outputs import with_column_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.resolver.model.state import ResolverState


def unnested_relation(state: ResolverState, node: exp.Expr) -> Relation | None:
    """Return what a function or an array gives in FROM; None: that is not known.

    Its columns are those of WITH (`OPENJSON … WITH (a int)`), those that its manual lists
    (`FLATTEN`), the fields of its elements, or those that its alias lists (`LATERAL VIEW
    explode(tags) t AS tag`, `UNNEST(attrs) AS t (k, v)`).
    """
    alias = node.args.get("alias")
    listed = alias.args.get("columns") or [] if alias is not None else []
    if isinstance(node, exp.Unnest):
        return _elements(state, node, alias, listed)
    value = node.this
    if isinstance(value, exp.OpenJSON) and value.expressions:
        return _relation(state, alias, [column.this for column in value.expressions])
    if (given := _exploded(state, node, value, listed)) is not None:
        return given
    documented = state.knowledge.columns_of(_name(value))
    if documented is not None:
        columns = {state.output_key(name): PreparedColumn(name) for name, _ in documented}
        relation = Relation("", columns)
        return with_column_names(state, relation, alias) if alias is not None else relation
    return _relation(state, alias, listed) if listed else None


def _exploded(
    state: ResolverState, node: exp.Expr, value: exp.Expr, listed: list[exp.Expr]
) -> Relation | None:
    """Return what `explode(items)` gives, whose type the schema tells; None: it tells none."""
    if not state.traits.generators or not isinstance(value, exp.Anonymous):
        return None
    given = exploded(state, value, _declared(state, value))
    if given is None or (listed and len(listed) != len(given)):
        return None
    alias = node.args.get("alias")
    relation = Relation("", {state.output_key(one.name): one for one in given}, given)
    if alias is None:
        return relation
    named = with_column_names(state, relation, alias)
    for column, one in zip(named.outputs, given, strict=True):
        column.declared = one.declared
    return named


def _name(call: exp.Expr) -> str:
    """Return the lower-case name of a call as the manual has it."""
    if isinstance(call, exp.Explode):  # what sqlglot makes of Snowflake's FLATTEN
        return "flatten"
    if isinstance(call, exp.OpenJSON):
        return "openjson"
    if isinstance(call, exp.Anonymous):
        within = call.expressions[:1] if call.name.upper() == "TABLE" else ()
        return next((_name(one) for one in within), call.name.lower())  # `TABLE(FLATTEN(…))`
    return str(call.sql_name()).lower() if isinstance(call, exp.Func) else ""


def _relation(
    state: ResolverState, alias: exp.Expr | None, names: Iterable[exp.Expr]
) -> Relation | None:
    """Return a relation with columns of these names; None: they are no plain names."""
    columns = {}
    for name in names:
        identifier = name.this if isinstance(name, exp.ColumnDef) else name
        if not isinstance(identifier, exp.Identifier):
            return None
        columns[state.column_key(identifier)] = PreparedColumn(state.kept_name(identifier))
    return Relation(alias.name if alias is not None else "", columns)


def _elements(
    state: ResolverState, node: exp.Expr, alias: exp.Expr | None, listed: list[exp.Expr]
) -> Relation | None:
    """Return what UNNEST gives: the fields of its elements, or a column for each value."""
    names, offset = list(listed), node.args.get("offset")
    if alias is not None and alias.this is None:  # BigQuery's alias is the element
        fields = _fields(state, node)
        if fields is None:
            relation = _relation(state, alias, names)
            if relation is not None and _fields_are_untold(state, node):
                relation.complete, relation.is_undescribed = False, True
        else:
            relation = fields
    else:
        relation = _relation(state, alias, names) if names else _fields(state, node)
    if relation is not None and offset:
        name = offset.name if isinstance(offset, exp.Identifier) else "offset"
        relation.columns = relation.columns | {state.output_key(name): PreparedColumn(name)}
    return relation


def _fields_are_untold(state: ResolverState, node: exp.Expr) -> bool:
    """Say whether elements may be rows whose fields stand for columns, and nothing tells which."""
    declared = _declared(state, node)
    return state.traits.whole_row and (
        declared is None or element_of(declared, state.context.dialect) is None
    )


def _fields(state: ResolverState, node: exp.Expr) -> Relation | None:
    """Return the fields of the elements of an array of structures; None: it is no such array."""
    declared = _declared(state, node)
    element = element_of(declared, state.context.dialect) if declared is not None else None
    fields = fields_of(element, state.context.dialect) if element is not None else None
    if not fields:
        return None
    return Relation("", {state.output_key(one.name): one for one in fields.values()})


def _declared(state: ResolverState, node: exp.Expr) -> str | None:
    """Return the declared type of the stored column that is unnested; None: it is none."""
    if len(node.expressions) != 1:
        return None
    for use in reversed(state.resolution.columns):
        if use.node is node.expressions[0]:
            return use.column.declared
    return None


def undescribed(name: str) -> Relation:
    """Return a relation whose columns neither the documentation nor the statement describes."""
    relation = opaque(name)
    relation.is_undescribed = True
    return relation
