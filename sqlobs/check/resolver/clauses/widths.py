"""How many columns a query or a row gives, and what counts them: comparisons, names, positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Conditions, Ctes
from sqlobs.check.resolver.model.resolution import OrdinalFault
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.resolver.model.scope import Relation
    from sqlobs.check.resolver.model.state import ResolverState, Sides


def check_width(state: ResolverState, node: exp.Expr, relation: Relation, expected: int) -> None:
    """Record a query whose number of columns does not fit where it stands."""
    width = len(relation.outputs)
    # BigQuery's `SELECT AS STRUCT a, b` gives one value
    if node.unnest().args.get("kind") is not None:
        width = 1
    if relation.complete and width != expected:
        state.add_width_fault(node, width, expected)


def check_names(state: ResolverState, relation: Relation, alias: exp.Expr, *, is_cte: bool) -> None:
    """Record a list of column names that is longer than what it names; or shorter, of a CTE.

    Some engines forgive a CTE the one or the other.
    """
    names = alias.args.get("columns") or ()
    if not names or not relation.complete:
        return
    width = len(relation.outputs)
    is_wide = len(names) > width and (not is_cte or state.refuses(Ctes.long_cte_column_list))
    is_narrow = is_cte and len(names) < width and state.refuses(Ctes.short_cte_column_list)
    if is_wide or is_narrow:
        state.add_width_fault(alias, width, len(names))


ROWS: Final = frozenset({exp.Tuple, exp.Subquery, exp.Any, exp.All, exp.Paren})
"""What may stand for several values, and what may stand around it."""


def check_rows(state: ResolverState, operation: exp.Expr, sides: Sides) -> None:
    """Record a comparison of rows of unequal widths; one of its sides is of `ROWS`."""
    if not state.follows_defaults:
        return
    left, right = (_width(state, side) for side in sides)
    if left is None or right is None or left == right == 1:
        return
    is_query = isinstance(operation.expression, (exp.Subquery, exp.Any, exp.All))
    if is_query and gives_rows(state, operation.expression.this, left):
        return
    if left != right:
        state.add_width_fault(operation, right, left)
    elif is_query and state.refuses(Conditions.row_equals_query):
        state.add_width_fault(operation, right, 1)


def gives_rows(state: ResolverState, query: exp.Expr, width: int) -> bool:
    """Say whether a query gives one value that is a row: `(a, b) IN (SELECT (c, d) …)`."""
    select = query.unnest()
    if width == 1 or not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return False
    only = select.expressions[0].unalias()
    return width_of_row(only) == width and not state.refuses(Conditions.row_in_query_of_rows)


def check_rows_of(state: ResolverState, values: exp.Expr) -> set[int]:
    """Record a VALUES list with rows of unequal widths; return their widths."""
    rows = [row for row in values.expressions if isinstance(row, exp.Tuple)]
    widths = {len(row.expressions) for row in rows}
    if len(widths) > 1:
        state.add_width_fault(rows[-1], max(widths), min(widths))
    return widths


def _width(state: ResolverState, node: exp.Expr) -> int | None:
    """Return how many values stand on one side of a comparison; None: not known."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, (exp.Subquery, exp.Any, exp.All)):
        return state.widths.get(id(node))
    return width_of_row(node)


def is_row(node: exp.Expr) -> bool:
    """Say whether a value is `(a, b)` or `ROW(a, b)`."""
    is_call = isinstance(node, exp.Anonymous) and node.name.upper() == "ROW"
    return is_call or isinstance(node, exp.Tuple)


def width_of_row(node: exp.Expr) -> int:
    """Return how many values `(a, b)` or `ROW(a, b)` is; anything else is one."""
    return len(node.expressions) if is_row(node) else 1


def check_listed_row(state: ResolverState, left: exp.Expr, value: exp.Expr) -> None:
    """Record a row in the list of IN whose width is not that of what is looked for."""
    if not isinstance(value, (exp.Tuple, exp.Literal)):
        return
    if state.refuses(Conditions.row_in_list_of_values):
        expected, width = width_of_row(left), width_of_row(value)
        if width != expected:
            state.add_width_fault(value, width, expected)


def check_ordinals(state: ResolverState, items: Iterable[exp.Expr], width: int | None) -> None:
    """Record positions in GROUP BY and ORDER BY that no item of the list has.

    Args:
        state: the state of the statement.
        items: the terms of the clause.
        width: how many columns the SELECT list gives; None: not known.
    """
    for item in items:
        term = item.this if isinstance(item, exp.Ordered) else item
        value = term.this if isinstance(term, exp.Neg) else term
        if width is None or not isinstance(value, exp.Literal) or value.is_string:
            continue
        text = str(value.this)
        if not text.isdecimal():
            continue
        if value is not term and state.follows_defaults:
            state.resolution.ordinal_faults.append(OrdinalFault(term, f"-{text}", width))
        elif value is term and not 1 <= whole(text) <= width:
            state.resolution.ordinal_faults.append(OrdinalFault(term, text, width))


def compare_rows(state: ResolverState, operator: str, sides: Sides) -> None:
    """Check a comparison of two rows, value by value."""
    left, right = sides[0].unnest(), sides[1].unnest()
    types = zip(state.rows.get(id(left), ()), state.rows.get(id(right), ()), strict=False)
    values = zip(left.expressions, right.expressions, strict=False)
    for (one, other), pair in zip(types, values, strict=False):
        state.compare(operator, one, other, pair)
