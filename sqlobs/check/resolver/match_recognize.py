"""Walks MATCH_RECOGNIZE: the rows that it looks through, and the columns that it gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.ctes import with_column_names
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.outputs import collect, output_name
from sqlobs.check.resolver.scope import Relation, Scope
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.unnesting import untold

if TYPE_CHECKING:
    from sqlobs.check.resolver.state import Walk


def matched_relation(
    walk: Walk, node: exp.Expr, scope: Scope, *, is_alone: bool
) -> tuple[Relation, exp.Expr | None]:
    """Return what MATCH_RECOGNIZE gives, and its alias; what it reads leaves the scope.

    Args:
        walk: the state of the walk.
        node: the clause.
        scope: the query, with the first item of its FROM.
        is_alone: FROM has that item only; else the tree does not tell which one is read.
    """
    alias = node.args.get("alias")
    name = alias.this if alias is not None else None
    variables = _variables(node)
    if not is_alone or len(scope.relations) != 1 or len(variables) > _MOST_VARIABLES:
        return untold(alias.name if alias is not None else ""), name
    key, read = scope.relations.popitem()
    bare = frozenset(read.columns)
    inner = Scope(scope)
    inner.relations[key] = read
    for variable in variables:
        row = read.renamed(variable)
        row.hidden = bare  # a name without a qualifier means the relation itself
        inner.relations.setdefault(walk.alias_key(exp.to_identifier(variable)), row)
    relation = _given(walk, node, read, inner)
    return (with_column_names(walk, relation, alias) if alias is not None else relation), name


_MOST_VARIABLES: Final = 64
_WORD: Final = re.compile(r"[^\W\d]\w*+")


def _variables(node: exp.Expr) -> set[str]:
    """Return the names of the pattern: each stands for the rows that it has matched."""
    return {*_WORD.findall(node.text("pattern")), *(one.alias for one in _terms(node, "define"))}


def _terms(node: exp.Expr, name: str) -> list[exp.Expr]:
    return node.args.get(name) or []


def _given(walk: Walk, node: exp.Expr, read: Relation, scope: Scope) -> Relation:
    """Resolve every part, and return what one row gives for a match, or all rows of it."""
    keys, order = _terms(node, "partition_by"), node.args.get("order")
    measures = [one.this for one in _terms(node, "measures")]
    tests = [one.this for one in _terms(node, "define")]
    ordered = children(order) if order is not None else ()
    for term in (*keys, *ordered, *(one.unalias() for one in measures), *tests):
        resolve_expression(walk, term, scope)
    measured = [PreparedColumn(output_name(walk, one)) for one in measures]
    if node.text("rows").upper().startswith("ALL"):
        return collect(walk, [*read.outputs, *measured], complete=read.complete)
    kept = [PreparedColumn(output_name(walk, one)) for one in keys]
    return collect(walk, [*kept, *measured], complete=True)
