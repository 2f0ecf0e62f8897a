"""The columns that `*` and `t.*` stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.analysis.columns import fields_of_star, resolve_qualifier
from sqlobs.check.analysis.facts import ColumnFault, FormUse
from sqlobs.check.prepared import PreparedColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.analysis.scope import Relation, Scope
    from sqlobs.check.analysis.walk import Walk

MOST_READ: Final = 100_000
"""Columns that all stars of a statement stand for: each CTE can double those of the one before."""


def columns_of_star(
    walk: Walk, item: exp.Expr, scope: Scope
) -> tuple[list[PreparedColumn], bool] | None:
    """Return the columns that `*` or `t.*` stands for and whether they are all; None: no star."""
    if item.__class__ is exp.Star:
        return _of_all(walk, item, scope)
    if item.__class__ is exp.Column and item.this.__class__ is exp.Star:
        qualifier = item.args.get("table")
        if item.args.get("db") is not None and walk.traits.unnest_column is not None:
            walk.facts.forms.append(FormUse(item, "star_behind_two_names"))
        found = resolve_qualifier(walk, qualifier, scope) if qualifier is not None else None
        if found is None and (fields := fields_of_star(walk, item, scope)) is not None:
            return fields, True
        if found is None or _are_too_many(walk, found[:1]):
            return [], False
        _check_parts(walk, item.this, found[:1], scope)
        plain = not any(item.this.args.values())
        return found[0].outputs, plain and found[0].complete
    return None


def _of_all(walk: Walk, item: exp.Expr, scope: Scope) -> tuple[list[PreparedColumn], bool]:
    if not scope.relations:
        walk.facts.forms.append(FormUse(item, "star_without_from"))
    relations = list(scope.relations.values())
    if _are_too_many(walk, relations):
        return [], False
    _check_parts(walk, item, relations, scope)
    columns = [
        column
        for relation in relations
        for column in relation.outputs
        if walk.output_key(column.name) not in relation.hidden
    ]
    plain = not any(item.args.values())
    return columns, plain and all(relation.complete for relation in relations)


def _check_parts(walk: Walk, star: exp.Expr, relations: Sequence[Relation], scope: Scope) -> None:
    """Walk what stands behind a star: EXCLUDE, REPLACE and RENAME."""
    if star.args.get("except_"):
        _check_left_out(walk, star, relations, scope)
    for alias in star.args.get("replace") or ():
        _check_replaced(walk, alias, relations, scope)
    if star.args.get("rename"):
        _add_renamed(walk, star, scope)


def _check_replaced(
    walk: Walk, alias: exp.Expr, relations: Sequence[Relation], scope: Scope
) -> None:
    """Walk `expression AS column` of REPLACE, whose column must be there."""
    from sqlobs.check.analysis.expressions import resolve_expression

    resolve_expression(walk, alias.unalias(), scope)
    name = alias.args.get("alias")
    if isinstance(name, exp.Identifier) and all(relation.complete for relation in relations):
        key = walk.column_key(name)
        if not any(key in relation.columns for relation in relations):
            walk.facts.column_faults.append(ColumnFault(name, None, "unknown", scope))


def _check_left_out(
    walk: Walk, item: exp.Expr, relations: Iterable[Relation], scope: Scope
) -> None:
    """Record names in `* EXCLUDE (…)` that no relation has."""
    if not all(relation.complete for relation in relations):
        return
    for column in item.args["except_"]:
        name = column.this if isinstance(column, exp.Column) else column
        if not isinstance(name, exp.Identifier) or isinstance(column.args.get("table"), exp.Expr):
            continue
        key = walk.column_key(name)
        if not any(key in relation.columns for relation in relations):
            walk.facts.column_faults.append(ColumnFault(name, None, "unknown", scope))


def _add_renamed(walk: Walk, item: exp.Expr, scope: Scope) -> None:
    """Let the clauses behind the list see the names that `* RENAME (a AS b)` gives."""
    for alias in item.args["rename"]:
        _check_renamed(walk, alias.this, scope)
        column = PreparedColumn(walk.kept_name(alias.args["alias"]))
        scope.aliases.setdefault(walk.output_key(column.name), column)


def _check_renamed(walk: Walk, name: exp.Expr, scope: Scope) -> None:
    """Record a name in `* RENAME (a AS b)` that no relation has, of engines that were not asked."""
    from sqlobs.check.analysis.expressions import resolve_expression

    if walk.catalogue is None:
        resolve_expression(walk, name, scope)


def _are_too_many(walk: Walk, relations: Iterable[Relation]) -> bool:
    """Say whether the stars of a statement stand for more columns than are read."""
    walk.read_by_stars += sum(len(relation.outputs) for relation in relations)
    if walk.read_by_stars <= MOST_READ:
        return False
    walk.facts.undecided.append("stars")
    return True
