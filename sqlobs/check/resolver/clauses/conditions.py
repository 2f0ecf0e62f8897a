"""Resolves operators, comparisons, IN and subqueries; checks the types and widths of both sides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from sqlglot import exp

from sqlobs.check.forms import Conditions, Form, Limits, Literals, Operators
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.state import OPERATORS, ExpressionResolver, Sides, State
from sqlobs.check.resolver.model.tree import (
    children,
    is_computed,
    is_quantifier,
    settled_truth,
    truth_of,
    within_parentheses,
)
from sqlobs.check.resolver.names.outputs import check_width
from sqlobs.check.resolver.names.select_aliases import is_alias_somewhere
from sqlobs.check.types.signatures import fields_of, kind_of
from sqlobs.check.types.system import NULL_TEST, Type

ROWS: Final = frozenset({exp.Tuple, exp.Subquery, exp.Any, exp.All, exp.Paren})
"""What may be several values, and what may contain it."""


def check_rows(
    state: State, operation: exp.Expr, sides: Sides, types: tuple[Type, Type] = (None, None)
) -> None:
    """Record a comparison of rows of unequal widths; one of its sides is of `ROWS`."""
    if not state.follows_defaults:
        return
    left, right = (_width(state, side) for side in sides)
    if left is None or right is None or left == right == 1:
        return
    if state.traits.lists_may_be_rows and any(side.is_string for side in sides):
        return
    single = types[0] if left == 1 else types[1]
    if state.traits.queries_give_rows and 1 in {left, right} and _may_be_row(single):
        return
    is_query = isinstance(operation.expression, (exp.Subquery, exp.Any, exp.All))
    if is_query and gives_rows(state, operation.expression.this, left):
        return
    if left != right:
        state.add_width_fault(operation, right, left)
    elif is_query and state.rejects(Conditions.row_equals_query):
        state.add_width_fault(operation, right, 1)


def _may_be_row(found: Type) -> bool:
    return found is None or kind_of(found) in _MAY_BE_ROWS


_MAY_BE_ROWS: Final = frozenset({"STRUCT", "STRING", "VARIANT", "DYNAMIC", "JSON"})


def gives_rows(state: State, query: exp.Expr, width: int) -> bool:
    """Return whether a query gives one value that is a row: `(a, b) IN (SELECT (c, d) …)`."""
    select = query.unnest()
    if width == 1 or not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return False
    only = select.expressions[0].unalias()
    return width_of_row(only) == width and not state.rejects(Conditions.row_in_query_of_rows)


def _width(state: State, node: exp.Expr) -> int | None:
    """Return the number of values on one side of a comparison; None: not known."""
    node = within_parentheses(node)
    if isinstance(node, (exp.Subquery, exp.Any, exp.All)):
        return state.widths.get(id(node))
    return width_of_row(node)


def is_row(node: exp.Expr) -> bool:
    """Return whether a value is `(a, b)` or `ROW(a, b)`."""
    is_call = isinstance(node, exp.Anonymous) and node.name.upper() == "ROW"
    return is_call or isinstance(node, exp.Tuple)


def width_of_row(node: exp.Expr) -> int:
    """Return how many values `(a, b)` or `ROW(a, b)` is; anything else is one."""
    return len(node.expressions) if is_row(node) else 1


def _check_listed_row(state: State, left: exp.Expr, value: exp.Expr) -> None:
    """Record a row in the list of IN with another width than the left side."""
    expected, width = width_of_row(left), width_of_row(value)
    is_judged = isinstance(value, (exp.Tuple, exp.Literal)) and width != expected
    if is_judged and state.rejects(Conditions.row_in_list_of_values):
        state.add_width_fault(value, width, expected)


def _compare_rows(state: State, operator: str, sides: Sides) -> None:
    """Check a comparison of two rows, value by value."""
    left, right = sides[0].unnest(), sides[1].unnest()
    types = zip(state.rows.get(id(left), ()), state.rows.get(id(right), ()), strict=False)
    values = zip(left.expressions, right.expressions, strict=False)
    for (one, other), pair in zip(types, values, strict=False):
        state.compare(operator, one, other, pair)


TIGHT: Final[frozenset[type[exp.Expr]]] = frozenset(
    {exp.JSONExtract, exp.JSONExtractScalar, exp.DPipe, exp.Add, exp.Sub}
)
"""Operators that bind tighter than a comparison, among them the arrow as most engines read it."""


def _check_arrow(state: State, left: exp.Expr) -> None:
    """Record an arrow without parentheses to the left of a condition."""
    if not state.rejects(Operators.condition_after_arrow):
        return
    part: exp.Expr | None = left
    while part is not None and part.__class__ in TIGHT:
        if part.__class__ is exp.JSONExtract and not part.args.get("variant_extract"):
            fault = "-> has a lower precedence than the operator after it: add parentheses."
            state.add_type_fault(part.expression, fault)
            return
        part = part.args.get("this")


def _binary(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a chain of operators along its left spine without recursion: it may be long."""
    spine: list[exp.Expr] = []
    first: exp.Expr | None = node
    while first is not None and state.resolver_of(first) is _binary:
        spine.append(first)
        first = first.args.get("this")
    found = state.expression(first, scope) if first is not None else None
    for operation in reversed(spine):
        left, right = sides = operation.this, operation.expression
        other = state.expression(right, scope) if isinstance(right, exp.Expr) else None
        if left.__class__ in _NOTABLE or right.__class__ in ROWS:
            _check_sides(state, operation, sides, (found, other))
        if operation.__class__ in CHAINS and isinstance(right, exp.Expr):
            if left.__class__ in CHAINS and not is_quantifier(left.expression):
                state.add_form(operation, CHAINS[operation.__class__])
            state.resolution.comparisons.append(sides)
            if state.rows:
                _compare_rows(state, OPERATORS[operation.__class__], sides)
        if operation.__class__ in _PATTERNS and right.__class__ in _QUANTIFIED:
            _match_each(state, found, sides)
        found = state.combine(operation, sides, found, other)
    return found


def _match_each(state: State, found: Type, sides: Sides) -> None:
    """Check `x LIKE ANY ('a%', 'b%')`: each pattern of the list."""
    patterns = sides[1].this
    for kind, pattern in zip(
        state.rows.get(id(patterns), ()), getattr(patterns, "expressions", ()), strict=False
    ):
        state.compare("~~", found, kind, (sides[0], pattern))


def _check_sides(state: State, operation: exp.Expr, sides: Sides, types: tuple[Type, Type]) -> None:
    """Record operands that are not allowed: rows, and arrows before a condition."""
    (left, right), kind = sides, operation.__class__
    if kind not in TIGHT:
        _check_arrow(state, left)
    if kind in _PATTERNS and right.__class__ is exp.Tuple and state.follows_defaults:
        fault = "LIKE requires a single pattern, not a row value."  # `x LIKE ('a%', 'b%')`
        state.add_type_fault(operation, fault)
    is_of_rows = left.__class__ in ROWS or right.__class__ in ROWS
    if is_of_rows and kind in CHAINS and isinstance(right, exp.Expr):
        check_rows(state, operation, sides, types)


_PATTERNS: Final = frozenset({exp.Like, exp.ILike})
_QUANTIFIED: Final = frozenset({exp.Any, exp.All})


def _overlaps(state: State, node: exp.Expr, scope: Scope) -> Type:
    sides = (node.this, node.expression)
    for side in sides:
        state.expression(side, scope)
    types = [kind for side in sides for kind in state.rows.get(id(side), ())]
    if len(types) != _OVERLAPPING:
        return None
    nodes = [value for side in sides for value in side.expressions]
    return state.judge(node, state.types.call("overlaps", types, nodes))


_OVERLAPPING: Final = 4


def _minus(state: State, node: exp.Expr, scope: Scope) -> Type:
    found = state.expression(node.this, scope)
    if state.traits.signed_literals and _is_cast_number(node.this):
        return found
    if "-" in state.types.never_null:
        state.check_null("-", node, (node.this,))
    return state.judge(node, state.types.minus(found))


def _is_cast_number(node: exp.Expr) -> bool:
    """Return whether a value is a literal behind which casts are written: `1::String`."""
    is_cast = node.__class__ is exp.Cast
    while node.__class__ is exp.Cast:
        node = node.this
    return is_cast and node.__class__ is exp.Literal


def _not(state: State, node: exp.Expr, scope: Scope) -> Type:
    if "NOT" in state.types.never_null:
        state.check_null("NOT", node, (node.this,))
    return state.condition(state.expression(node.this, scope), node.this, what="NOT")


def _is(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x IS NULL`, `x IS TRUE`, and the constants TRUE and FALSE."""
    _check_arrow(state, node.this)
    for place, child in enumerate(children(node)):
        found = state.expression(child, scope)
        if place == 0 and isinstance(node.args.get("expression"), exp.Boolean):
            state.condition(found, child, what="IS")
        is_asked = place == 0 and isinstance(node.args.get("expression"), exp.Null)
        if is_asked and state.types.is_never_null(found):
            node.meta[NULL_TEST] = False
    return state.types.boolean


def _between(state: State, node: exp.Expr, scope: Scope) -> Type:
    this = state.expression(node.this, scope)
    _check_arrow(state, node.this)
    for name in ("low", "high"):
        bound = node.args.get(name)
        if isinstance(bound, exp.Expr):
            other = state.expression(bound, scope)
            state.compare("BETWEEN", this, other, (node.this, bound))
            state.resolution.comparisons.append((node.this, bound))
            if name == "low":
                this = state.types.beside(this, other)
    return state.types.boolean


def _case(state: State, node: exp.Expr, scope: Scope) -> Type:
    operand = node.args.get("this")
    found = state.expression(operand, scope) if operand is not None else None
    compared = state.types.output(found) if found is not None else None
    values: list[tuple[Type, exp.Expr]] = []
    skips, truth = state.traits.skips_dead_branches and operand is None, None
    for branch in node.args.get("ifs") or ():
        truth = truth_of(branch.this) if skips else None
        if truth is False or (skips and truth is None and is_computed(branch.this)):
            continue
        found = state.expression(branch.this, scope)
        if operand is not None:
            state.compare("=", compared, found, (operand, branch.this))
        else:
            state.condition(found, branch.this, what="WHEN")
        truth = settled_truth(branch.this) if skips else None
        result = branch.args.get("true")
        if result is not None and truth is not False:
            values.append((state.expression(result, scope), result))
        if truth:
            break
    if (default := node.args.get("default")) is not None and not truth:
        values.insert(0, (state.expression(default, scope), default))
    types, nodes = [kind for kind, _ in values], [value for _, value in values]
    return state.common(node, types, nodes, what="CASE")


CHAINS: Final[dict[type[exp.Expr], Form]] = {
    exp.EQ: Conditions.equality_chain,
    exp.NEQ: Conditions.equality_chain,
    exp.LT: Conditions.comparison_chain,
    exp.LTE: Conditions.comparison_chain,
    exp.GT: Conditions.comparison_chain,
    exp.GTE: Conditions.comparison_chain,
}
"""Comparisons, with the form that a comparison of their result is."""
_NOTABLE: Final = ROWS | TIGHT
"""Left operands that need a check."""


def _resolve_row(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a row of values; their types are kept for what the row is compared with."""
    types = [state.expression(value, scope) for value in node.expressions]
    state.rows[id(node)] = tuple(types)
    if not state.traits.takes_rows_as_values:
        return None
    values = {str(place): kind for place, kind in enumerate(types, 1)}
    return state.types.row_of(
        {name: kind and state.types.output(kind) for name, kind in values.items()}
    )


def _is_argument(call: exp.Expr | None) -> bool:
    """Return whether what stands around a query is a call, but not `FROM view(SELECT 1)`."""
    is_call = isinstance(call, (exp.Anonymous, exp.AnonymousAggFunc))
    return is_call and call is not None and not isinstance(call.parent, exp.Table)


def _resolve_value_query(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a subquery that is a value: it gives one column."""
    used = len(state.resolution.columns)
    relation = _resolved(state, node, node, scope)
    form = _CORRELATED.get(scope.clause)
    if isinstance(node, exp.Select) and _is_argument(node.parent):
        state.add_form(node, Conditions.query_as_argument)
    if scope.inside_aggregate is not None:
        form = Conditions.correlated_value_in_aggregate
    _check_correlated(state, node, form, scope, used)
    if isinstance(node, exp.Subquery):
        # FROM ML.PREDICT(MODEL m, (SELECT …))
        is_table = isinstance(node.find_ancestor(exp.Table, exp.Query), exp.Table)
        takes_tables = state.traits.calls_take_tables or not state.follows_defaults
        may_be_rows = isinstance(node.parent, _ROWS) or (is_table and takes_tables)
        if not may_be_rows and not state.traits.queries_give_rows:
            check_width(state, node, relation, 1)
        elif len(relation.outputs) > 1 and relation.complete:
            state.rows[id(node.unnest())] = tuple(map(state.given, relation.outputs))
    if node.unnest().args.get("kind") == "STRUCT":
        return _structured(state, relation)
    return _single(state, relation)


def _check_correlated(
    state: State, node: exp.Expr, form: Form | None, scope: Scope, used: int
) -> None:
    """Record a subquery that reads columns of the query around it, where the form is rejected."""
    if form is None or not state.rejects(form):
        return
    if any(use.level is scope for use in islice(state.resolution.columns, used, None)):
        state.add_form(node, form)


def _structured(state: State, relation: Relation) -> Type:
    """Return the type of the value of BigQuery's `SELECT AS STRUCT a, b`."""
    if not relation.complete or relation.nameless:
        return state.types.row
    return state.types.row_of({one.name: state.given(one) for one in relation.outputs})


_CORRELATED: Final = {
    "order": Conditions.correlated_value_in_order,
    "on": Conditions.correlated_value_in_join,
    "group": Conditions.correlated_value_in_group,
}


def _resolved(state: State, node: exp.Expr, query: exp.Expr, scope: Scope) -> Relation:
    """Resolve a query, and keep its number of columns for the node that contains it."""
    relation = state.query(query, scope)
    if relation.complete:
        state.widths[id(node)] = len(relation.outputs)
    return relation


def _single(state: State, relation: Relation) -> Type:
    if len(relation.outputs) == 1:
        return state.given(relation.outputs[0])
    if not state.traits.queries_give_rows or not relation.complete:
        return None
    values = enumerate(relation.outputs, start=1)
    return state.types.row_of({str(place): state.given(one) for place, one in values})


def _resolve_in(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `x IN (…)`: each value is compared, a subquery is as wide as the left side."""
    left = state.expression(node.this, scope)
    _check_arrow(state, node.this)
    may_be_rows = state.traits.lists_may_be_rows and node.expressions
    values = _single_values(state, node, left, scope) if may_be_rows else node.expressions
    for value in values:
        state.compare("IN", left, state.expression(value, scope), (node.this, value))
        state.resolution.comparisons.append((node.this, value))
        if isinstance(value, exp.Tuple) or isinstance(node.this, exp.Tuple):
            _check_listed_row(state, node.this, value)
        if state.rows:
            _compare_rows(state, "IN", (node.this, value))
    if left is not None and left[-1] == "]" and state.traits.lists_may_be_rows:
        _check_sought_array(state, node, left)
    query = node.args.get("query")
    if not node.expressions and not any(map(node.args.get, ("query", "field", "unnest"))):
        state.add_form(node, Conditions.empty_in)
    if query is not None:
        _in_query(state, node, query, left, scope)
    for name in ("field", "unnest"):
        if isinstance(node.args.get(name), exp.Expr):
            _in_without_brackets(state, node, node.args[name], left, scope)
    return state.types.boolean


def _check_sought_array(state: State, node: exp.Expr, left: str) -> None:
    """Record the values of `tags IN ('a', 'b')` that no array equals; brackets list its items."""
    field = node.args.get("field")
    values = node.expressions or ([field] if isinstance(field, exp.Expr) else [])
    if all(isinstance(one, exp.Literal) for one in values) and not _IN_BRACKETS.search(state.sql):
        for one in values:
            state.add_type_fault(one, f"A value of {left} cannot be equal to a plain value.")


_IN_BRACKETS: Final = re.compile(r"\bIN\s*\[", re.IGNORECASE)


def _single_values(state: State, node: exp.Expr, left: Type, scope: Scope) -> list[exp.Expr]:
    """Return the values of a list that are compared one by one; rows are compared here."""
    listed: list[exp.Expr] = node.expressions
    parts = _parts_of_row(state, node.this, left)
    only = listed[0].unnest() if len(listed) == 1 else None
    if isinstance(only, exp.Column) and not _is_value(state, only, scope):
        _in_table(state, (node.this, only), left, scope)
        return []
    if parts is None:
        is_list = isinstance(only, exp.Tuple) or (
            isinstance(only, exp.Array) and state.traits.lists_may_be_rows
        )
        return only.expressions if only is not None and is_list else listed
    rows = [value.unnest() for value in listed]
    if not any(map(is_row, rows)) and len(rows) == len(parts):
        rows = [exp.Tuple(expressions=[one.copy() for one in listed])]
    for row in rows:
        types = [state.expression(value, scope) for value in row.expressions]
        if is_row(row) and parts and len(types) != len(parts):
            state.add_width_fault(row, len(types), len(parts))
        for part, found, value in zip(parts, types, row.expressions, strict=False):
            state.compare("IN", part, found, (node.this, value))
    return []


def _parts_of_row(state: State, node: exp.Expr, found: Type) -> Sequence[Type] | None:
    """Return the types of the values of a row; None: it is a single value; empty: not known."""
    if is_row(node.unnest()):
        return state.rows.get(id(node.unnest()), ())
    if found is None or kind_of(found) != "STRUCT":
        return None if found is not None else ()
    return [*(fields_of(found) or {}).values()]


def _in_query(state: State, node: exp.Expr, query: exp.Expr, left: Type, scope: Scope) -> None:
    if _is_limited(query):
        state.add_form(node, Limits.limit_in_subquery)
    used, sides = len(state.resolution.columns), (node.this, query)
    relation = state.query(query, scope)
    expected = width_of_row(node.this)
    takes_row = state.traits.takes_rows_as_values or gives_rows(state, query, expected)
    _check_queried(state, sides, left, relation, takes_row=takes_row)
    if state.rejects(Conditions.in_correlated_query):
        around = {id(level) for level in scope.chain()}
        if any(id(use.level) in around for use in islice(state.resolution.columns, used, None)):
            state.add_form(node, Conditions.in_correlated_query)
    if expected == len(relation.outputs) == 1:
        state.compare("IN_QUERY", left, _single(state, relation), sides)
    if expected > 1 and any(use.level is scope for use in state.resolution.columns[used:]):
        state.add_form(node, Conditions.row_in_correlated_query)
    values = state.rows.get(id(node.this), ())
    if len(values) == len(relation.outputs):  # of one structure, no value is compared
        for one, other in zip(values, relation.outputs, strict=True):
            state.compare("IN_QUERY", one, state.given(other), sides)


def _check_rows_of_query(
    state: State, query: exp.Expr, relation: Relation, parts: Sequence[Type]
) -> None:
    """Check the width of a query whose only column may be a structure, or a text to read as one."""
    only = _single(state, relation) if len(relation.outputs) == 1 else None
    fields = fields_of(only) if only is not None else None
    may_be_row = len(relation.outputs) == 1 and (
        only is None or kind_of(only) == "STRUCT" or only.startswith("STRING")
    )
    if parts and not (may_be_row and (fields is None or len(fields) == len(parts))):
        check_width(state, query, relation, len(parts))


def _in_array(state: State, node: exp.Expr, value: exp.Expr, scope: Scope) -> None:
    """Resolve BigQuery's `x IN UNNEST(items)`."""
    left = state.expression(node.this, scope)
    for items in value.expressions:
        element = state.judge(value, state.types.element(state.expression(items, scope)))
        state.compare("IN", left, element, (node.this, items))


def _in_without_brackets(
    state: State, node: exp.Expr, value: exp.Expr, left: Type, scope: Scope
) -> None:
    """Resolve `x IN y`: y is a table in SQLite, a list in DuckDB, and an error elsewhere."""
    is_call = isinstance(value, exp.Unnest) and bool(state.knowledge.signatures("unnest"))
    if isinstance(value, exp.Unnest) and (is_call or state.traits.arrays_in_from):
        _in_array(state, node, value, scope)
        return
    takes_tables = not state.rejects(Conditions.in_without_parentheses)
    if state.rejects(Conditions.list_after_in):
        is_value = value.is_number or isinstance(value, (exp.Null, exp.Placeholder))
        takes_value = is_value and takes_tables
        form = Conditions.value_after_in if takes_value else Conditions.in_without_parentheses
        state.add_form(node, form)
    if not isinstance(value, exp.Column) or not takes_tables or _is_value(state, value, scope):
        state.expression(value, scope)
        return
    _in_table(state, (node.this, value), left, scope)


def _is_value(state: State, name: exp.Expr, scope: Scope) -> bool:
    """Return whether a name after IN means a value before it means a table: `x IN t.tags`."""
    if not state.traits.lists_may_be_rows:
        return False
    key, owner = state.column_key(name.this), name.args.get("table")
    levels = scope.visible(state.traits)
    if owner is not None:
        relations = (level.relations.get(state.alias_key(owner)) for level in levels)
        return any(one is not None and key in one.columns for one in relations)
    is_column = any(level.relations.have(key) for level in levels)
    return is_column or is_alias_somewhere(state, key, scope)


def _in_table(state: State, sides: Sides, left: Type, scope: Scope) -> None:
    """Resolve the table behind IN; in ClickHouse it may be an item of FROM by its alias."""
    value, item = sides[1], None
    if state.traits.tables_by_alias and value.args.get("table") is None:
        item = scope.relations.get(state.alias_key(value.this))
    table = exp.Table(this=value.this.copy(), db=value.args.get("table"))
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    relation = item if item is not None else state.query(query, scope)
    _check_queried(state, sides, left, relation, takes_row=False)


def _check_queried(
    state: State, sides: Sides, left: Type, relation: Relation, *, takes_row: bool
) -> None:
    """Check the columns of what stands behind IN, a query or a table."""
    parts = _parts_of_row(state, sides[0], left) if state.traits.lists_may_be_rows else None
    if parts is not None:
        _check_rows_of_query(state, sides[1], relation, parts)
    elif not (takes_row and len(relation.outputs) == 1):
        check_width(state, sides[1], relation, width_of_row(sides[0]))


def is_in_table(state: State, call: exp.Expr, scope: Scope) -> bool:
    """Return whether a call is ClickHouse's `in(x, t)` for `x IN t`, where t is a table."""
    if call.name.lower() not in state.traits.in_calls or len(call.expressions) != 2:  # noqa: PLR2004
        return False
    value = call.expressions[1]
    if not isinstance(value, exp.Column) or value.is_star or _is_value(state, value, scope):
        return False
    is_table = state.table_key(value.this) in state.context.plain_tables
    is_named = state.alias_key(value.this) in scope.relations
    return is_table or is_named or state.cte_key(value.this) in scope.ctes


def resolve_in_table(state: State, call: exp.Expr, scope: Scope) -> Type:
    """Resolve such a call."""
    sought, value = call.expressions
    _in_table(state, (sought, value), state.expression(sought, scope), scope)
    return state.types.boolean


def _is_limited(query: exp.Expr) -> bool:
    while isinstance(query, exp.Subquery) and query.args.get("limit") is None:
        query = query.this
    return query.args.get("limit") is not None


def _is_pattern(state: State, quantified: exp.Expr) -> bool:
    """Return whether ANY or ALL encloses patterns, not a list: Spark's `LIKE ANY ('a%')`."""
    return isinstance(quantified.parent, (exp.Like, exp.ILike)) and state.traits.lists_patterns


def _resolve_inner_query(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve EXISTS, ANY and ALL: any number of columns."""
    used = len(state.resolution.columns)
    for child in children(node):
        if isinstance(child, exp.Query):
            relation = _resolved(state, node, child, scope)
            if scope.clause == "on":
                form = Conditions.correlated_exists_in_join
                _check_correlated(state, node, form, scope, used)
            if isinstance(node, (exp.Any, exp.All)):
                if _is_limited(child):
                    state.add_form(node, Limits.limit_in_quantified)
                return _single(state, relation)
        else:
            found = state.expression(child, scope)
            if isinstance(node, (exp.Any, exp.All)):
                if isinstance(child, exp.Tuple):  # `LIKE ANY (a, b)`
                    return None
                is_value = isinstance(child.unnest(), exp.Query) or _is_pattern(state, node)
                return found if is_value else state.judge(node, state.types.element(found))
    return state.types.boolean if isinstance(node, exp.Exists) else None


def _resolve_array(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `ARRAY[a, b]`, whose elements have one type, or ARRAY(SELECT …)."""
    if any(isinstance(element, exp.Query) for element in node.expressions):
        return _array_of_query(state, node, scope)
    if not node.expressions and not isinstance(node.parent, exp.Cast):
        state.add_form(node, Literals.empty_array)
    types = [state.expression(element, scope) for element in node.expressions]
    found = state.common(node, types, node.expressions, what="ARRAY")
    return state.types.array(found) if found is not None else None


def resolve_of_array(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve `ARRAY(SELECT …)` and `ALL (…)` of no query, of which sqlglot makes calls."""
    value = node.expressions[0]
    if node.name.upper() == "ARRAY":
        return _array_of_query(state, node, scope)
    if isinstance(value, (exp.Query, exp.Values)):
        return _single(state, _resolved(state, node, value, scope))
    found = state.expression(value, scope)
    return state.judge(node, state.types.element(found))


def _array_of_query(state: State, node: exp.Expr, scope: Scope) -> Type:
    for child in node.expressions:
        if not isinstance(child, exp.Query):
            state.expression(child, scope)
            continue
        relation = _resolved(state, node, child, scope)
        check_width(state, child, relation, 1)
        element = _single(state, relation)
        if element is not None and len(node.expressions) == 1:
            return state.types.array(element)
    return None


_ROWS = (exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE, exp.Any, exp.All, exp.Tuple)
"""Where a subquery may be a row of several values."""
RESOLVERS: Final[Mapping[type[exp.Expr], ExpressionResolver]] = {
    exp.Binary: _binary,
    exp.Corr: _binary,
    exp.Neg: _minus,
    exp.Overlaps: _overlaps,
    exp.Not: _not,
    exp.Is: _is,
    exp.Boolean: _is,
    exp.Between: _between,
    exp.Case: _case,
    exp.Tuple: _resolve_row,
    exp.In: _resolve_in,
    exp.Exists: _resolve_inner_query,
    exp.Any: _resolve_inner_query,
    exp.All: _resolve_inner_query,
    exp.Array: _resolve_array,
    exp.Select: _resolve_value_query,
    exp.Subquery: _resolve_value_query,
    exp.SetOperation: _resolve_value_query,
    exp.Values: _resolve_value_query,
}
