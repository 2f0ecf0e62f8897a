"""What a recursive CTE may hold: where it reads itself, and what its parts take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import AggregateFault, FormUse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.state import Walk


def refers_to_itself(walk: Walk, cte: exp.Expr, key: str) -> bool:
    """Say whether a CTE is recursive: a set operation that reads it."""
    if not isinstance(cte.this, exp.SetOperation):
        return False
    return _reads(walk, cte.this, key)


def check_recursion(walk: Walk, cte: exp.Expr, key: str) -> None:
    """Record what a recursive CTE does not take: an order, LIMIT, aggregates where it reads it."""
    for name, form in _RECURSIVE_FORMS.items():
        if cte.this.args.get(name) is not None:
            walk.facts.forms.append(FormUse(cte.this.args[name], form))
    _check_places(walk, cte.this, key)
    _check_windows(walk, cte.this.expression, key)
    if not walk.refuses("aggregate_in_recursion"):
        return
    part = cte.this.expression
    for use in walk.facts.selects:
        if use.node is part and use.scope.aggregates and _reads_in_from(walk, part, key):
            for call in part.find_all(exp.Anonymous, exp.AggFunc):
                if walk.aggregates.get(id(call)) is use.scope:
                    fault = AggregateFault(call, call.name, "aggregate", "a recursive query")
                    walk.facts.aggregate_faults.append(fault)


def _check_windows(walk: Walk, part: exp.Expr, key: str) -> None:
    """Record the window functions of the query that reads the CTE itself, not those within it."""
    if not walk.refuses("window_in_recursion") or not _reads_in_from(walk, part, key):
        return
    for node in part.walk(prune=lambda one: one is not part and isinstance(one, exp.Query)):
        if isinstance(node, exp.Window):
            walk.facts.forms.append(FormUse(node, "window_in_recursion"))


_RECURSIVE_FORMS: Final = {
    "order": "order_in_recursion",
    "limit": "limit_in_recursion",
    "offset": "limit_in_recursion",
}


def _check_places(walk: Walk, query: exp.Expr, key: str) -> None:
    """Record the places where a recursive CTE reads itself and may not."""
    forms = walk.facts.forms
    if not isinstance(query, exp.Union):
        forms.append(FormUse(query, "recursion_without_union"))
    for table in _tables(walk, query.this, key):
        is_chain = isinstance(query.this, exp.SetOperation)
        forms.append(FormUse(table, "recursion_in_chain" if is_chain else "recursion_in_first"))
    for place, table in enumerate(_tables(walk, query.expression, key)):
        if place:
            forms.append(FormUse(table, "recursion_twice"))
        if (form := _form(table, query.expression)) is not None:
            forms.append(FormUse(table, form))


def _form(table: exp.Expr, part: exp.Expr) -> str | None:
    """Return the form that a CTE's reading of itself has in its recursive part, if any."""
    select = table.find_ancestor(exp.Select)
    if select is None or select is part:
        return "recursion_in_outer_join" if _is_optional(table) else None
    above = select.parent
    while isinstance(above, (exp.Subquery, exp.SetOperation)):
        above = above.parent
    if isinstance(above, (exp.From, exp.Join, exp.Lateral)):
        return "recursion_in_derived"
    return None if above is None or isinstance(above, exp.CTE) else "recursion_in_subquery"


def _is_optional(table: exp.Expr) -> bool:
    """Say whether an outer join may give no row of a relation."""
    above = table.parent
    if isinstance(above, exp.Join):
        return above.text("side").upper() in {"LEFT", "FULL"}
    select = above.parent if isinstance(above, exp.From) else None
    joins = select.args.get("joins") or () if select is not None else ()
    return any(join.text("side").upper() in {"RIGHT", "FULL"} for join in joins)


def _tables(walk: Walk, node: exp.Expr | None, key: str) -> Iterator[exp.Expr]:
    """Yield the places below a node that read a relation of this name."""
    if node is not None:
        for table in node.find_all(exp.Table):
            if table.args.get("db") is None and walk.cte_key(table.this) == key:
                yield table


def _reads_in_from(walk: Walk, part: exp.Expr, key: str) -> bool:
    """Say whether the FROM clause of a query reads a relation of this name, joined or not."""
    items = (part.args.get("from_"), *(part.args.get("joins") or ()))
    return any(_reads(walk, item, key) for item in items)


def _reads(walk: Walk, node: exp.Expr | None, key: str) -> bool:
    return next(_tables(walk, node, key), None) is not None
