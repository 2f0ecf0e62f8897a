"""What a recursive CTE allows: where it references itself, and the types of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import Ctes
from sqlobs.check.types.written import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.forms import Form
    from sqlobs.check.resolver.model.state import ResolverState


def refers_to_itself(state: ResolverState, cte: exp.Expr, key: str) -> bool:
    """Say whether a CTE is recursive: a set operation that reads it."""
    if not isinstance(cte.this, exp.SetOperation):
        return False
    return _reads(state, cte.this, key)


def check_recursion(state: ResolverState, cte: exp.Expr, key: str) -> None:
    """Record what a recursive CTE does not take: an order, LIMIT, aggregates where it reads it."""
    for name, form in _RECURSIVE_FORMS.items():
        if cte.this.args.get(name) is not None:
            state.add_form(cte.this.args[name], form)
    _check_places(state, cte.this, key)
    _check_windows(state, cte.this.expression, key)
    if not state.refuses(Ctes.aggregate_in_recursion):
        return
    part = cte.this.expression
    for use in state.resolution.selects:
        if use.node is part and use.scope.aggregates and _reads_in_from(state, part, key):
            for call in part.find_all(exp.Anonymous, exp.AggFunc):
                if state.aggregates.get(id(call)) is use.scope:
                    state.add_aggregate_fault(call, call.name, "aggregate", "a recursive query")


def _check_windows(state: ResolverState, part: exp.Expr, key: str) -> None:
    """Record the window functions of the query that reads the CTE itself, not those within it."""
    if not state.refuses(Ctes.window_in_recursion) or not _reads_in_from(state, part, key):
        return
    for node in part.walk(prune=lambda one: one is not part and isinstance(one, exp.Query)):
        if isinstance(node, exp.Window):
            state.add_form(node, Ctes.window_in_recursion)


_RECURSIVE_FORMS: Final = {
    "order": Ctes.order_in_recursion,
    "limit": Ctes.limit_in_recursion,
    "offset": Ctes.limit_in_recursion,
}


def _check_places(state: ResolverState, query: exp.Expr, key: str) -> None:
    """Record the places where a recursive CTE reads itself and may not."""
    if not isinstance(query, exp.Union):
        state.add_form(query, Ctes.recursion_without_union)
    for table in _tables(state, query.this, key):
        is_chain = isinstance(query.this, exp.SetOperation)
        state.add_form(table, Ctes.recursion_in_chain if is_chain else Ctes.recursion_in_first)
    for place, table in enumerate(_tables(state, query.expression, key)):
        if place:
            state.add_form(table, Ctes.recursion_twice)
        if (form := _form(table, query.expression)) is not None:
            state.add_form(table, form)


def _form(table: exp.Expr, part: exp.Expr) -> Form | None:
    """Return the form that a CTE's reading of itself has in its recursive part, if any."""
    select = table.find_ancestor(exp.Select)
    if select is None or select is part:
        return Ctes.recursion_in_outer_join if _is_optional(table) else None
    above = select.parent
    while isinstance(above, (exp.Subquery, exp.SetOperation)):
        above = above.parent
    if isinstance(above, (exp.From, exp.Join, exp.Lateral)):
        return Ctes.recursion_in_derived
    return None if above is None or isinstance(above, exp.CTE) else Ctes.recursion_in_subquery


def _is_optional(table: exp.Expr) -> bool:
    """Say whether an outer join may give no row of a relation."""
    above = table.parent
    if isinstance(above, exp.Join):
        return above.text("side").upper() in {"LEFT", "FULL"}
    select = above.parent if isinstance(above, exp.From) else None
    joins = select.args.get("joins") or () if select is not None else ()
    return any(join.text("side").upper() in {"RIGHT", "FULL"} for join in joins)


def _tables(state: ResolverState, node: exp.Expr | None, key: str) -> Iterator[exp.Expr]:
    """Yield the places below a node that read a relation of this name."""
    if node is not None:
        for table in node.find_all(exp.Table):
            if table.args.get("db") is None and state.cte_key(table.this) == key:
                yield table


def _reads_in_from(state: ResolverState, part: exp.Expr, key: str) -> bool:
    """Say whether the FROM clause of a query reads a relation of this name, joined or not."""
    items = (part.args.get("from_"), *(part.args.get("joins") or ()))
    return any(_reads(state, item, key) for item in items)


def _reads(state: ResolverState, node: exp.Expr | None, key: str) -> bool:
    return next(_tables(state, node, key), None) is not None


def check_lengths(state: ResolverState, node: exp.Expr) -> None:
    """Record columns that have a length in the first query and another, or none, in the second.

    Args:
        state: what is known and found so far.
        node: the set operation of a recursive CTE, resolved.
    """
    first, second = node.this, node.expression
    if not isinstance(first, exp.Select) or not isinstance(second, exp.Select):
        return
    if any(item.is_star for item in (*first.expressions, *second.expressions)):
        return
    declared = {id(use.node): use.column.declared for use in state.resolution.columns}
    for begun, repeated in zip(first.expressions, second.expressions, strict=False):
        length = _length(begun.unalias(), declared)
        value = repeated.unalias()
        if length and _is_computed(value) and _length(value, declared) != length:
            message = "The recursive query gives a column without the length of the first one."
            state.add_type_fault(value, message)


def _length(value: exp.Expr, declared: dict[int, str | None]) -> str:
    """Return the parameters of the type of a value (`(40)`); empty: it has none."""
    if isinstance(value, exp.Array) and value.expressions:
        return _length(value.expressions[0], declared)
    if isinstance(value, exp.Cast):
        text: str | None = written(value.args["to"], "postgres")
    else:
        text = declared.get(id(value))
    found = (text or "").partition("(")
    return f"({found[2]}" if found[1] else ""


def _is_computed(value: exp.Expr) -> bool:
    """Say whether a value is no plain column, which may be the CTE's own and of that length."""
    return isinstance(value, (exp.DPipe, exp.Anonymous, exp.Add, exp.Cast, exp.Concat))
