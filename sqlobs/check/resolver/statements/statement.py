"""Resolves statements and queries; knows what resolves each class of node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import (
    Conditions,
    FromClause,
    Grouping,
    Joins,
    Limits,
    Ordering,
    SelectList,
    Statements,
    Windows,
)
from sqlobs.check.forms.form import Form
from sqlobs.check.resolver.clauses import aggregates, conditions, expressions
from sqlobs.check.resolver.clauses.aggregates import check_hidden_columns, resolve_window
from sqlobs.check.resolver.clauses.arguments import resolve_comprehension, resolve_lambda
from sqlobs.check.resolver.clauses.expressions import resolve_call
from sqlobs.check.resolver.clauses.group_by import check_totals, resolve_grouping
from sqlobs.check.resolver.clauses.grouping import check_correlation, check_grouping
from sqlobs.check.resolver.clauses.joins import (
    resolve_conditions,
    resolve_from,
    resolve_source,
    resolve_target,
)
from sqlobs.check.resolver.clauses.ordering import (
    check_fills,
    check_settings,
    reject_aggregates,
    resolve_distinct,
    resolve_limits,
    resolve_order,
)
from sqlobs.check.resolver.clauses.sources import check_modifier, pivoted
from sqlobs.check.resolver.model.resolution import Resolution
from sqlobs.check.resolver.model.scope import Relation, Scope, note_listed, opaque
from sqlobs.check.resolver.model.state import (
    DispatchTable,
    ExpressionResolver,
    QueryResolver,
    Resolvers,
    State,
)
from sqlobs.check.resolver.model.tree import CALLS, PREDICATES, children, sources
from sqlobs.check.resolver.names.columns import value_of_column
from sqlobs.check.resolver.names.outputs import (
    check_pattern,
    check_rows_of,
    columns_of_star,
    output_name,
    path_of,
)
from sqlobs.check.resolver.names.relations import (
    collect,
    typed_values,
    undescribed,
    values_relation,
)
from sqlobs.check.resolver.statements.changes import (
    resolve_delete,
    resolve_insert,
    resolve_merge,
    resolve_update,
)
from sqlobs.check.resolver.statements.compound_queries import (
    resolve_order_of_outputs,
    resolve_set_operation,
    settle_deferred,
    with_scope,
)
from sqlobs.dialects.resolution_rules import Clause


def _resolve_select_list(state: State, node: exp.Expr, scope: Scope) -> Relation:
    """Resolve the items of a SELECT list and return what the query gives."""
    scope.clause = "select"
    if not node.expressions:
        state.add_form(node, SelectList.select_without_list)
    outputs: list[PreparedColumn] = []
    complete = True
    starred: dict[str, PreparedColumn | None] = {}
    traits = state.traits
    may_give_more = bool(traits.unnest_column or traits.generators or traits.spreading_calls)
    for place, item in enumerate(node.expressions):
        if item.is_star and (star := columns_of_star(state, item, scope)) is not None:
            if state.traits.output_clauses and item.__class__ is exp.Column:
                _add_starred(state, star[0], starred, scope)
            if place and item.__class__ is exp.Star:
                state.add_form(item, SelectList.star_after_column)
            outputs += star[0]
            complete = complete and star[1]
            continue
        column = _projection(state, item, scope)
        if may_give_more and item.__class__ is not exp.Column and _gives_more(state, item, column):
            if given := _generated(state, item):
                outputs += given
                continue
            complete = False
        if complete or item.__class__ is exp.Alias:
            outputs.append(column)
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr):
        resolve_distinct(state, distinct, node, scope, len(outputs) if complete else None)
    return collect(state, _made(state, node, outputs, scope), complete=complete)


def _note_namesakes(state: State, outputs: Sequence[PreparedColumn], scope: Scope) -> None:
    """Keep the names that several outputs have, where clauses behind the list cannot use them."""
    names = [state.output_key(column.name) for column in outputs if column.name]
    if len(set(names)) == len(names):
        return
    found: dict[str, list[PreparedColumn]] = {}
    for column in outputs:
        found.setdefault(state.output_key(column.name), []).append(column)
    may_be_column = state.traits.repeated_outputs == "column"
    for name, columns in found.items():
        is_one = may_be_column and (
            scope.relations.have(name) or all(one is columns[0] for one in columns)
        )
        if name and len(columns) > 1 and not is_one:
            scope.meanings[name] = None


def _made(
    state: State, node: exp.Expr, outputs: list[PreparedColumn], scope: Scope
) -> list[PreparedColumn]:
    """Return what DISTINCT, or a script that reads the rows, makes of the items of a list."""
    if state.traits.repeated_outputs:
        _note_namesakes(state, outputs, scope)
    first, distinct = next(iter(node.expressions), None), node.args.get("distinct")
    if first.__class__ is exp.QueryTransform:
        return _transformed(state, first)
    is_distinct = distinct is not None and distinct.args.get("on") is None
    return _distinct(state, node, outputs) if is_distinct else outputs


def _transformed(state: State, item: exp.Expr) -> list[PreparedColumn]:
    """Return what `TRANSFORM (a) USING 'script' AS (b STRING)` gives; all is text by default."""
    schema = item.args.get("schema")
    if schema is None:
        return [PreparedColumn("key"), PreparedColumn("value")]
    columns = [(one, one.args.get("kind")) for one in schema.expressions]
    return [
        PreparedColumn(state.kept_name(one.this if kind else one), kind and state.types.named(kind))
        for one, kind in columns
    ]


def _gives_more(state: State, item: exp.Expr, column: PreparedColumn) -> bool:
    """Return whether an item may give several columns: UNNEST of a structure, or `explode`."""
    if state.traits.unnest_column:
        call = item.unalias()
        is_unnest = call.__class__ is exp.Anonymous and call.name.lower() == "unnest"
        return is_unnest and (column.type is None or len(call.expressions) > 1)
    value = item.this if isinstance(item, exp.Aliases) else item
    if isinstance(value, _SPREADING):
        return True
    traits, named = state.traits, item.unalias()
    spreading = traits.spreading_calls
    if spreading and isinstance(named, exp.Func) and named.name in spreading:
        return True
    return (
        bool(traits.generators)
        and isinstance(value, exp.Func)
        and value.name.lower() in traits.generators
    )


_SPREADING: Final = (exp.Explode, exp.ExplodingGenerateSeries, exp.UDTF)


def _generated(state: State, item: exp.Expr) -> list[PreparedColumn]:
    """Return the columns that an item like `stack(…) AS (a, b)` gives; none: not known."""
    columns = state.generated.get(
        id(item.this if isinstance(item, exp.Aliases) else item.unalias())
    )
    if columns is None:
        return []
    aliases = item.expressions if isinstance(item, exp.Aliases) else [item.args.get("alias")]
    named = [state.kept_name(alias) for alias in aliases if isinstance(alias, exp.Identifier)]
    if named and len(named) != len(columns):
        state.add_width_fault(item, len(columns), len(named))
        return []
    kinds = zip(named or columns, columns.values(), strict=True)
    return [PreparedColumn(name, kind) for name, kind in kinds]


def _distinct(state: State, node: exp.Expr, outputs: list[PreparedColumn]) -> list[PreparedColumn]:
    """Return the outputs of SELECT DISTINCT, whose values must be comparable."""
    if not state.types.is_known:
        return outputs
    outputs = [replace(column, type=state.given(column)) for column in outputs]
    for kind in dict.fromkeys([column.type for column in outputs]):
        state.judge(node, state.types.grouped(kind, node))
    return outputs


def _add_starred(
    state: State,
    columns: list[PreparedColumn],
    starred: dict[str, PreparedColumn | None],
    scope: Scope,
) -> None:
    """Let a name mean a column of `t.*`, unless another star has one of that name.

    `starred`: the columns of earlier stars by folded name; None: several.
    """
    for column in columns:
        key = state.output_key(column.name)
        if starred.setdefault(key, column) == column:
            scope.outputs[key] = column
        else:
            starred[key] = None
            scope.outputs.pop(key, None)


def _plain_item(state: State, item: exp.Expr, scope: Scope) -> PreparedColumn:
    kind = value_of_column(state, item, scope)
    name = item.args["this"]
    column = PreparedColumn(state.kept_name(name), kind)
    key = state.column_key(name)
    _note_meaning(state, item, key, scope)
    scope.outputs[key] = column
    if _is_field(state, item):
        scope.aliases.setdefault(key, column)
    elif state.traits.repeats_columns:
        use = next(reversed(state.resolution.columns), None)
        return use.column if use is not None and use.node is item else column
    if state.traits.outputs_keep_paths:
        return PreparedColumn(path_of(state, item), kind)
    return column


def _is_field(state: State, item: exp.Expr) -> bool:
    """Return whether an item reads a field, whose name is an alias: `SELECT address.city`."""
    use = state.resolution.columns[-1] if state.resolution.columns else None
    return use is not None and use.node is item and bool(use.path)


def _projection(state: State, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve an item of the SELECT list, and make its name visible to later clauses."""
    if item.__class__ is exp.Column:
        return _plain_item(state, item, scope)
    value, met, windows = item.unalias(), scope.aggregates + scope.windows, scope.windows
    plain = scope.aggregates - scope.aggregates_in_windows
    _check_form_of_item(state, item, value, scope)
    selects, unnested = len(state.resolution.selects), scope.unnested
    used = len(state.resolution.columns)
    kind = state.expression(value, scope)
    column = PreparedColumn(output_name(state, item), kind)
    if (key := _alias_of(state, item, column)) is None:
        return column
    _note_meaning(state, value, key, scope)
    is_new = scope.aliases.setdefault(key, column) is column
    if not is_new or state.traits.aliases_everywhere:
        _check_repeated_alias(state, item, key)
    if scope.aggregates + scope.windows > met:
        scope.computed[key] = "window" if scope.windows > windows else "aggregate"
        if scope.aggregates - scope.aggregates_in_windows > plain:
            scope.aggregated |= {key}
    elif scope.unnested > unnested:
        scope.computed[key] = "unnest"
    elif len(state.resolution.selects) > selects:
        scope.computed[key] = "query"
        _note_correlated(state, key, scope, used)
    return column


def _check_form_of_item(state: State, item: exp.Expr, value: exp.Expr, scope: Scope) -> None:
    if value.__class__ in _ITEM_FORMS:
        state.add_form(item, _ITEM_FORMS[value.__class__])
        if value.__class__ is exp.Star and not scope.relations:
            state.add_form(item, SelectList.star_without_from)
    elif value is not item and value.__class__ is exp.Column and value.is_star:
        state.add_form(item, SelectList.qualified_star_alias)


def _note_correlated(state: State, key: str, scope: Scope, used: int) -> None:
    """Note an alias if a subquery reads a column of this query; `used`: columns before it."""
    if any(
        use.level is scope and use.node.find_ancestor(exp.Select) is not scope.node
        for use in islice(state.resolution.columns, used, None)
    ):
        scope.correlated |= {key}


def _check_repeated_alias(state: State, item: exp.Expr, key: str) -> None:
    """Record an alias that an earlier item has for another expression."""
    is_alias = item.__class__ is exp.Alias
    rejects = is_alias and state.rejects(SelectList.alias_of_two_expressions)
    if not rejects or item.parent is None:
        return
    named = [(one.args["alias"].this, one.this) for one in _values_named(item.parent)]
    for other in item.parent.expressions:
        if other is item:
            break
        if other.__class__ is exp.Alias:
            named.append((other.args["alias"], other.this))
    for alias, value in named:
        if state.column_key(alias) == key and not _are_same(value, item.this):
            state.add_form(item.args["alias"], SelectList.alias_of_two_expressions)
            return


def _are_same(left: exp.Expr, right: exp.Expr) -> bool:
    """Return whether two values are written alike, with a qualifier or without."""
    if left == right:
        return True
    sides = [one.unnest().sql().upper() for one in (left, right)]
    if sides[0] == sides[1]:
        return True
    plain = [_QUALIFIER.sub("", one) for one in sides]
    return plain[0] == plain[1] and (plain[0] == sides[0] or plain[1] == sides[1])


_QUALIFIER: Final = re.compile(r"\b[A-Z_]\w*\.(?=[A-Z_])")


def _values_named(query: exp.Expr) -> list[exp.Expr]:
    """Return the values that the WITH of a query names: `WITH 1 AS one SELECT one`."""
    with_ = query.args.get("with_")
    return [one for one in with_.expressions if one.args.get("scalar")] if with_ is not None else []


def _note_meaning(state: State, value: exp.Expr, key: str, scope: Scope) -> None:
    """Keep the column that an item's name means; None: several."""
    if not state.traits.output_clauses or not state.resolution.columns:
        return
    use = state.resolution.columns[-1]
    if use.node is value and use.level is scope:
        meant = (id(use.relation), use.column.name)
        if scope.meanings.setdefault(key, meant) != meant:
            scope.meanings[key] = None
        note_listed(scope.listed, state.output_key(use.column.name), use)


def _alias_of(state: State, item: exp.Expr, column: PreparedColumn) -> str | None:
    """Return the folded name that later clauses see; None: there is none."""
    if item.__class__ is exp.Alias:
        alias = item.args.get("alias")
        return state.column_key(alias) if alias is not None else None
    return state.output_key(column.name) if state.traits.names_outputs_by and column.name else None


_ITEM_FORMS: Final[Mapping[type[exp.Expr], Form]] = {
    exp.Star: SelectList.star_alias,
    exp.Tuple: SelectList.row_as_value,
    exp.Aliases: SelectList.several_aliases,
    # `SELECT 'total' = sum(a)` names a column in T-SQL.
    **dict.fromkeys(PREDICATES - {exp.EQ}, Conditions.condition_as_value),
}


def _resolve_parts(state: State, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve the parts of a node whose columns are not known."""
    for child in children(node):
        state.expression(child, outer)
    return opaque("")


def _resolve_values(state: State, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a VALUES list that is a query."""
    for row in node.expressions:
        state.expression(row, outer)
    widths = check_rows_of(state, node)
    relation = values_relation(state, widths.pop()) if len(widths) == 1 else opaque("")
    # inserted values are checked against the target's columns
    if relation.complete and not isinstance(node.parent, exp.Insert):
        relation = typed_values(state, node, relation)
    resolve_order_of_outputs(state, node, relation, outer)
    return relation


def _is_qualified_star(item: exp.Expr) -> bool:
    is_qualified = item.__class__ is exp.Column and item.is_star
    return is_qualified and not item.this.args.get("except_")


def _check_list(state: State, node: exp.Select, scope: Scope, relation: Relation) -> None:
    """Check that a SELECT list gives columns."""
    is_empty = relation.complete and not relation.outputs and node.expressions
    # `t.*` has the columns that USING merges
    if is_empty and scope.relations and not any(map(_is_qualified_star, node.expressions)):
        state.add_form(node, SelectList.no_columns)
    if state.traits.stars_in_calls and len(node.expressions) == 1:
        check_pattern(state, node.expressions[0], scope)


def _resolve_select(state: State, node: exp.Select, outer: Scope) -> Relation:
    """Resolve a SELECT, clause by clause, in the order in which engines do."""
    used, part = len(state.resolution.columns), node.args.get
    scope = Scope(outer if part("with_") is None else with_scope(state, node, outer))
    scope.node, scope.clause = node, "from"
    if (windows := part("windows")) is not None:
        scope.named_windows = _named_windows(state, windows)
    state.resolution.selects.append(scope)
    conditions = resolve_from(state, node, scope)
    relation = _resolve_select_list(state, node, scope)
    _check_list(state, node, scope, relation)
    if state.traits.aliases_everywhere:
        check_hidden_columns(state, scope, used)
    if conditions:
        resolve_conditions(state, conditions, scope)
    outputs = relation.outputs if relation.complete else None
    _filter_and_group(state, node, scope, outputs)
    _order_and_limit(state, node, scope, outputs)
    if scope.aggregates or any(map(part, _CHECKED)):
        check_grouping(state, node, scope, used)
    if scope.parent is not state.outermost:
        check_correlation(state, node, scope, used)
    if part("from_") is None:
        _check_without_from(state, node, scope)
    if part("kind") != "VALUE":
        return relation
    if outputs is not None and len(outputs) != 1:
        state.add_width_fault(node, len(outputs), 1)
    # What BigQuery's `SELECT AS VALUE STRUCT(1 AS a)` gives are the fields of the value.
    return undescribed("")


def _check_without_from(state: State, node: exp.Select, scope: Scope) -> None:
    """Record what needs rows in a query without FROM."""
    counts = {"aggregates": scope.aggregates, "windows": scope.windows}
    for name, form in SelectList.without_from.items():
        if counts.get(name) or node.args.get(name):
            state.add_form(node, form)


_CHECKED: Final = ("group", "having", "distinct")
"""Clauses that restrict which columns others may name."""


def _filter_and_group(
    state: State, node: exp.Select, scope: Scope, outputs: Sequence[PreparedColumn] | None
) -> None:
    part = node.args.get
    if (where := part("where")) is not None:
        _condition(state, where, scope, "where")
    _own_clauses(state, node, scope)
    if (group := part("group")) is not None:
        resolve_grouping(state, group, scope, outputs)
        check_totals(state, group, node, scope)
    if (having := part("having")) is not None:
        if group is None and not scope.aggregates:
            state.add_form(having, Grouping.having_without_group)
        _condition(state, having, scope, "having")
    if (qualify := part("qualify")) is not None:
        _condition(state, qualify, scope, "qualify")
        if any(state.aggregates.get(id(call)) is scope for call in qualify.find_all(*CALLS)):
            state.add_form(qualify, Grouping.aggregate_in_qualify)
        if not scope.windows:
            state.add_form(qualify, Grouping.qualify_without_window)


def _order_and_limit(
    state: State, node: exp.Select, scope: Scope, outputs: Sequence[PreparedColumn] | None
) -> None:
    part, scope.clause = node.args.get, "select"
    if (windows := part("windows")) is not None:
        _windows(state, windows, scope)
    if part("order") is not None:
        _order_of_select(state, node, scope, outputs)
    if part("limit") is not None or part("offset") is not None:
        resolve_limits(state, node, scope, None if outputs is None else len(outputs))
    if part("settings"):
        check_settings(state, node)
    locks = part("locks")
    if locks and (scope.aggregates or scope.windows or any(map(part, _CHECKED))):
        state.add_form(locks[0], Limits.lock_of_groups)  # those rows are of no table


def _own_clauses(state: State, node: exp.Expr, scope: Scope) -> None:
    if _RARE.isdisjoint(node.args):
        return
    from_ = node.args.get("from_")
    for name in _MODIFIERS:
        modifier = None if node.args.get("joins") else node.args.get(name)
        if modifier is not None and from_ is not None:
            check_modifier(state, modifier, from_.this, scope, name.upper())
    for name, clause in _OWN_CLAUSES.items():
        found = node.args.get(name)
        if found is not None:
            scope.clause, used = clause, len(state.resolution.columns)
            for child in children(found):
                kind = state.expression(child, scope)
                if name == "prewhere":
                    state.condition(kind, child, what="WHERE")
                    _check_prewhere(state, found, scope, used)


def _check_prewhere(state: State, prewhere: exp.Expr, scope: Scope, used: int) -> None:
    """Record PREWHERE that reads several items of FROM, or one that is no table that supports it.

    `used`: how many columns had been used before it.
    """
    uses = [use for use in state.resolution.columns[used:] if use.level is scope]
    if any(use.node.find_ancestor(exp.Select) is not scope.node for use in uses):
        state.add_form(prewhere, Conditions.correlated_prewhere)
    relations = list({id(use.relation): use.relation for use in uses}.values())
    if len(relations) > 1:
        state.add_form(prewhere, Joins.prewhere_of_several_items)
    elif scope.node.args.get("joins"):
        read = relations[0] if relations else None
        if read is not None and read.table is None and not read.name:  # of ARRAY JOIN
            state.add_form(prewhere, FromClause.modifier_of_query)
        for item in sources(scope.node):
            named = _relation_of(state, item, scope)
            if read is None or (named is not None and named is read):
                check_modifier(state, prewhere, item, scope, "PREWHERE")
                break


def _relation_of(state: State, item: exp.Expr, scope: Scope) -> Relation | None:
    """Return what an item of FROM gives, by its name; None: it has none."""
    item = item.this if isinstance(item, exp.Final) else item
    alias = item.args.get("alias")
    name = alias.this if alias is not None else item.this
    return scope.relations.get(state.alias_key(name)) if isinstance(name, exp.Identifier) else None


_MODIFIERS: Final = ("prewhere", "sample")
"""Clauses that read only stored tables."""
_OWN_CLAUSES: Final[dict[str, Clause]] = {
    "prewhere": "where",
    "connect": "where",
    "cluster": "order",
    "distribute": "order",
    "sort": "order",
}
"""PREWHERE of ClickHouse, CONNECT BY of Oracle and Snowflake, CLUSTER and SORT BY of Spark."""
_RARE: Final = frozenset((*_MODIFIERS, *_OWN_CLAUSES))
"""Clauses that most queries lack."""


def _named_windows(state: State, windows: list[exp.Expr]) -> dict[str, exp.Expr]:
    """Return the windows of WINDOW by their names, of several of one name the first."""
    named: dict[str, exp.Expr] = {}
    for window in windows:
        key, other = state.column_key(window.this), window.args.get("alias")
        if other is not None and state.column_key(other) not in named:
            state.add_form(other, Windows.later_window)
        if named.setdefault(key, window) is not window:
            state.add_form(window.this, Windows.repeated_window)
    return named


def _windows(state: State, windows: list[exp.Expr], scope: Scope) -> None:
    """Resolve the windows of WINDOW; some engines skip unused ones."""
    unknown_column = state.knowledge.accepts(Windows.unknown_column_in_unused_window)
    for window in reversed(windows):  # one may name those before it
        if unknown_column is not Answer.YES or state.column_key(window.this) in scope.windows_read:
            state.expression(window, scope)


_MEANINGFUL: Final = ("limit", "offset", "for_")
"""What makes the order of a subquery's rows matter: TOP, OFFSET and FOR XML."""


def _check_place_of_order(state: State, node: exp.Expr, order: exp.Expr) -> None:
    """Record ORDER BY in a subquery or a CTE whose rows have no order then."""
    is_within = isinstance(node.parent, (exp.CTE, exp.Subquery)) and node.parent.parent is not None
    if is_within and not any(map(node.args.get, _MEANINGFUL)):
        state.add_form(order, Ordering.order_in_subquery)


def _order_of_select(
    state: State, node: exp.Expr, scope: Scope, outputs: Sequence[PreparedColumn] | None
) -> None:
    aggregates, order, group = scope.aggregates, node.args["order"], node.args.get("group")
    width = None if outputs is None else len(outputs)
    resolve_order(state, order, scope, width, outputs=outputs or ())
    _check_place_of_order(state, node, order)
    if state.traits.orders_by_all:
        check_fills(state, order, scope)
    if group is not None:
        if any(not one.expressions for one in group.args.get("rollup") or ()):
            state.add_form(order, Grouping.order_after_rollup)
    elif state.traits.order_needs_group and scope.aggregates > aggregates == 0:
        reject_aggregates(state, order, scope, "ORDER BY")


def _condition(state: State, node: exp.Expr, scope: Scope, clause: Clause) -> None:
    scope.clause = clause
    condition = node.this
    found = state.expression(condition, scope)
    state.condition(found, condition, what=clause.upper())


def _resolve_subquery(state: State, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a query in parentheses, and the clauses after them."""
    scope = with_scope(state, node, outer)
    relation = state.query(node.this, scope)
    if node.args.get("order") or node.args.get("limit"):
        resolve_order_of_outputs(state, node, relation, scope)
    return relation


def _resolve_pivot(state: State, node: exp.Expr, outer: Scope) -> Relation:
    if not state.traits.pivots:
        return opaque("")
    scope = Scope(with_scope(state, node, outer))
    scope.clause = "from"
    resolve_target(state, node.this, scope)
    sources = list(scope.relations.values())
    relation = sources[0] if len(sources) == 1 else opaque("")
    return pivoted(state, node, relation, outer)


def resolve_statement(tree: exp.Expr, state: State) -> tuple[Resolution, Resolution | None]:
    """Resolve every name of a tree, which stays unchanged.

    Returns what was found, and what was found in unreferenced CTEs.
    """
    if isinstance(tree, (exp.Query, exp.Values)) or (
        isinstance(tree, exp.Pivot) and state.traits.pivots
    ):
        _QUERIES[tree.__class__](state, tree, state.outermost)
    elif _resolve_change(state, tree, state.outermost) is None:
        if isinstance(tree, exp.Create) and isinstance(tree.expression, exp.Query):
            _resolve_creation(state, tree)
        elif isinstance(tree, exp.Command) and str(tree.this).upper() == "EXPLAIN":
            state.add_form(tree, Statements.explain)
        # DECLARE names nothing that is stored; what follows it may be skipped.
        if not (isinstance(tree, exp.Declare) and state.traits.takes_several_statements):
            state.resolution.undecided.append(tree.key)
    return settle_deferred(state) if state.deferred_ctes else (state.resolution, None)


def _resolve_creation(state: State, tree: exp.Create) -> None:
    """Resolve the query of CREATE TABLE; that of a view only where its columns need names."""
    form = _NAMELESS.get(tree.text("kind").upper())
    if form is None or (form is Statements.nameless_column_of_view and not state.rejects(form)):
        return
    given = state.query(tree.expression, state.outermost)
    is_named = isinstance(tree.this, exp.Schema)  # `CREATE VIEW v (a) AS …`
    if given.complete and given.nameless and not is_named:
        state.add_form(tree.expression, form)


_NAMELESS: Final = {
    "TABLE": Statements.nameless_column_of_table,
    "VIEW": Statements.nameless_column_of_view,
}


def _resolve_change(state: State, tree: exp.Expr, outer: Scope) -> Relation | None:
    """Resolve a change of rows below the CTEs of `outer`; None: its kind is not known."""
    resolver = _CHANGES.get(tree.__class__)
    return resolver(state, tree, Scope(ctes=outer.ctes)) if resolver is not None else None


_CHANGES: Final[dict[type[exp.Expr], QueryResolver]] = {
    exp.Insert: resolve_insert,
    exp.Update: resolve_update,
    exp.Delete: resolve_delete,
    exp.Merge: resolve_merge,
}
_EXPRESSIONS: Final[DispatchTable[ExpressionResolver]] = DispatchTable(
    {
        **expressions.RESOLVERS,
        **conditions.RESOLVERS,
        **aggregates.RESOLVERS,
        exp.Anonymous: resolve_call,
        exp.AnonymousAggFunc: resolve_call,
        exp.Window: resolve_window,
        exp.Lambda: resolve_lambda,
        exp.Comprehension: resolve_comprehension,
    }
)
_QUERIES: Final[DispatchTable[QueryResolver]] = DispatchTable(
    {
        exp.Expr: _resolve_parts,
        exp.Select: _resolve_select,
        exp.SetOperation: resolve_set_operation,
        exp.Subquery: _resolve_subquery,
        exp.Pivot: _resolve_pivot,
        exp.Values: _resolve_values,
        # in a CTE
        exp.DML: lambda state, node, outer: _resolve_change(state, node, outer) or opaque(""),
    }
)
RESOLVERS: Final = Resolvers(_EXPRESSIONS, _QUERIES, resolve_source)
