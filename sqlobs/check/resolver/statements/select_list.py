"""Resolves the SELECT list, and keeps its names for the clauses behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import SelectList
from sqlobs.check.resolver.clauses.ordering import resolve_distinct
from sqlobs.check.resolver.model.scope import note_listed
from sqlobs.check.resolver.names.outputs import collect, output_name
from sqlobs.check.resolver.names.stars import columns_of_star

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Relation, Scope
    from sqlobs.check.resolver.model.state import ResolverState


def resolve_select_list(state: ResolverState, node: exp.Expr, scope: Scope) -> Relation:
    """Resolve the items of a SELECT list and return what the query gives."""
    scope.clause = "select"
    if not node.expressions:
        state.add_form(node, SelectList.select_without_list)
    outputs: list[PreparedColumn] = []
    complete = True
    starred: dict[str, PreparedColumn | None] = {}
    may_give_more = bool(state.traits.unnest_column or state.traits.generators)
    for place, item in enumerate(node.expressions):
        star = columns_of_star(state, item, scope)
        if star is not None:
            if state.traits.output_clauses and item.__class__ is exp.Column:
                _add_starred(state, star[0], starred, scope)
            if place and item.__class__ is exp.Star:
                state.add_form(item, SelectList.star_after_column)
            outputs += star[0]
            complete = complete and star[1]
            continue
        column = _projection(state, item, scope)
        if may_give_more and item.__class__ is not exp.Column and _gives_more(state, item, column):
            complete = False
        if complete or item.__class__ is exp.Alias:
            outputs.append(column)
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr):
        resolve_distinct(state, distinct, node, scope, len(outputs) if complete else None)
    if distinct is not None and distinct.args.get("on") is None:
        outputs = _distinct(state, node, outputs)
    return collect(state, outputs, complete=complete)


def _gives_more(state: ResolverState, item: exp.Expr, column: PreparedColumn) -> bool:
    """Say whether an item gives columns that it does not name."""
    if state.traits.unnest_column:
        return _gives_fields(item.unalias(), column)
    return _generates(state, item)


def _generates(state: ResolverState, item: exp.Expr) -> bool:
    """Say whether an item names columns itself (`explode`: col, or key and value)."""
    value = item.this if isinstance(item, exp.Aliases) else item
    if isinstance(value, (exp.Explode, exp.ExplodingGenerateSeries, exp.UDTF)):
        return True
    return isinstance(value, exp.Func) and value.name.lower() in state.traits.generators


def _gives_fields(item: exp.Expr, column: PreparedColumn) -> bool:
    """Say whether an item is UNNEST of a structure, which gives its fields, or may be one."""
    if item.__class__ is not exp.Anonymous or item.name.lower() != "unnest":
        return False
    return column.type is None or len(item.expressions) > 1


def _distinct(
    state: ResolverState, node: exp.Expr, outputs: list[PreparedColumn]
) -> list[PreparedColumn]:
    """Return the outputs of SELECT DISTINCT, whose values are compared."""
    if state.types is None:
        return outputs
    outputs = [replace(column, type=state.given(column)) for column in outputs]
    for kind in dict.fromkeys([column.type for column in outputs]):
        state.compare("=", kind, kind, (node, node))
    return outputs


def _add_starred(
    state: ResolverState,
    columns: list[PreparedColumn],
    starred: dict[str, PreparedColumn | None],
    scope: Scope,
) -> None:
    """Let a name mean what `t.*` gives, unless another star gives one of that name, too.

    Args:
        state: the state of the statement.
        columns: what the star gives.
        starred: what the stars before it gave, by folded name; None: several columns.
        scope: the query.
    """
    for column in columns:
        key = state.output_key(column.name)
        if starred.setdefault(key, column) == column:
            scope.outputs[key] = column
        else:
            starred[key] = None
            scope.outputs.pop(key, None)


def _plain_item(state: ResolverState, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve an item of the SELECT list that is a column without an alias."""
    kind = state.expression(item, scope)
    name = item.args["this"]
    column = PreparedColumn(state.kept_name(name), kind)
    key = state.column_key(name)
    _note_meaning(state, item, key, scope)
    scope.outputs[key] = column
    return column


def _projection(state: ResolverState, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve one item of the SELECT list; the clauses behind it see it by its name."""
    if item.__class__ is exp.Column:
        return _plain_item(state, item, scope)
    value, met, windows = item.unalias(), scope.aggregates + scope.windows, scope.windows
    plain = scope.aggregates - scope.aggregates_in_windows
    if value.__class__ in _ITEM_FORMS:
        state.add_form(item, _ITEM_FORMS[value.__class__])
        if value.__class__ is exp.Star and not scope.relations:
            state.add_form(item, SelectList.star_without_from)
    elif value is not item and value.__class__ is exp.Column and value.is_star:
        state.add_form(item, SelectList.qualified_star_alias)
    selects, unnested = len(state.resolution.selects), scope.unnested
    kind = state.expression(value, scope)
    column = PreparedColumn(output_name(state, item), kind)
    if (key := _alias_of(state, item, column)) is not None:
        _note_meaning(state, value, key, scope)
        scope.aliases.setdefault(key, column)
        if scope.aggregates + scope.windows > met:
            scope.computed[key] = "window" if scope.windows > windows else "aggregate"
            if scope.aggregates - scope.aggregates_in_windows > plain:
                scope.aggregated |= {key}
        elif scope.unnested > unnested:
            scope.computed[key] = "unnest"
        elif len(state.resolution.selects) > selects:
            scope.computed[key] = "query"
    return column


def _note_meaning(state: ResolverState, value: exp.Expr, key: str, scope: Scope) -> None:
    """Keep which column an item's name means; another item may give it another column."""
    if not state.traits.output_clauses or not state.resolution.columns:
        return
    use = state.resolution.columns[-1]
    if use.node is value and use.level is scope:
        meant = (id(use.relation), use.column.name)
        if scope.meanings.setdefault(key, meant) != meant:
            scope.meanings[key] = None
        note_listed(scope.listed, state.output_key(use.column.name), use)


def _alias_of(state: ResolverState, item: exp.Expr, column: PreparedColumn) -> str | None:
    """Return the folded name of an item for the clauses behind it, made up or not."""
    if item.__class__ is exp.Alias:
        alias = item.args.get("alias")
        return state.column_key(alias) if alias is not None else None
    return state.output_key(column.name) if state.traits.names_outputs_by and column.name else None


_ITEM_FORMS = {
    exp.Star: SelectList.star_alias,
    exp.Tuple: SelectList.row_as_value,
    exp.Aliases: SelectList.several_aliases,
}
