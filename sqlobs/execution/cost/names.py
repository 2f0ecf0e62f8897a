"""What a statement's names stand for: every expression that may be behind `x`, wherever it stands.

Scopes are not distinguished: a name means everything that the statement calls so, which errs to the
safe side and needs no schema.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNNAMED: Final = ""
"""Stands for expressions without an alias: engines name their columns in ways of their own."""

SEQUENCE: Final = re.compile(r"seq_(\d+)_to_(\d+)(?:_step_\d+)?", re.IGNORECASE)
"""MariaDB's table of numbers: `seq_1_to_1000`, whose column is `seq`."""

Definitions = dict[str, list[exp.Expr]]


def definitions_of(nodes: Sequence[exp.Expr]) -> Definitions:
    """Return the expressions behind each name of a statement, in lower case."""
    found: Definitions = defaultdict(list)
    for node in nodes:
        for name, expression in _defined_by(node, is_outermost=node is nodes[0]):
            found[name.lower()].append(expression)
    return found


def variable(node: exp.Expr) -> str:
    """Return the name of a variable (`@total`) as it is defined here."""
    return f"@{node.this.name if isinstance(node.this, exp.Expr) else node.this}"


def selects_in(query: exp.Expr) -> Iterator[exp.Select]:
    """Yield the SELECTs whose rows a query gives, those of a UNION in turn."""
    if isinstance(query, exp.Select):
        yield query
    elif isinstance(query, exp.SetOperation):
        yield from selects_in(query.left)
        yield from selects_in(query.right)
    elif isinstance(query, exp.Subquery | exp.Paren):
        yield from selects_in(query.this)


def _defined_by(node: exp.Expr, *, is_outermost: bool) -> Iterator[tuple[str, exp.Expr]]:
    if isinstance(node, exp.Select):
        if not is_outermost:
            yield from _projected(node)
    elif isinstance(node, exp.TableAlias) and node.parent is not None:
        yield from _aliased(node, node.parent)
    elif isinstance(node, exp.PropertyEQ) and isinstance(node.this, exp.Parameter):
        yield variable(node.this), node.expression
    elif isinstance(node, exp.Table) and SEQUENCE.fullmatch(node.name):
        yield "seq", exp.Literal.string(node.name)
    elif isinstance(node, exp.Table | exp.Values | exp.Unnest) and not node.args.get("alias"):
        yield from ((UNNAMED, node),) if _gives_rows(node) else ()


def _projected(select: exp.Select) -> Iterator[tuple[str, exp.Expr]]:
    """Yield what a SELECT names; in a UNION its first SELECT names the columns of all."""
    query: exp.Expr = select
    while isinstance(query.parent, exp.SetOperation | exp.Subquery | exp.Paren):
        query = query.parent
    has_columns = _has_columns(query) or (query.parent is not None and _has_columns(query.parent))
    is_source = isinstance(query.parent, exp.From | exp.Join | exp.CTE | exp.Lateral | exp.Table)
    leading = next(selects_in(query)).expressions
    for position, entry in enumerate(select.expressions):
        inner = entry.unalias()
        first = leading[position] if position < len(leading) else entry
        name = entry.alias or first.alias or (first.name if isinstance(first, exp.Column) else "")
        is_same = isinstance(inner, exp.Column) and inner.name.lower() == name.lower()
        is_lost = not entry.alias and (has_columns or not is_source)
        if not (is_same or inner.is_star or is_lost):
            yield name, inner


def _has_columns(source: exp.Expr) -> bool:
    alias = source.args.get("alias")
    return isinstance(alias, exp.TableAlias) and bool(alias.args.get("columns"))


def _aliased(alias: exp.TableAlias, source: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Yield what `AS t(a, b)` names: columns by position where the source is a plain SELECT."""
    if not _gives_rows(source):
        return
    query = source.this
    if alias.name:
        yield alias.name, source if query is None or isinstance(source, exp.Values) else query
    columns = alias.args.get("columns") or ()
    if not columns and not isinstance(query, exp.Query):
        yield UNNAMED, source
    for position, column in enumerate(columns):
        for expression in _at(source, position):
            yield column.name, expression


def _at(source: exp.Expr, position: int) -> list[exp.Expr]:
    selects = list(selects_in(source.this)) if isinstance(source.this, exp.Expr) else []
    entries = [select.expressions for select in selects]
    is_plain = selects and all(
        len(listed) > position and not any(entry.is_star for entry in listed) for listed in entries
    )
    return [listed[position].unalias() for listed in entries] if is_plain else [source]


def _gives_rows(source: exp.Expr) -> bool:
    """Return whether a source of rows is computed: a subquery, a function, VALUES; not a table."""
    return not isinstance(source, exp.Table) or isinstance(source.this, exp.Func)
