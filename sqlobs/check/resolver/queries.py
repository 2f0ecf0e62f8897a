"""Walks queries: WITH, FROM, the SELECT list, conditions. Other clauses have their own modules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.clauses import (
    refuse_aggregates,
    resolve_distinct,
    resolve_grouping,
    resolve_limits,
    resolve_order,
)
from sqlobs.check.resolver.ctes import with_scope
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.grouping import check_grouping
from sqlobs.check.resolver.outputs import collect, output_name, typed_values, values_relation
from sqlobs.check.resolver.resolution import FormUse, SelectUse
from sqlobs.check.resolver.scope import Relation, Scope, note_listed, opaque
from sqlobs.check.resolver.set_operations import resolve_order_of_outputs, resolve_set_operation
from sqlobs.check.resolver.sources import resolve_conditions, resolve_from, resolve_pivot
from sqlobs.check.resolver.stars import columns_of_star
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.unnesting import untold
from sqlobs.check.resolver.widths import check_rows_of

if TYPE_CHECKING:
    from sqlobs.check.engine.resolution_rules import Clause
    from sqlobs.check.resolver.state import Walk


def resolve_query(walk: Walk, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a query below `outer` and return what it gives."""
    if isinstance(node, exp.Select):
        relation = _select(walk, node, outer)
        # What BigQuery's `SELECT AS VALUE STRUCT(1 AS a)` gives are the fields of the value.
        return untold("") if node.args.get("kind") == "VALUE" else relation
    if isinstance(node, exp.SetOperation):
        return resolve_set_operation(walk, node, outer)
    if isinstance(node, exp.Subquery):
        return _subquery(walk, node, outer)
    if isinstance(node, exp.Pivot):
        return resolve_pivot(walk, node, outer)
    if isinstance(node, exp.DML):
        from sqlobs.check.resolver.statements import resolve_change

        return resolve_change(walk, node, outer) or opaque("")  # in a CTE
    for child in children(node):
        resolve_expression(walk, child, outer)
    if isinstance(node, exp.Values):
        widths = check_rows_of(walk, node)
        if len(widths) != 1:
            return opaque("")
        relation = values_relation(walk, widths.pop())
        # what is inserted is judged by the columns it goes to
        is_inserted = isinstance(node.parent, exp.Insert)
        return relation if is_inserted else typed_values(walk, node, relation)
    return opaque("")


def _select(walk: Walk, node: exp.Select, outer: Scope) -> Relation:
    used, part = len(walk.facts.columns), node.args.get
    scope = Scope(outer if part("with_") is None else with_scope(walk, node, outer))
    scope.clause = "from"
    if (windows := part("windows")) is not None:
        # of several of one name the first
        scope.named_windows = {walk.column_key(window.this): window for window in reversed(windows)}
    walk.facts.selects.append(SelectUse(node, scope))
    conditions = resolve_from(walk, node, scope)
    relation = _projections(walk, node, scope)
    if conditions:
        resolve_conditions(walk, conditions, scope)
    width = len(relation.outputs) if relation.complete else None
    if (where := part("where")) is not None:
        _condition(walk, where, scope, "where")
    if walk.catalogue is None:
        _own_clauses(walk, node, scope)
    if (group := part("group")) is not None:
        resolve_grouping(walk, group, scope, width)
    if (having := part("having")) is not None:
        _having(walk, having, scope, is_grouped=group is not None)
    if (qualify := part("qualify")) is not None:
        _qualify(walk, qualify, scope)
    scope.clause = "select"
    _windows(walk, windows or [], scope)
    if part("order") is not None:
        _order_of_select(walk, node, scope, width)
    resolve_limits(walk, node, scope)
    if part("locks"):
        _check_lock(walk, node, scope)
    check_grouping(walk, node, scope, used)
    return relation


def _having(walk: Walk, node: exp.Expr, scope: Scope, *, is_grouped: bool) -> None:
    if not is_grouped and not scope.aggregates:
        walk.facts.forms.append(FormUse(node, "having_without_group"))
    _condition(walk, node, scope, "having")


def _own_clauses(walk: Walk, node: exp.Select, scope: Scope) -> None:
    """Resolve the clauses that only engines have that were not asked."""
    for name, clause in _OWN_CLAUSES.items():
        found = node.args.get(name)
        if found is not None:
            scope.clause = clause
            for child in children(found):
                resolve_expression(walk, child, scope)


_OWN_CLAUSES: Final[dict[str, Clause]] = {
    "prewhere": "where",
    "connect": "where",
    "cluster": "order",
    "distribute": "order",
    "sort": "order",
}
"""PREWHERE of ClickHouse, CONNECT BY of Oracle and Snowflake, CLUSTER and SORT BY of Spark."""


def _check_lock(walk: Walk, node: exp.Select, scope: Scope) -> None:
    """Record FOR UPDATE of rows that are no rows of a table."""
    is_made = scope.aggregates or scope.windows
    if is_made or any(node.args.get(name) is not None for name in ("group", "having", "distinct")):
        walk.facts.forms.append(FormUse(node.args["locks"][0], "lock_of_groups"))


def _windows(walk: Walk, windows: list[exp.Expr], scope: Scope) -> None:
    """Resolve the windows of WINDOW; some engines leave those that nothing names unread."""
    if not windows:
        return
    reads_all = walk.catalogue is None or walk.refuses("ghost_in_unread_window")
    for window in reversed(windows):  # one may name those before it
        if reads_all or walk.column_key(window.this) in scope.windows_read:
            resolve_expression(walk, window, scope)


def _qualify(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    _condition(walk, node, scope, "qualify")
    if not scope.windows:
        walk.facts.forms.append(FormUse(node, "qualify_without_window"))


def _order_of_select(walk: Walk, node: exp.Select, scope: Scope, width: int | None) -> None:
    aggregates, order, group = scope.aggregates, node.args["order"], node.args.get("group")
    resolve_order(walk, order, scope, width)
    if group is not None:
        if any(not one.expressions for one in group.args.get("rollup") or ()):
            walk.facts.forms.append(FormUse(order, "order_behind_rollup"))
        return
    if not walk.traits.order_needs_group:
        return
    if scope.aggregates > aggregates == 0:
        refuse_aggregates(walk, order, scope, "ORDER BY")


def _projections(walk: Walk, node: exp.Select, scope: Scope) -> Relation:
    scope.clause = "select"
    if not node.expressions:
        walk.facts.forms.append(FormUse(node, "select_without_list"))
    outputs: list[PreparedColumn] = []
    complete = True
    starred: dict[str, PreparedColumn | None] = {}
    may_give_more = bool(walk.traits.unnest_column or walk.traits.generators)
    for place, item in enumerate(node.expressions):
        star = columns_of_star(walk, item, scope)
        if star is not None:
            if walk.traits.output_clauses and item.__class__ is exp.Column:
                _add_starred(walk, star[0], starred, scope)
            if place and item.__class__ is exp.Star:
                walk.facts.forms.append(FormUse(item, "star_after_column"))
            outputs += star[0]
            complete = complete and star[1]
            continue
        column = _projection(walk, item, scope)
        if may_give_more and item.__class__ is not exp.Column and _gives_more(walk, item, column):
            complete = False
        if complete or item.__class__ is exp.Alias:
            outputs.append(column)
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr):
        resolve_distinct(walk, distinct, node, scope, len(outputs) if complete else None)
    if distinct is not None and distinct.args.get("on") is None:
        outputs = _distinct(walk, node, outputs)
    return collect(walk, outputs, complete=complete)


def _gives_more(walk: Walk, item: exp.Expr, column: PreparedColumn) -> bool:
    """Say whether an item gives columns that it does not name."""
    if walk.traits.unnest_column:
        return _gives_fields(item.unalias(), column)
    return _generates(walk, item)


def _generates(walk: Walk, item: exp.Expr) -> bool:
    """Say whether an item names columns itself (`explode`: col, or key and value)."""
    value = item.this if isinstance(item, exp.Aliases) else item
    if isinstance(value, (exp.Explode, exp.ExplodingGenerateSeries, exp.UDTF)):
        return True
    return isinstance(value, exp.Func) and value.name.lower() in walk.traits.generators


def _gives_fields(item: exp.Expr, column: PreparedColumn) -> bool:
    """Say whether an item is UNNEST of a structure, which gives its fields, or may be one."""
    if item.__class__ is not exp.Anonymous or item.name.lower() != "unnest":
        return False
    return column.type is None or len(item.expressions) > 1


def _distinct(walk: Walk, node: exp.Select, outputs: list[PreparedColumn]) -> list[PreparedColumn]:
    """Return the outputs of SELECT DISTINCT, whose values are compared."""
    if walk.types is None:
        return outputs
    outputs = [replace(column, type=walk.given(column)) for column in outputs]
    for kind in dict.fromkeys([column.type for column in outputs]):
        walk.compare("=", kind, kind, (node, node))
    return outputs


def _add_starred(
    walk: Walk,
    columns: list[PreparedColumn],
    starred: dict[str, PreparedColumn | None],
    scope: Scope,
) -> None:
    """Let a name mean what `t.*` gives, unless another star gives one of that name, too.

    Args:
        walk: the state of the walk.
        columns: what the star gives.
        starred: what the stars before it gave, by folded name; None: several columns.
        scope: the query.
    """
    for column in columns:
        key = walk.output_key(column.name)
        if starred.setdefault(key, column) == column:
            scope.outputs[key] = column
        else:
            starred[key] = None
            scope.outputs.pop(key, None)


def _plain_item(walk: Walk, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve an item of the SELECT list that is a column without an alias."""
    kind = resolve_expression(walk, item, scope)
    name = item.args["this"]
    column = PreparedColumn(walk.kept_name(name), kind)
    key = walk.column_key(name)
    _note_meaning(walk, item, key, scope)
    scope.outputs[key] = column
    return column


def _projection(walk: Walk, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve one item of the SELECT list; the clauses behind it see it by its name."""
    if item.__class__ is exp.Column:
        return _plain_item(walk, item, scope)
    value, met, windows = item.unalias(), scope.aggregates + scope.windows, scope.windows
    plain = scope.aggregates - scope.aggregates_in_windows
    if value.__class__ in _ITEM_FORMS:
        walk.facts.forms.append(FormUse(item, _ITEM_FORMS[value.__class__]))
        if value.__class__ is exp.Star and not scope.relations:
            walk.facts.forms.append(FormUse(item, "star_without_from"))
    elif value is not item and value.__class__ is exp.Column and value.is_star:
        walk.facts.forms.append(FormUse(item, "qualified_star_alias"))
    selects, unnested = len(walk.facts.selects), scope.unnested
    kind = resolve_expression(walk, value, scope)
    column = PreparedColumn(output_name(walk, item), kind)
    if (key := _alias_of(walk, item, column)) is not None:
        _note_meaning(walk, value, key, scope)
        scope.aliases.setdefault(key, column)
        if scope.aggregates + scope.windows > met:
            scope.computed[key] = "window" if scope.windows > windows else "aggregate"
            if scope.aggregates - scope.aggregates_in_windows > plain:
                scope.aggregated |= {key}
        elif scope.unnested > unnested:
            scope.computed[key] = "unnest"
        elif len(walk.facts.selects) > selects:
            scope.computed[key] = "query"
    return column


def _note_meaning(walk: Walk, value: exp.Expr, key: str, scope: Scope) -> None:
    """Keep which column an item's name means; another item may give it another column."""
    if not walk.traits.output_clauses or not walk.facts.columns:
        return
    use = walk.facts.columns[-1]
    if use.node is value and use.level is scope:
        meant = (id(use.relation), use.column.name)
        if scope.meanings.setdefault(key, meant) != meant:
            scope.meanings[key] = None
        note_listed(scope.listed, walk.output_key(use.column.name), use)


def _alias_of(walk: Walk, item: exp.Expr, column: PreparedColumn) -> str | None:
    """Return the folded name of an item for the clauses behind it, made up or not."""
    if item.__class__ is exp.Alias:
        alias = item.args.get("alias")
        return walk.column_key(alias) if alias is not None else None
    return walk.output_key(column.name) if walk.traits.names_outputs_by and column.name else None


_ITEM_FORMS = {
    exp.Star: "star_alias",
    exp.Tuple: "row_as_value",
    exp.Aliases: "several_aliases",
}


def _condition(walk: Walk, node: exp.Expr, scope: Scope, clause: Clause) -> None:
    scope.clause = clause
    condition = node.this
    found = resolve_expression(walk, condition, scope)
    walk.condition(found, condition, what=clause.upper())


def _subquery(walk: Walk, node: exp.Subquery, outer: Scope) -> Relation:
    scope = with_scope(walk, node, outer)
    relation = resolve_query(walk, node.this, scope)
    if node.args.get("order") or node.args.get("limit"):
        resolve_order_of_outputs(walk, node, relation, scope)
    return relation
