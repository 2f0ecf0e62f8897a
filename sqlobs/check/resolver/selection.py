"""Reading a SELECT that was resolved: its sources, its conditions and the rows they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.tree import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.resolution import Facts


def sources(select: exp.Expr) -> list[exp.Expr]:
    """Return every item of FROM, in the order in which the resolver adds its relations."""
    found: list[exp.Expr] = []
    if (from_ := select.args.get("from_")) is not None:
        _add(from_.this, found)
    _add_joined(select, found)
    return found


def _add(source: exp.Expr, found: list[exp.Expr]) -> None:
    inner = group_of_joins(source)
    if inner is None:
        found.append(source)
    else:
        _add(inner, found)
    _add_joined(source, found)


def _add_joined(node: exp.Expr, found: list[exp.Expr]) -> None:
    for join in node.args.get("joins") or ():
        _add(join.this, found)
    for lateral in node.args.get("laterals") or ():
        _add(lateral, found)


def group_of_joins(source: exp.Expr) -> exp.Expr | None:
    """Return what parentheses hold that only group joins (`FROM (a JOIN b ON …)`), else None."""
    inner = source
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    grouped = inner is not source and isinstance(inner, exp.Table)
    return source.this if grouped and source.args.get("alias") is None else None


def sources_of(join: exp.Join) -> list[exp.Expr]:
    """Return the items of FROM that a join adds."""
    found: list[exp.Expr] = []
    _add(join.this, found)
    return found


def joins(select: exp.Expr) -> Iterator[exp.Join]:
    """Yield every join of a FROM clause, those in parentheses too."""
    waiting = [select]
    if (from_ := select.args.get("from_")) is not None:
        waiting.append(from_.this)
    while waiting:
        node = waiting.pop()
        if (inner := group_of_joins(node)) is not None:
            waiting.append(inner)
        for join in node.args.get("joins") or ():
            waiting.append(join.this)
            yield join


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that must all hold."""
    waiting = [condition] if condition is not None else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            waiting.append(part.this)
        else:
            yield part


def conditions(select: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of WHERE and of every ON."""
    where = select.args.get("where")
    yield from conjuncts(where.this if where is not None else None)
    for join in joins(select):
        yield from conjuncts(join.args.get("on"))


def definition(source: exp.Expr) -> exp.Expr | None:
    """Return the query of a derived table or CTE; None for any other source."""
    if isinstance(source, exp.Subquery):
        return source.this if isinstance(source.this, exp.Query) else None
    if not isinstance(source, exp.Table) or source.args.get("db") is not None:
        return None
    return next((cte.this for cte in _visible_ctes(source) if _is_named(cte, source)), None)


def _visible_ctes(node: exp.Expr) -> Iterator[exp.Expr]:
    above = node.parent
    while above is not None:
        with_ = above.args.get("with_")
        if with_ is not None:
            yield from with_.expressions
        above = above.parent


def _is_named(cte: exp.Expr, source: exp.Table) -> bool:
    return cte.alias.lower() == source.name.lower()


def gives_one_row(query: exp.Expr, facts: Facts) -> bool:
    """Say whether a query gives at most one row whatever the data: an aggregate, or LIMIT 1."""
    limit = query.args.get("limit")
    most = None if limit is None else limit.expression
    if isinstance(most, exp.Literal) and most.this == "1":
        return True
    if not isinstance(query, exp.Select) or query.args.get("group") is not None:
        return False
    if query.args.get("from_") is None:
        return True
    return any(use.node is query and use.scope.aggregates for use in facts.selects)


def has_columns(node: exp.Expr) -> bool:
    """Say whether anything below a node is a column or a query: no, then it is a constant."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (exp.Column, exp.Query)):
            return True
        waiting.extend(children(part))
    return False
