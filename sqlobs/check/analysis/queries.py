"""Walks queries: WITH, FROM, the SELECT list, the other clauses, set operations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.ctes import with_scope
from sqlobs.check.analysis.expressions import resolve_expression
from sqlobs.check.analysis.facts import AggregateFault, ColumnFault, FormUse, SelectUse
from sqlobs.check.analysis.grouping import check_grouping
from sqlobs.check.analysis.lengths import check_lengths
from sqlobs.check.analysis.outputs import output_name, values_relation
from sqlobs.check.analysis.scope import Relation, Scope, opaque
from sqlobs.check.analysis.sources import resolve_from
from sqlobs.check.analysis.stars import columns_of_star
from sqlobs.check.analysis.tree import children, is_same
from sqlobs.check.analysis.widths import check_ordinals, check_rows_of, check_width
from sqlobs.check.prepared import PreparedColumn
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.analysis.walk import Walk
    from sqlobs.check.traits import Clause


def resolve_query(walk: Walk, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a query below `outer` and return what it gives."""
    if isinstance(node, exp.Select):
        return _select(walk, node, outer)
    if isinstance(node, exp.SetOperation):
        return _set_operation(walk, node, outer)
    if isinstance(node, exp.Subquery):
        return _subquery(walk, node, outer)
    if isinstance(node, exp.Pivot):
        return opaque("")
    if isinstance(node, exp.DML):
        from sqlobs.check.analysis.statements import resolve_change

        resolve_change(walk, node)  # a CTE that changes data; what it returns is not followed
        return opaque("")
    for child in children(node):
        resolve_expression(walk, child, outer)
    if isinstance(node, exp.Values):
        widths = check_rows_of(walk, node)
        return values_relation(walk, widths.pop()) if len(widths) == 1 else opaque("")
    return opaque("")


def _select(walk: Walk, node: exp.Select, outer: Scope) -> Relation:
    used, part = len(walk.facts.columns), node.args.get
    scope = Scope(with_scope(walk, node, outer))
    scope.clause = "from"
    if (windows := part("windows")) is not None:
        scope.window_names = frozenset([walk.column_key(window.this) for window in windows])
    walk.facts.selects.append(SelectUse(node, scope))
    resolve_from(walk, node, scope)
    relation = _projections(walk, node, scope)
    width = len(relation.outputs) if relation.complete else None
    if (where := part("where")) is not None:
        _condition(walk, where, scope, "where")
    if (group := part("group")) is not None:
        _grouping(walk, group, scope, width)
    if (having := part("having")) is not None:
        if group is None and not scope.aggregates:
            walk.facts.forms.append(FormUse(having, "having_without_group"))
        _condition(walk, having, scope, "having")
    if (qualify := part("qualify")) is not None:
        _condition(walk, qualify, scope, "qualify")
    for window in windows or ():
        _clause(walk, window, scope, "select")
    if part("order") is not None:
        _order_of_select(walk, node, scope, width)
    _limits(walk, node, scope)
    check_grouping(walk, node, scope, used)
    return relation


def _order_of_select(walk: Walk, node: exp.Select, scope: Scope, width: int | None) -> None:
    aggregates, order = scope.aggregates, node.args["order"]
    _order(walk, order, scope, width)
    if not walk.traits.order_needs_group or node.args.get("group") is not None:
        return
    if scope.aggregates > aggregates == 0:
        for call in order.find_all(exp.Anonymous, exp.AggFunc):
            if walk.aggregates.get(id(call)) is scope:
                fault = AggregateFault(call, call.name, "aggregate", "ORDER BY")
                walk.facts.aggregate_faults.append(fault)


def _projections(walk: Walk, node: exp.Select, scope: Scope) -> Relation:
    scope.clause = "select"
    if not node.expressions:
        walk.facts.forms.append(FormUse(node, "select_without_list"))
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr):
        resolve_expression(walk, distinct, scope)
    outputs: list[PreparedColumn] = []
    complete = True
    for place, item in enumerate(node.expressions):
        star = columns_of_star(walk, item, scope)
        if star is not None:
            if walk.traits.output_clauses and item.__class__ is exp.Column:
                _add_starred(walk, star[0], outputs, scope)
            if place and item.__class__ is exp.Star:
                walk.facts.forms.append(FormUse(item, "star_after_column"))
            outputs += star[0]
            complete = complete and star[1]
            continue
        outputs.append(_projection(walk, item, scope))
    return collect(walk, outputs, complete=complete)


def _add_starred(
    walk: Walk, columns: list[PreparedColumn], earlier: list[PreparedColumn], scope: Scope
) -> None:
    """Let a name mean what `t.*` gives, unless another star gives one of that name, too."""
    taken = {walk.output_key(one.name) for one in earlier if one.qualified and one not in columns}
    for column in columns:
        key = walk.output_key(column.name)
        if key in taken:
            scope.outputs.pop(key, None)
        else:
            scope.outputs[key] = column


def _projection(walk: Walk, item: exp.Expr, scope: Scope) -> PreparedColumn:
    """Resolve one item of the SELECT list; the clauses behind it see it by its name."""
    value, met, windows = item.unalias(), scope.aggregates + scope.windows, scope.windows
    if value.__class__ in _ITEM_FORMS:
        walk.facts.forms.append(FormUse(item, _ITEM_FORMS[value.__class__]))
        if value.__class__ is exp.Star and not scope.relations:
            walk.facts.forms.append(FormUse(item, "star_without_from"))
    elif value is not item and value.__class__ is exp.Column and value.is_star:
        walk.facts.forms.append(FormUse(item, "qualified_star_alias"))
    selects = len(walk.facts.selects)
    kind = resolve_expression(walk, value, scope)
    column = PreparedColumn(output_name(walk, item), kind)
    if item.__class__ is exp.Column:
        scope.outputs[walk.column_key(item.this)] = column
    elif item.__class__ is exp.Alias and (alias := item.args.get("alias")) is not None:
        key = walk.column_key(alias)
        scope.aliases.setdefault(key, column)
        if scope.aggregates + scope.windows > met:
            scope.computed[key] = "window" if scope.windows > windows else "aggregate"
        elif len(walk.facts.selects) > selects:
            scope.computed[key] = "query"
    return column


_ITEM_FORMS = {
    exp.Star: "star_alias",
    exp.Tuple: "row_as_value",
    exp.Aliases: "several_aliases",
}


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


def _clause(walk: Walk, node: exp.Expr, scope: Scope, clause: Clause) -> None:
    scope.clause = clause
    resolve_expression(walk, node, scope)


def _condition(walk: Walk, node: exp.Expr, scope: Scope, clause: Clause) -> None:
    scope.clause = clause
    condition = node.this
    found = resolve_expression(walk, condition, scope)
    walk.condition(found, condition, what=clause.upper())


def _grouping(walk: Walk, node: exp.Expr, scope: Scope, width: int | None) -> None:
    if not any(node.args.values()):
        walk.facts.forms.append(FormUse(node, "group_without_list"))
    if node.args.get("all") and not node.expressions:
        walk.facts.forms.append(FormUse(node, "group_by_all"))
    check_ordinals(walk, node.expressions, width)
    scope.clause = "group"
    _check_grouped_places(walk, node, scope)
    for item in node.expressions:
        if isinstance(item, exp.Literal) and item.is_string:
            walk.facts.forms.append(FormUse(item, "text_in_group"))
    for item in children(node):
        if not _is_bare_alias(walk, item, scope):
            resolve_expression(walk, item, scope)


def _check_grouped_places(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Record terms of GROUP BY that stand for aggregates or window functions of the list."""
    if not (scope.aggregates or scope.windows) or not walk.refuses("ordinal_of_aggregate"):
        return
    items = node.parent.expressions if node.parent is not None else []
    named = _by_alias(walk, items) if scope.computed else {}
    for term in node.expressions:
        found: list[exp.Expr] = []
        if isinstance(term, exp.Literal) and str(term.this).isdecimal():
            place = whole(term.this)
            found = items[place - 1 : place]
        elif named and _is_bare_alias(walk, term, scope):
            found = named.get(walk.column_key(term.this), [])
        for item in found:
            _check_grouped_item(walk, item, scope)


def _by_alias(walk: Walk, items: Iterable[exp.Expr]) -> dict[str, list[exp.Expr]]:
    """Return the items of a SELECT list that have an alias, by its folded form."""
    named: dict[str, list[exp.Expr]] = {}
    for item in items:
        alias = item.args.get("alias") if isinstance(item, exp.Alias) else None
        if alias is not None:
            named.setdefault(walk.column_key(alias), []).append(item)
    return named


def _check_grouped_item(walk: Walk, item: exp.Expr, scope: Scope) -> None:
    """Record the aggregates and window functions of an item that a query is grouped by."""
    for call in item.find_all(exp.Window, exp.Anonymous, exp.AggFunc):
        if isinstance(call, exp.Window):
            fault = AggregateFault(call.this, call.this.name, "window", "GROUP BY")
            walk.facts.aggregate_faults.append(fault)
        elif walk.aggregates.get(id(call)) is scope:
            fault = AggregateFault(call, call.name, "aggregate", "GROUP BY")
            walk.facts.aggregate_faults.append(fault)


def _order(
    walk: Walk,
    node: exp.Expr | None,
    scope: Scope,
    width: int | None,
    *,
    listed: tuple[exp.Expr, ...] = (),
) -> None:
    """Resolve ORDER BY, but for terms that stand in the SELECT list as they are (`listed`)."""
    if node is None:
        return
    check_ordinals(walk, node.expressions, width)
    for item in node.expressions:
        term = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(term, exp.Literal) and term.is_string and item not in listed:
            is_set = isinstance(node.parent, exp.SetOperation)
            form = "text_in_order_of_set" if is_set else "text_in_order"
            walk.facts.forms.append(FormUse(term, form))
    scope.clause = "order"
    for item in node.expressions:
        if item in listed:
            continue
        if not _is_bare_alias(walk, item.this if isinstance(item, exp.Ordered) else item, scope):
            resolve_expression(walk, item, scope)


def _is_bare_alias(walk: Walk, item: exp.Expr, scope: Scope) -> bool:
    """Say whether a whole item is an alias of the SELECT list (`GROUP BY a`, `ORDER BY a`)."""
    if not walk.traits.alias_only_bare or not isinstance(item, exp.Column):
        return False
    if item.args.get("table") is not None or isinstance(item.this, exp.Star):
        return False
    key = walk.column_key(item.this)
    if scope.clause == "order" and key in scope.outputs:
        return True
    if key not in scope.aliases or scope.clause not in walk.traits.alias_clauses:
        return False
    return scope.clause == "order" or not scope.relations.have(key)


def _limits(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if offset is not None and limit is None:
        walk.facts.forms.append(FormUse(offset, "offset_without_limit"))
    for clause in (limit, offset):
        if clause is not None:
            _limit(walk, clause, scope)


def _limit(walk: Walk, clause: exp.Expr, scope: Scope) -> None:
    """Resolve a LIMIT or OFFSET: a number, or a query; no engine lets it see columns."""
    value = clause.args.get("expression")
    if isinstance(value, exp.Literal):
        if value.is_string:
            walk.facts.forms.append(FormUse(value, "text_as_limit"))
        return
    if value.__class__ in _LIMIT_FORMS:
        walk.facts.forms.append(FormUse(clause, _LIMIT_FORMS[value.__class__]))
    if isinstance(value, exp.Column) and walk.catalogue is not None:
        walk.facts.column_faults.append(ColumnFault(value.this, None, "misplaced", scope))
        return
    _clause(walk, clause, scope, "limit")


_LIMIT_FORMS = {
    exp.Subquery: "query_as_limit",
    exp.Neg: "negative_limit",
    exp.Null: "null_as_limit",
    exp.Add: "expression_as_limit",
    exp.Sub: "expression_as_limit",
    exp.Mul: "expression_as_limit",
    exp.Div: "expression_as_limit",
}


def _set_operation(walk: Walk, node: exp.SetOperation, outer: Scope) -> Relation:
    """Resolve a chain of set operations along its left spine without recursion."""
    scope = with_scope(walk, node, outer)
    spine: list[exp.SetOperation] = [node]
    first = node.this
    while isinstance(first, exp.SetOperation) and first.args.get("with_") is None:
        spine.append(first)
        first = first.this
    relation = resolve_query(walk, first, scope)
    own = walk.recursive.get(id(node)) if walk.recursive else None
    if own is not None:
        _give_types(own, relation)
    if isinstance(first, exp.Subquery):
        walk.facts.forms.append(FormUse(first, "set_operand_first_in_brackets"))
    names = dict(relation.columns)
    for operation in reversed(spine):
        right = resolve_query(walk, operation.expression, scope)
        names = {**right.columns, **names}
        if isinstance(operation.expression, exp.Subquery):
            walk.facts.forms.append(FormUse(operation.expression, "set_operand_in_brackets"))
        if relation.complete and right.complete and not operation.args.get("by_name"):
            check_width(walk, operation.expression, right, len(relation.outputs))
            relation = _matched_types(walk, operation, relation, right)
    if own is not None:
        _check_recursive_types(walk, node, own, relation)
    for operation in spine:
        _order_of_outputs(walk, operation, relation, scope, names)
    return relation


def _give_types(own: Relation, first: Relation) -> None:
    """Give what a recursive CTE is to itself the types of its first query."""
    if len(own.outputs) != len(first.outputs) or not first.complete:
        return
    typed = {
        id(column): replace(column, type=other.type)
        for column, other in zip(own.outputs, first.outputs, strict=True)
    }
    own.outputs = [typed[id(column)] for column in own.outputs]
    own.columns = {key: typed.get(id(column), column) for key, column in own.columns.items()}


def _check_recursive_types(walk: Walk, node: exp.Expr, own: Relation, whole: Relation) -> None:
    """Record a column to which the recursive part gives another type than the first query."""
    if walk.types is None or len(own.outputs) != len(whole.outputs):
        return
    for column, other in zip(own.outputs, whole.outputs, strict=True):
        if column.type is not None and other.type is not None:
            walk.judge(node, walk.types.recursion(column.type, other.type))
    if walk.types.fixes_lengths:
        check_lengths(walk, node)


def _matched_types(walk: Walk, node: exp.SetOperation, left: Relation, right: Relation) -> Relation:
    """Give the outputs of a set operation the common types of its sides."""
    if walk.types is None or len(left.outputs) != len(right.outputs):
        return left
    width, what, outputs = len(left.outputs), node.key.upper(), []
    firsts, seconds = _items(node.this, width), _items(node.expression, width)
    for column, other, *pair in zip(left.outputs, right.outputs, firsts, seconds, strict=True):
        found = walk.common(node, (column.type, other.type), pair, what=what)
        outputs.append(replace(column, type=found))
    return collect(walk, outputs, complete=True)


def _items(query: exp.Expr, width: int) -> list[exp.Expr]:
    """Return the items of an operand's list without names; itself, where they are not told."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or len(query.expressions) != width:
        return [query] * width
    return [item.unalias() for item in query.expressions]


def _order_of_outputs(
    walk: Walk,
    node: exp.Expr,
    relation: Relation,
    outer: Scope,
    names: dict[str, PreparedColumn] | None = None,
) -> None:
    """Resolve ORDER BY and LIMIT behind a set operation: they see its outputs only.

    Args:
        walk: the state of the walk.
        node: the set operation, or a query in brackets.
        relation: what it gives.
        outer: the scope around it.
        names: the outputs of all its operands, which some engines see.
    """
    scope = Scope(outer)
    scope.relations[""] = relation.renamed("")
    if names is not None and not walk.refuses("order_by_name_of_last_operand"):
        scope.aliases = names
    width = len(relation.outputs) if relation.complete else None
    order = node.args.get("order")
    listed: tuple[exp.Expr, ...] = ()
    if order is not None and isinstance(node, exp.SetOperation):
        listed = _check_order_of_set(walk, node, order)
    _order(walk, order, scope, width, listed=listed)
    _limits(walk, node, scope)


def _check_order_of_set(
    walk: Walk, node: exp.SetOperation, order: exp.Expr
) -> tuple[exp.Expr, ...]:
    """Record expressions in ORDER BY of a set operation; return those that its lists hold."""
    takes_any = not walk.refuses("expression_in_order_of_set")
    knows_lists = not walk.refuses("selected_expression_in_order_of_set")
    listed = []
    for item in order.expressions:
        term = item.this if isinstance(item, exp.Ordered) else item
        if knows_lists and isinstance(term, exp.Collate):
            term = term.this
        is_text = isinstance(term, exp.Literal) and term.is_string
        if knows_lists and _is_listed(term, node):
            listed.append(item)
        elif isinstance(term, (exp.Column, exp.Literal)) and not is_text:
            continue
        elif not takes_any and not is_text:
            walk.facts.forms.append(FormUse(term, "expression_in_order_of_set"))
    return tuple(listed)


def _is_listed(term: exp.Expr, node: exp.Expr) -> bool:
    waiting = [node]
    while waiting:
        query = waiting.pop()
        if isinstance(query, exp.SetOperation):
            waiting += [query.this, query.expression]
        elif any(is_same(item.unalias(), term) for item in query.expressions):
            return True
    return False


def _subquery(walk: Walk, node: exp.Subquery, outer: Scope) -> Relation:
    scope = with_scope(walk, node, outer)
    relation = resolve_query(walk, node.this, scope)
    if node.args.get("order") or node.args.get("limit"):
        _order_of_outputs(walk, node, relation, scope)
    return relation
