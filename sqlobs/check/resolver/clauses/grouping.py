"""Finds columns of a grouped query that are neither grouped nor aggregated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sqlglot import exp

from sqlobs.check.forms import Conditions, Grouping, Ordering, SelectList, Windows
from sqlobs.check.resolver.clauses.group_by import (
    Grouped,
    groups_by_all,
    items_by_number,
    items_of_all,
)
from sqlobs.check.resolver.clauses.ordering import is_all, reject_aggregates
from sqlobs.check.resolver.model.resolution import ColumnUse
from sqlobs.check.resolver.model.scope import Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import (
    CALLS,
    GROUPING_SETS,
    children,
    is_bare_column,
    within_parentheses,
)
from sqlobs.check.resolver.names.outputs import chooses_columns, items_by_name
from sqlobs.check.types.system import whole


def check_grouping(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    """Record ungrouped columns of a resolved SELECT, of HAVING, or of ORDER BY after DISTINCT.

    `used`: how many columns had been used before it.
    """
    part = node.args.get
    having = part("having")
    if part("group") is not None or having is not None or scope.aggregates:
        _check_columns(state, node, scope, used)
    if having is not None and state.traits.having_needs_list:
        _check_having(state, node, scope, used)
    if state.traits.having_hides_list:
        _check_order_behind(state, scope, used)
    if part("distinct") is not None and part("order") is not None:
        if state.traits.distinct_orders_by_columns:
            _check_distinct_columns(state, node, scope, used)
        elif state.traits.distinct_orders_by_list:
            _check_distinct_order(state, node, scope, used)


def _check_order_behind(state: State, scope: Scope, used: int) -> None:
    """Record aggregates of ORDER BY where the list has windows, or HAVING reads what it lacks."""
    node = scope.node
    terms = [one for name in ("order", "sort") if (one := node.args.get(name)) is not None]
    found = [call for term in terms for call in term.find_all(*CALLS) if _is_of(state, call, scope)]
    place = ""
    if found and any(_has_window(item, node) for item in node.expressions):
        place = "ORDER BY beside window functions of the SELECT list"
    elif found and _reads_more(Grouped(state, scope, used), node):
        place = "ORDER BY behind a HAVING that reads what the SELECT list lacks"
    if place:
        state.add_aggregate_fault(found[0], found[0].name, "aggregate", place)


def _has_window(item: exp.Expr, select: exp.Expr) -> bool:
    return any(one.find_ancestor(exp.Select) is select for one in item.find_all(exp.Window))


def _reads_more(grouped: Grouped, node: exp.Expr) -> bool:
    """Return whether HAVING has an aggregate or a column that is no item of the list."""
    if (having := node.args.get("having")) is None:
        return False
    for item in node.expressions:
        grouped.add(item.unalias())
    waiting = [having.this]
    while waiting:
        part = waiting.pop()
        if grouped.contains(part) or isinstance(part, exp.Query):
            continue
        if id(part) in grouped.uses or _is_of(grouped.state, part, grouped.scope):
            return True
        waiting += children(part)
    return False


def _is_of(state: State, call: exp.Expr, scope: Scope) -> bool:
    return state.aggregates.get(id(call)) is scope


def check_correlation(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    """Record outer columns beside aggregates and in GROUP BY, ORDER BY and windows."""
    form = Conditions.outer_column_among_groups
    if not state.rejects(form):
        return
    around = {id(level) for level in scope.chain()} - {id(scope)}
    is_grouped = bool(scope.aggregates) or node.args.get("group") is not None
    for use in state.resolution.columns[used:]:
        if id(use.level) in around and _is_misplaced(use.node, node, is_grouped=is_grouped):
            state.add_form(use.node, form)
            return


def _is_misplaced(column: exp.Expr, select: exp.Expr, *, is_grouped: bool) -> bool:
    """Return whether an outer column of a subquery is where only its own columns are allowed."""
    part, is_windowed = column, False
    while part.parent is not None and part.parent is not select:
        part = part.parent
        is_windowed = is_windowed or isinstance(part, exp.Window)
        if isinstance(part, exp.Query):
            return False  # of a query further inside
    if part.arg_key == "expressions":
        return is_grouped or is_windowed
    return part.arg_key in {"group", "order", "sort", "distribute", "cluster"}


def _check_columns(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    group = node.args.get("group")
    is_all = group is not None and groups_by_all(state, group)
    if not state.traits.strict_grouping or (is_all and not state.follows_defaults):
        return
    if group is None and not scope.aggregates and state.traits.having_filters_rows:
        return
    faults = state.resolution.column_faults
    if faults and any(fault.scope is scope for fault in faults):
        return  # an unknown column would be reported twice
    grouped = Grouped(state, scope, used)
    if not state.knowledge.lists_functions:
        _check_plain_columns(grouped, node)
    elif is_all:
        _check_order_of_all(grouped, node)
    else:
        _check_clauses(grouped, node)


def _check_clauses(grouped: Grouped, node: exp.Expr) -> None:
    state, group = grouped.state, node.args.get("group")
    terms = list(children(group)) if group is not None else []
    for item in _grouping_items(grouped, node, terms):
        grouped.add(item)
        if state.traits.lateral_aliases and state.rejects(SelectList.alias_within_grouped_item):
            _check_item(grouped, item)
    everywhere = [term for term in terms if not isinstance(term, GROUPING_SETS)]
    if len(everywhere) < len(terms):
        grouped.determine_by(_grouping_items(grouped, node, everywhere))
    spared = _applies_aggregate(state)
    for expression in _judged(node):
        if not (spared and (expression.is_star or chooses_columns(expression))):
            grouped.judge(expression)
    if state.rejects(Windows.ungrouped_in_unused_window):
        for window in node.args.get("windows") or ():
            grouped.judge(window)


def _applies_aggregate(state: State) -> bool:
    """Return whether columns are aggregated by their modifier: `* APPLY sum`."""
    names = _APPLIED.findall(state.sql) if state.traits.stars_in_calls else ()
    return any("aggregate" in state.knowledge.kinds(name, 1) for name in names)


_APPLIED: Final = re.compile(r"\bAPPLY\s*\(?\s*(\w+)", re.IGNORECASE)


def _check_order_of_all(grouped: Grouped, node: exp.Expr) -> None:
    state = grouped.state
    for item in items_of_all(grouped, node):
        grouped.add(item)
    has_own = any(item.is_star for item in node.expressions)
    if not has_own and not state.rejects(Grouping.column_beside_aggregate_of_all):
        for expression in _judged(node):
            grouped.judge(expression)
        return
    calls = (call for item in node.expressions for call in item.find_all(exp.Anonymous))
    if has_own or any(map(chooses_columns, calls)):
        return
    for name in ("having", "order"):
        clause = node.args.get(name)
        if clause is not None:
            grouped.judge(clause)


def _grouping_items(
    grouped: Grouped, node: exp.Expr, terms: Iterable[exp.Expr]
) -> Iterator[exp.Expr]:
    """Yield what GROUP BY groups by; positions and aliases mean items of the list."""
    state, waiting = grouped.state, list(terms)
    seen: set[int] = set()
    named: dict[str, list[exp.Expr]] | None = None
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        is_row = state.traits.aliases_everywhere and isinstance(item, (exp.Struct, exp.Alias))
        if item.is_star or isinstance(item, exp.Columns) or chooses_columns(item):
            grouped.add_starred(item)
        elif is_row or isinstance(item, (*GROUPING_SETS, exp.Tuple, exp.Paren)):
            waiting.extend([item.this] if isinstance(item, exp.Alias) else children(item))
        elif isinstance(item, exp.Literal) and not item.is_string:
            for meant in items_by_number(state, item, node.expressions):
                for star in (one for one in node.expressions if one.is_star):
                    grouped.add_starred(star)  # it is not known which of them are meant
                yield meant.unalias()
        elif _is_other_name(grouped, item):
            named = _named_items(state, node) if named is None else named
            key = state.column_key(item.this)
            found = named.get(key) or _nested_item(state, node, key) or [item]
            meant = within_parentheses(found[0].unalias())
            is_several = is_bare_column(meant) or isinstance(meant, (exp.Tuple, exp.Struct))
            if state.traits.aliases_everywhere and meant is not item and is_several:
                waiting.append(meant)  # an alias of an alias, or of several columns
            yield meant
        else:
            yield item


def _named_items(state: State, node: exp.Expr) -> dict[str, list[exp.Expr]]:
    """Return the items of the list, and the values of ClickHouse's WITH, by folded names."""
    named = items_by_name(state, node.expressions)
    with_ = node.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        if cte.args.get("scalar"):
            named.setdefault(state.column_key(cte.args["alias"].this), []).append(cte.this)
    return named


def _nested_item(state: State, node: exp.Expr, key: str) -> list[exp.Expr]:
    """Return what has an alias inside of an item of the list: `SELECT upper(name AS n)`."""
    if not state.traits.aliases_everywhere:
        return []
    for item in node.expressions:
        for alias in item.find_all(exp.Alias):
            is_own = alias.find_ancestor(exp.Query) is node
            if is_own and state.column_key(alias.args["alias"]) == key:
                return [alias]
    return []


def _check_item(grouped: Grouped, item: exp.Expr) -> None:
    """Record the first alias of another item that a grouped item reads."""
    state, uses = grouped.state, grouped.uses
    if id(item) in uses:
        return
    for column in item.find_all(exp.Column):
        is_alias = id(column) not in uses and column.args.get("table") is None
        if is_alias and state.column_key(column.this) in grouped.scope.aliases:
            state.add_grouping_fault(column, column.name)
            return


def _is_other_name(grouped: Grouped, item: exp.Expr) -> bool:
    if not is_bare_column(item) or isinstance(item.this, exp.Star):
        return False
    if "group" in grouped.state.traits.alias_first:
        return True
    return not grouped.scope.relations.have(grouped.state.column_key(item.this))


def _judged(node: exp.Expr) -> Iterator[exp.Expr]:
    yield from node.expressions
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr) and distinct.args.get("on") is not None:
        yield distinct.args["on"]
    limit = node.args.get("limit")
    if limit is not None and not is_all(limit.expressions):
        yield from limit.expressions  # LIMIT 1 BY a
    for name in ("having", "qualify", "order", "sort", "distribute", "cluster"):
        clause = node.args.get(name)
        if clause is not None and not (name == "order" and is_all(clause.expressions)):
            yield clause


def _check_having(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    group = node.args.get("group")
    terms = children(group) if group is not None else ()
    known = Grouped(state, scope, used)
    items = (item.unalias() for item in node.expressions)
    for item in (*items, *_grouping_items(known, node, terms)):
        known.add(item)
    if not any(item.is_star for item in node.expressions):
        known.judge(node.args["having"].this)


def _check_distinct_order(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    distinct, order = node.args["distinct"], node.args["order"]
    listed = Grouped(state, scope, used)
    if distinct.args.get("on") is not None:
        _check_distinct_on(listed, distinct.args["on"], order)
        return
    takes_text = not state.rejects(Ordering.expression_of_distinct)
    for item in node.expressions:
        if not item.is_star:
            if takes_text or id(item.unalias()) in listed.uses:
                listed.add(item.unalias())
        elif not listed.add_starred(item):
            return
    if takes_text:
        _check_terms_of_distinct(listed, order)
    else:
        listed.judge(order)


def _check_terms_of_distinct(listed: Grouped, order: exp.Expr) -> None:
    """Record terms of ORDER BY that are neither selected, as they are written, nor an alias."""
    state, scope = listed.state, listed.scope
    aliases = scope.aliases.keys() | scope.outputs.keys()
    for term in order.expressions:
        expression = term.this if isinstance(term, exp.Ordered) else term
        if isinstance(expression, exp.Literal) or listed.contains(expression):
            continue
        is_plain = isinstance(expression, exp.Column)
        if id(expression) not in listed.uses and (is_plain or not state.follows_defaults):
            continue  # the name of an output, a fault of its own, or unknown
        if is_bare_column(expression) and state.column_key(expression.this) in aliases:
            continue
        state.add_grouping_fault(expression, expression.name)


def _check_distinct_columns(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    """Record columns in ORDER BY of SELECT DISTINCT that are not selected under their names."""
    listed = Grouped(state, scope, used)
    for item in node.expressions:
        if item.is_star and not listed.add_starred(item):
            return
        listed.add(item)
    reject_aggregates(state, node.args["order"], scope, "ORDER BY after DISTINCT")
    for column in node.args["order"].find_all(exp.Column):
        use = listed.uses.get(id(column))
        if use is not None and not use.path and not listed.contains(column):
            state.add_grouping_fault(column, column.name)


def _check_distinct_on(wanted: Grouped, on: exp.Expr, order: exp.Expr) -> None:
    """Record terms of ORDER BY that precede the last term of DISTINCT ON."""
    state, uses = wanted.state, wanted.uses
    keys = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    items = order.parent.expressions if order.parent is not None else []
    named = items_by_name(state, items)
    for key in keys:
        wanted.add(key if id(key) in uses else _listed(state, key, items, named))
    for term in order.expressions[: len(keys)]:
        expression = term.this if isinstance(term, exp.Ordered) else term
        if id(expression) not in uses:
            expression = _listed(state, expression, items, named)
        if id(expression) in uses and not wanted.contains(expression):
            state.add_grouping_fault(expression, expression.name)


def _listed(
    state: State, term: exp.Expr, items: list[exp.Expr], named: Mapping[str, list[exp.Expr]]
) -> exp.Expr:
    """Return the item of the SELECT list that a position or name means; else the term."""
    if term.is_int:
        place = whole(term.this)
        return items[place - 1].unalias() if 1 <= place <= len(items) else term
    if not is_bare_column(term):
        return term
    return named.get(state.column_key(term.this), [term])[0].unalias()


def _check_plain_columns(parts: Grouped, node: exp.Expr) -> None:
    """Record the ungrouped columns that are items of the SELECT list themselves."""
    state, scope, uses, group = parts.state, parts.scope, parts.uses, node.args.get("group")
    values = [item.unalias() for item in node.expressions]
    if group is None and not any(state.aggregates.get(id(value)) is scope for value in values):
        return
    grouped = _grouped_names(state, node, group, uses) if group is not None else set()
    if grouped is None:
        return
    for value in values:
        use = uses.get(id(value))
        if use is None or use.path:
            continue
        key = state.output_key(use.column.name)
        if key not in grouped and scope.aliases.get(key) is None:
            state.add_grouping_fault(use.node, use.column.name)


def _grouped_names(
    state: State, node: exp.Expr, group: exp.Expr, uses: Mapping[int, ColumnUse]
) -> set[str] | None:
    """Return the keys of grouped columns; None: a term is unknown."""
    named = items_by_name(state, node.expressions)
    keys: set[str] = set()
    seen: set[int] = set()
    waiting = list(children(group))
    while waiting:
        term = waiting.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if isinstance(term, _SEVERAL):
            waiting.extend(children(term))
            continue
        if isinstance(term, exp.Literal):
            numbered = items_by_number(state, term, node.expressions)
            waiting.extend(one.unalias() for one in numbered)
            continue
        use = uses.get(id(term))
        if use is not None:
            keys.add(state.output_key(use.column.name))
        if isinstance(term, exp.Column) and not isinstance(term.this, exp.Star):
            items = named.get(state.column_key(term.this), ())
            waiting.extend(item.unalias() for item in items)
            if use is None and not items:
                return None
    return keys


_SEVERAL: Final = (*GROUPING_SETS, exp.Tuple, exp.Paren, exp.Struct)
"""Terms that group by what they contain; ClickHouse's `tuple(a, b)` means `(a, b)`."""
