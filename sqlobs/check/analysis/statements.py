"""Walks whole statements: queries, and the tables and columns of INSERT, UPDATE, DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.columns import resolve_column
from sqlobs.check.analysis.expressions import resolve_expression
from sqlobs.check.analysis.facts import Facts, WidthFault
from sqlobs.check.analysis.queries import resolve_query
from sqlobs.check.analysis.scope import Scope
from sqlobs.check.analysis.sources import add_table, resolve_from
from sqlobs.check.analysis.widths import check_width

if TYPE_CHECKING:
    from sqlobs.check.analysis.scope import Relation
    from sqlobs.check.analysis.walk import Walk


def resolve_statement(tree: exp.Expr, walk: Walk) -> Facts:
    """Resolve every name of a statement.

    Args:
        tree: the statement; it is read, never changed.
        walk: what the names are looked up in; made for this statement alone.
    """
    if isinstance(tree, (exp.Query, exp.Values)):
        resolve_query(walk, tree, Scope())
    elif not resolve_change(walk, tree):
        walk.facts.undecided.append(tree.key)
    return walk.facts


def resolve_change(walk: Walk, tree: exp.Expr) -> bool:
    """Resolve an INSERT, UPDATE or DELETE; False: it is none."""
    if isinstance(tree, exp.Insert):
        _insert(walk, tree)
    elif isinstance(tree, exp.Update):
        _update(walk, tree)
    elif isinstance(tree, exp.Delete):
        _delete(walk, tree)
    else:
        return False
    return True


def _insert(walk: Walk, node: exp.Insert) -> None:
    scope = Scope()
    target = node.this
    if isinstance(target, exp.Schema):
        add_table(walk, target.this, scope)
        for identifier in target.expressions:
            resolve_column(walk, exp.Column(this=identifier), scope)
    elif isinstance(target, exp.Table):
        add_table(walk, target, scope)
    if isinstance(node.expression, exp.Expr):
        relation = resolve_query(walk, node.expression, Scope())
        if isinstance(target, exp.Schema):
            _check_inserted(walk, node.expression, relation, len(target.expressions))
    if node.args.get("conflict") or node.args.get("returning"):
        walk.facts.undecided.append("insert")


def _check_inserted(walk: Walk, query: exp.Expr, relation: Relation, expected: int) -> None:
    if not isinstance(query, exp.Values):
        check_width(walk, query, relation, expected)
        return
    for row in query.expressions:
        if isinstance(row, exp.Tuple) and len(row.expressions) != expected:
            walk.facts.width_faults.append(WidthFault(row, len(row.expressions), expected))


def _update(walk: Walk, node: exp.Update) -> None:
    scope = Scope()
    if isinstance(node.this, exp.Table):
        add_table(walk, node.this, scope)
    resolve_from(walk, node, scope)
    scope.clause = "where"
    for assignment in node.expressions:
        resolve_expression(walk, assignment, scope)
    if (where := node.args.get("where")) is not None:
        resolve_expression(walk, where, scope)


def _delete(walk: Walk, node: exp.Delete) -> None:
    scope = Scope()
    for table in (node.this, *(node.args.get("using") or ())):
        if isinstance(table, exp.Table):
            add_table(walk, table, scope)
    scope.clause = "where"
    if (where := node.args.get("where")) is not None:
        resolve_expression(walk, where, scope)
