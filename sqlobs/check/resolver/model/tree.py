"""Reads sqlglot's tree: children of a node, sources and conditions of a SELECT."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from sqlobs.check.types.system import NULL_TEST

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.resolution import Resolution

GROUPING_SETS: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)
"""Terms of GROUP BY that are several groupings."""


PREDICATES: Final[frozenset[type[exp.Expr]]] = frozenset(
    {
        *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like, exp.ILike),
        *(exp.In, exp.Is, exp.Exists, exp.And, exp.Or, exp.Not),
    }
)
"""Operators whose result is true or false."""


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the direct children of a node, in order of its arguments."""
    for value in node.args.values():
        if value.__class__ is list:
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item
        elif isinstance(value, exp.Expr):
            yield value


def within_parentheses(node: exp.Expr) -> exp.Expr:
    """Return what parentheses enclose; a query keeps its own, unlike in sqlglot's `unnest`."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def around_parentheses(node: exp.Expr) -> exp.Expr | None:
    """Return what a node is written in, beyond its parentheses."""
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return above


def parts_of_path(column: exp.Expr) -> list[exp.Expr]:
    """Return the names of `catalog.schema.table.column`, as far as they are written."""
    names = ("catalog", "db", "table", "this")
    return [part for name in names if (part := column.args.get(name))]


def is_same(item: exp.Expr, term: exp.Expr) -> bool:
    """Return whether a term repeats an item; a column may omit its qualifier."""
    if not isinstance(item, exp.Column) or not isinstance(term, exp.Column):
        return item == term
    owners = {part.lower() for part in (item.table, term.table) if part}
    return item.name.lower() == term.name.lower() and len(owners) <= 1


def is_lambda(value: exp.Expr) -> bool:
    """Return whether a value of WITH is `x -> x + 1`, of which sqlglot makes another operator."""
    return isinstance(value, exp.Lambda) or value.find(exp.JSONExtract) is not None


def is_bare_column(node: exp.Expr) -> bool:
    """Return whether a node is a column without a qualifier."""
    return isinstance(node, exp.Column) and node.args.get("table") is None


def is_default(value: exp.Expr) -> bool:
    """Return whether a value is the word DEFAULT, which sqlglot may parse as a column."""
    if isinstance(value, exp.Var):
        return value.name.upper() == "DEFAULT"
    if not is_bare_column(value):
        return False
    return value.name.upper() == "DEFAULT" and not value.this.args.get("quoted")


def sources(select: exp.Expr) -> list[exp.Expr]:
    """Return every item of FROM, in the order in which the resolver adds its relations."""
    from_ = select.args.get("from_")
    return [*(sources_of(from_) if from_ is not None else ()), *_joined_sources(select)]


def sources_of(clause: exp.Expr) -> list[exp.Expr]:
    """Return the items of FROM that a FROM, a join or a group of joins adds."""
    source = clause.this
    grouped = group_of_joins(source) is not None
    return [*(sources_of(source) if grouped else [source]), *_joined_sources(source)]


def _joined_sources(node: exp.Expr) -> Iterator[exp.Expr]:
    for join in node.args.get("joins") or ():
        yield from sources_of(join)
    for lateral in node.args.get("laterals") or ():
        yield lateral
        yield from _joined_sources(lateral)


def group_of_joins(source: exp.Expr) -> exp.Expr | None:
    """Return what is in parentheses that only group joins: `(a JOIN b ON …)`; else None."""
    inner = source
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    grouped = inner is not source and isinstance(inner, exp.Table)
    return source.this if grouped and source.args.get("alias") is None else None


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
    """Yield the parts of a condition that AND combines."""
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
    name, ctes = source.name.lower(), _visible_ctes(source)
    return next((cte.this for cte in ctes if cte.alias.lower() == name), None)


def _visible_ctes(node: exp.Expr) -> Iterator[exp.Expr]:
    above = node.parent
    while above is not None:
        with_ = above.args.get("with_")
        if with_ is not None:
            yield from with_.expressions
        above = above.parent


def gives_one_row(query: exp.Expr, facts: Resolution) -> bool:
    """Return whether a query gives at most one row whatever the data: an aggregate, or LIMIT 1."""
    limit = query.args.get("limit")
    most = None if limit is None else limit.expression
    if isinstance(most, exp.Literal) and most.this == "1":
        return True
    if not isinstance(query, exp.Select) or query.args.get("group") is not None:
        return False
    if query.args.get("from_") is None:
        return True
    return any(scope.node is query and scope.aggregates for scope in facts.selects)


def has_columns(node: exp.Expr) -> bool:
    """Return whether anything below a node is a column or a query: no, then it is a constant."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (exp.Column, exp.Query)):
            return True
        waiting.extend(children(part))
    return False


CALLS: Final = (exp.Anonymous, exp.AnonymousAggFunc)
"""Calls that keep their name; sqlglot has classes of its own for aggregates of ClickHouse."""


_WRAPPING: Final = (exp.Limit, exp.IgnoreNulls, exp.RespectNulls, exp.HavingMax)


def within_modifiers(argument: exp.Expr | None) -> exp.Expr | None:
    """Return an argument without the `LIMIT 5` and `IGNORE NULLS` that follow it."""
    while isinstance(argument, _WRAPPING):
        argument = argument.args.get("this")
    return argument


QUANTIFIERS: Final = frozenset({"ALL", "ANY", "SOME"})


def is_quantifier(node: exp.Expr) -> bool:
    """Return whether a value is `ANY (…)`, `SOME (…)` or `ALL (…)`; of an array, some are calls."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in QUANTIFIERS
    return isinstance(node, (exp.Any, exp.All))


def truth_of(node: exp.Expr) -> bool | None:
    """Return whether a condition on literals is true; None: it is not on literals."""
    node = node.unnest()
    if isinstance(node, exp.Not):
        inner = truth_of(node.this)
        return None if inner is None else not inner
    if isinstance(node, exp.Cast):
        return truth_of(node.this)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.In):
        found = [_compared(exp.EQ, node.this, one) for one in node.expressions]
        return True if True in found else None
    if isinstance(node, exp.Binary):
        return _compared(node.__class__, node.this, node.expression)
    return node.this != "0" if isinstance(node, exp.Literal) and not node.is_string else None


def settled_truth(node: exp.Expr) -> bool | None:
    """Return what `truth_of` does, and whether `x IS NULL` can be true, once x is resolved."""
    node = node.unnest()
    if isinstance(node, (exp.Is, exp.Anonymous)):
        return node.meta.get(NULL_TEST)
    inner = settled_truth(node.this) if isinstance(node, exp.Not) else None
    return truth_of(node) if inner is None else not inner


def is_computed(condition: exp.Expr) -> bool:
    """Return whether a condition is a constant whose truth only the engine knows: `empty('')`."""
    if isinstance(condition.unnest(), (exp.Literal, exp.Null)):
        return False
    calls = {one.name.lower() for one in condition.find_all(exp.Anonymous)}
    if condition.find(exp.Rand) is not None or any(map(_VARYING.match, calls)):
        return False
    varying = (exp.Identifier, exp.Query, exp.Star, exp.Placeholder, exp.Parameter)
    return condition.find(*varying) is None and truth_of(condition) is None


_VARYING: Final = re.compile("rand(?!constant$)|generate|rownumber|materialize|nowin|blocknumber")
"""How functions begin whose values are no constants."""


def _compared(kind: type[exp.Expr], left: exp.Expr, right: exp.Expr) -> bool | None:
    """Compare two literals of one kind; None: not comparable here."""
    compare = _COMPARISONS.get(kind)
    sides = (left.unnest(), right.unnest())
    if compare is None or not all(isinstance(side, exp.Literal) for side in sides):
        return None
    if sides[0].is_string != sides[1].is_string:
        return None
    if sides[0].is_string:  # the order of strings depends on the collation
        return bool(compare(sides[0].name, sides[1].name)) if kind in _EQUALITIES else None
    try:
        return bool(compare(float(sides[0].name), float(sides[1].name)))
    except ValueError:
        return None


_COMPARISONS: Final[dict[type[exp.Expr], Callable[[Any, Any], bool]]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_EQUALITIES: Final = frozenset({exp.EQ, exp.NEQ})
