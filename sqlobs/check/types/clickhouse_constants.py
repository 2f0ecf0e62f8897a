"""When ClickHouse computes a value: before it plans a query, for each row, or never."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.types.system import CONSTANT, NULL_TEST


def is_null(node: exp.Expr) -> bool:
    """Return whether a value is NULL: most calls and operators of NULL are NULL."""
    if isinstance(node, exp.Anonymous):
        return any(map(is_null, node.expressions))
    if isinstance(node, (exp.Binary, exp.Neg, exp.Paren)) and not isinstance(node, exp.Connector):
        return any(map(is_null, node.iter_expressions()))
    return node.__class__ is exp.Null


def is_constant(node: exp.Expr) -> bool:
    """Return whether a value has no part that depends on rows or on a query."""
    return node.find(exp.Column, exp.Query, exp.AggFunc, exp.Star) is None


def is_computed(node: exp.Expr) -> bool:
    """Return whether the engine computes an argument before it plans the query."""
    if node.find(exp.Column, exp.Query, exp.AggFunc, exp.Star, exp.Identifier) is not None:
        return False
    return not any(_NEVER_COMPUTED.fullmatch(one.name) for one in node.find_all(exp.Anonymous))


def varies(node: exp.Expr) -> bool:
    """Return whether a value differs from row to row; a subquery is a constant."""
    if isinstance(node, (exp.Query, exp.Lambda)) or node.name.lower() in _OF_TYPE_ONLY:
        return False
    if node.__class__ is exp.Anonymous and _NEVER_COMPUTED.fullmatch(node.name):
        return True
    if isinstance(node, exp.Is) and node.meta.get(NULL_TEST) is not None:
        return False
    if isinstance(node, exp.Column):
        return CONSTANT not in node.meta and _is_of_table(node)
    return any(map(varies, node.iter_expressions()))


def _is_of_table(column: exp.Expr) -> bool:
    """Return whether a column is one of a table: that of a subquery may be a constant."""
    query = column.find_ancestor(exp.Select)
    if query is None or query.find(exp.CTE, exp.Subquery) is not None:
        return False
    return query.find_ancestor(exp.Query) is None and query.args.get("from_") is not None


_OF_TYPE_ONLY: Final = frozenset("isnull isnotnull totypename".split())
"""Functions that return a constant, unless their argument may be null."""
_NEVER_COMPUTED: Final = re.compile("materialize|rowNumberIn(?:All)?Blocks?")
"""Functions whose value is never a constant, whatever their arguments are."""


_UNREAD_BY: Final = frozenset("isnull isnotnull totypename indexhint".split())
"""Functions of which the type of the argument is enough, unless it may be null."""


def is_of_rows(nodes: Sequence[exp.Expr]) -> bool:
    """Return whether a side is an item of arrays of columns, whose lambda runs for each row."""
    around = nodes[0].find_ancestor(exp.Lambda)
    call = around.parent if around is not None else None
    if around is None or call is None:
        return False
    arrays = (one for one in call.iter_expressions() if one is not around)
    if not any(one.find(exp.Identifier, exp.Query) for one in arrays):
        return False  # the engine computes it for constants
    names = {one.name for one in around.expressions}
    return any(one.name in names for node in nodes for one in node.find_all(exp.Identifier))


def is_computed_late(node: exp.Expr, *, in_prewhere: bool = True) -> bool:
    """Return whether a value is computed only where there are rows.

    It is in PREWHERE, in a recursion, in a column that nobody reads, or only asked whether it is
    null. The values behind IN are converted before, also `in_prewhere`.
    """
    around = node.parent
    while around is not None and not isinstance(around, exp.Query):
        is_asked = around.__class__ is exp.Is and around.expression.__class__ is exp.Null
        is_unread = around.__class__ is exp.Anonymous and around.name.lower() in _UNREAD_BY
        is_idle = around.__class__ in _DECIDED_BY and _is_decided(around)
        if is_asked or is_unread or is_idle or around.__class__ is exp.PreWhere:
            return in_prewhere or around.__class__ is not exp.PreWhere
        around = around.parent
    return _is_in_recursion(node) or _is_unread(node)


_DECIDED_BY: Final[Mapping[type[exp.Expr], bool]] = {exp.And: False, exp.Or: True}
"""The constant that decides the value of an operator, whatever its other side is."""


def _is_decided(condition: exp.Expr) -> bool:
    """Return whether a constant decides a chain of AND or OR: `a = 'x' OR b OR 1`."""
    decisive = _DECIDED_BY[condition.__class__]
    return any(_truth_of(part) is decisive for part in condition.flatten())


def _truth_of(part: exp.Expr) -> bool | None:
    """Return the truth of a constant, also of `a IS NULL` where a is never null."""
    part = part.unnest()
    if part.__class__ is exp.Not:
        inner = _truth_of(part.this)
        return None if inner is None else not inner
    if part.__class__ is exp.Literal and not part.is_string:
        return bool(part.this != "0")
    return part.this if part.__class__ is exp.Boolean else part.meta.get(NULL_TEST)


def _is_in_recursion(node: exp.Expr) -> bool:
    cte, with_ = node.find_ancestor(exp.CTE), node.find_ancestor(exp.With)
    if cte is None or with_ is None or not with_.args.get("recursive"):
        return False
    name = cte.alias
    return isinstance(cte.this, exp.SetOperation) and any(
        one.name == name for one in cte.this.find_all(exp.Table, exp.Column)
    )


def _is_unread(node: exp.Expr) -> bool:
    """Return whether a value is an item of a query in FROM, or of a CTE, that nobody reads."""
    item, select = node, node.parent
    while select is not None and not isinstance(select, exp.Select):
        item, select = select, select.parent
    if select is None or item.arg_key != "expressions" or select.args.get("distinct"):
        return False
    query: exp.Expr = select
    while isinstance(query.parent, exp.SetOperation):
        query = query.parent
        if query.args.get("distinct") is not False:
            return False
    source = query.parent
    is_source = isinstance(source, (exp.CTE, exp.Subquery)) and isinstance(
        source.parent, (exp.With, exp.From, exp.Join)
    )
    if source is None or not is_source:
        return False
    return not _is_read(_name_of_item(item, select, query), item, query)


def _name_of_item(item: exp.Expr, select: exp.Expr, query: exp.Expr) -> str:
    """Return the name of an item, which the first operand of UNION gives."""
    while isinstance(query, exp.SetOperation):
        query = query.this.unnest()
    place = select.expressions.index(item)
    named = query.expressions[place : place + 1]
    return str(named[0].alias_or_name) if named else ""


def _is_read(name: str, item: exp.Expr, query: exp.Expr) -> bool:
    """Return whether a statement names an item of a query, or has a star around the query."""
    own, inside = {id(one) for one in item.walk()}, {id(one) for one in query.walk()}
    columns, stars = item.root().find_all(exp.Column), item.root().find_all(exp.Star)
    return (
        not name
        or any(one.name == name and id(one) not in own for one in columns)
        or any(id(one) not in inside and not isinstance(one.parent, exp.Anonymous) for one in stars)
    )
