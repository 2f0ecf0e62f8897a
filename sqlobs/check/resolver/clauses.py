"""Walks GROUP BY, ORDER BY and LIMIT, whose terms may be positions and aliases of the list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import any_of, letter_of
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.ordering import OutputNames
from sqlobs.check.resolver.outputs import items_by_name
from sqlobs.check.resolver.resolution import AggregateFault, ColumnFault, FormUse
from sqlobs.check.resolver.scope import note_listed
from sqlobs.check.resolver.tree import GROUPING_SETS, children
from sqlobs.check.resolver.widths import check_ordinals
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.resolution import ColumnUse
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


def resolve_grouping(walk: Walk, node: exp.Expr, scope: Scope, width: int | None) -> None:
    """Resolve GROUP BY."""
    if not any(node.args.values()):
        walk.facts.forms.append(FormUse(node, "group_without_list"))
    if node.args.get("all") and not node.expressions:
        walk.facts.forms.append(FormUse(node, "group_by_all"))
        if scope.unnested:
            fault = AggregateFault(node, "unnest", "scalar", "a list that GROUP BY ALL groups by")
            walk.facts.aggregate_faults.append(fault)
    check_ordinals(walk, node.expressions, width)
    scope.clause = "group"
    for item in node.expressions:
        if isinstance(item, exp.Tuple):
            walk.facts.forms.append(FormUse(item, "row_in_group"))
    _check_grouped_places(walk, node, scope)
    for item in _terms(node):
        _note_constant(walk, item, "group")
    used = len(walk.facts.columns)
    for item in children(node):
        if not _is_bare_alias(walk, item.unnest(), scope):
            found = resolve_expression(walk, item, scope)
            walk.compare("=", found, found, (item, item))
    if walk.traits.having_needs_list:
        _note_grouped(walk, node, scope, used)


def _note_grouped(walk: Walk, node: exp.Expr, scope: Scope, used: int) -> None:
    """Let HAVING see the columns that are grouped, but for those that the SELECT list names."""
    grouped: dict[str, ColumnUse | None] = {}
    for use in walk.facts.columns[used:]:
        if use.level is scope and use.node.parent is node:
            note_listed(grouped, walk.output_key(use.column.name), use)
    scope.listed = grouped | scope.listed


def _terms(group: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the terms of GROUP BY, those in rows and in ROLLUP, CUBE and GROUPING SETS, too."""
    waiting = list(children(group))
    while waiting:
        term = waiting.pop()
        if isinstance(term, (exp.Tuple, *GROUPING_SETS)):
            waiting += term.expressions
        else:
            yield term


def _note_constant(walk: Walk, term: exp.Expr, clause: str) -> None:
    """Record a constant that GROUP BY or ORDER BY has for a term; a number is a position."""
    value = term.unnest()
    if isinstance(value, exp.Literal):
        if value.is_string:
            walk.facts.forms.append(FormUse(term, f"text_in_{clause}"))
        elif not str(value.this).isdecimal():
            walk.facts.forms.append(FormUse(term, f"constant_in_{clause}"))
    elif isinstance(value, (exp.Null, exp.Boolean)):
        walk.facts.forms.append(FormUse(term, f"constant_in_{clause}"))


def _check_grouped_places(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Record terms of GROUP BY that stand for aggregates or window functions of the list."""
    if not (scope.aggregates or scope.windows) or not walk.refuses("ordinal_of_aggregate"):
        return
    items = node.parent.expressions if node.parent is not None else []
    named = items_by_name(walk, items) if scope.computed else {}
    for term in node.expressions:
        found: list[exp.Expr] = []
        position = term.unnest()
        if isinstance(position, exp.Literal) and str(position.this).isdecimal():
            place = whole(position.this)
            found = items[place - 1 : place]
        elif named and _is_bare_alias(walk, term, scope):
            found = named.pop(walk.column_key(term.this), [])  # told once
        for item in found:
            _check_grouped_item(walk, item, scope)


def _check_grouped_item(walk: Walk, item: exp.Expr, scope: Scope) -> None:
    """Record the aggregates and window functions of an item that a query is grouped by."""
    for call in item.find_all(exp.Window, exp.Anonymous, exp.AggFunc, exp.WithinGroup):
        if isinstance(call, exp.Window):
            fault = AggregateFault(call.this, call.this.name, "window", "GROUP BY")
            walk.facts.aggregate_faults.append(fault)
        elif walk.aggregates.get(id(call)) is scope:
            named = call.this if isinstance(call, exp.WithinGroup) else call
            name = named.name if isinstance(named, exp.Anonymous) else named.key.upper()
            fault = AggregateFault(call, name, "aggregate", "GROUP BY")
            walk.facts.aggregate_faults.append(fault)


def resolve_distinct(
    walk: Walk, node: exp.Expr, query: exp.Select, scope: Scope, width: int | None
) -> None:
    """Resolve DISTINCT ON, whose terms are looked up as those of ORDER BY are."""
    if (on := node.args.get("on")) is None:
        return
    names = OutputNames(walk, query, scope)
    terms = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    check_ordinals(walk, terms, width)
    for term in terms:
        _note_constant(walk, term, "order")
        if not names.are_meant(term):
            resolve_expression(walk, term, scope)


def resolve_order(
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
        if item in listed:
            continue
        if isinstance(node.parent, exp.SetOperation) and term.is_string:
            walk.facts.forms.append(FormUse(term, "text_in_order_of_set"))
        else:
            _note_constant(walk, term, "order")
    scope.clause = "order"
    names = OutputNames(walk, node.parent, scope) if isinstance(node.parent, exp.Select) else None
    for item in node.expressions:
        if item in listed:
            continue
        term = item.this if isinstance(item, exp.Ordered) else item
        name = term.unnest()
        if names is not None and names.are_meant(name):
            found = names.type_of(name)
            walk.compare("<", found, found, (term, term))
            continue
        if not _is_bare_alias(walk, name, scope):
            found = resolve_expression(walk, item, scope)
            walk.compare("<", found, found, (term, term))


def refuse_aggregates(walk: Walk, order: exp.Expr, scope: Scope, place: str) -> None:
    """Record the aggregates of a query in its ORDER BY, where none may stand."""
    for call in order.find_all(exp.Anonymous, exp.AggFunc):
        if walk.aggregates.get(id(call)) is scope:
            fault = AggregateFault(call, call.name, "aggregate", place)
            walk.facts.aggregate_faults.append(fault)


def _is_bare_alias(walk: Walk, item: exp.Expr, scope: Scope) -> bool:
    """Say whether a whole item is an alias of the SELECT list (`GROUP BY a`, `ORDER BY a`)."""
    if not walk.traits.alias_only_bare or not isinstance(item, exp.Column):
        return False
    if item.args.get("table") is not None or isinstance(item.this, exp.Star):
        return False
    key = walk.column_key(item.this)
    if key not in scope.aliases or scope.clause not in walk.traits.alias_clauses:
        return False
    return scope.clause == "order" or not scope.relations.have(key)


def resolve_limits(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Resolve LIMIT and OFFSET."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return
    if offset is not None and limit is None:
        has_rows = _OFFSET_ROWS.search(walk.shape) is not None
        form = "offset_rows_without_limit" if has_rows else "offset_without_limit"
        walk.facts.forms.append(FormUse(offset, form))
    if walk.catalogue is None:
        _note_limits(walk, node, limit, offset)
    for clause in (limit, offset):
        if clause is not None:
            _limit(walk, clause, scope)
            if walk.catalogue is None:
                _limit_by(walk, clause, scope)


def _limit_by(walk: Walk, clause: exp.Expr, scope: Scope) -> None:
    """Resolve what stands behind the BY of ClickHouse's `LIMIT 3 BY city`."""
    scope.clause = "limit"
    for term in clause.expressions:
        resolve_expression(walk, term, scope)


def _note_limits(
    walk: Walk, node: exp.Expr, limit: exp.Expr | None, offset: exp.Expr | None
) -> None:
    """Note LIMIT, FETCH and TOP, of which some engines have only one, and where OFFSET stands."""
    if offset is not None and node.args.get("order") is None:
        walk.facts.forms.append(FormUse(offset, "offset_without_order"))
    if limit is None:
        return
    if isinstance(limit, exp.Fetch):
        walk.facts.forms.append(FormUse(limit, "fetch"))
        if offset is None:
            walk.facts.forms.append(FormUse(limit, "fetch_without_offset"))
    elif _LIMIT.search(walk.shape) is not None:
        walk.facts.forms.append(FormUse(limit, "limit"))
        if offset is not None and _LIMIT_FIRST.search(walk.shape):
            walk.facts.forms.append(FormUse(offset, "limit_before_offset"))
    else:
        walk.facts.forms.append(FormUse(limit, "top"))


def _limit(walk: Walk, clause: exp.Expr, scope: Scope) -> None:
    """Resolve a LIMIT or OFFSET: a number, or a query; no engine lets it see columns."""
    value = clause.args.get("expression")
    if isinstance(value, exp.Literal):
        if value.is_string:
            is_number = str(value.this).strip().isdecimal()
            form = "quoted_number_as_limit" if is_number else "text_as_limit"
            walk.facts.forms.append(FormUse(value, form))
        elif not str(value.this).isdecimal():
            walk.facts.forms.append(FormUse(value, "fraction_as_limit"))
        return
    if isinstance(value, exp.Subquery) and isinstance(clause.parent, exp.SetOperation):
        walk.facts.forms.append(FormUse(clause, "query_as_limit_of_set"))
    elif value.__class__ in _LIMIT_FORMS:
        walk.facts.forms.append(FormUse(clause, _LIMIT_FORMS[value.__class__]))
    if isinstance(value, exp.Column) and value.name.upper() == "ALL" and walk.refuses("limit_all"):
        return
    if isinstance(value, exp.Column) and walk.catalogue is not None:
        walk.facts.column_faults.append(ColumnFault(value.this, None, "misplaced", scope))
        return
    scope.clause = "limit"
    resolve_expression(walk, clause, scope)


_VALUE: Final = ".{1,2}"
"""A number, or a parameter such as `:n`."""
_LIMIT: Final = re.compile(
    letter_of(TokenType.LIMIT)
    + any_of(
        *(TokenType.NUMBER, TokenType.L_PAREN, TokenType.PLACEHOLDER),
        *(TokenType.COLON, TokenType.PARAMETER),
    )
)
_LIMIT_FIRST: Final = re.compile(letter_of(TokenType.LIMIT) + _VALUE + letter_of(TokenType.OFFSET))
_OFFSET_ROWS: Final = re.compile(
    letter_of(TokenType.OFFSET) + _VALUE + any_of(TokenType.ROW, TokenType.ROWS)
)
_LIMIT_FORMS = {
    exp.Subquery: "query_as_limit",
    exp.Neg: "negative_limit",
    exp.Null: "null_as_limit",
    exp.Add: "expression_as_limit",
    exp.Sub: "expression_as_limit",
    exp.Mul: "expression_as_limit",
    exp.Div: "expression_as_limit",
    exp.Boolean: "boolean_as_limit",
    exp.Paren: "brackets_as_limit",
    exp.Parameter: "variable_as_limit",
}
