"""The columns that `*` and `t.*` stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.columns import fields_of_star, resolve_qualifier
from sqlobs.check.resolver.resolution import ColumnFault, FormUse
from sqlobs.check.resolver.scope import MOST_OWNERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.check.resolver.scope import Relation, Scope
    from sqlobs.check.resolver.state import Walk

MOST_READ: Final = 100_000
"""Columns that all stars of a statement stand for: each CTE can double those of the one before.
NATURAL joins count, too, which look for each of their columns in all relations before."""


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
        if found is None or _hold_too_many(walk, found[:1]):
            return [], False
        if qualifier is not None and found[1].repeated:
            _check_namesakes(walk, qualifier, found[1], walk.alias_key(qualifier))
        _check_parts(walk, item.this, found[:1], scope)
        plain = not any(item.this.args.values())
        return found[0].outputs, plain and found[0].complete
    return None


def _of_all(walk: Walk, item: exp.Expr, scope: Scope) -> tuple[list[PreparedColumn], bool]:
    if not scope.relations:
        walk.facts.forms.append(FormUse(item, "star_without_from"))
    relations = list(scope.relations.values())
    if _hold_too_many(walk, relations):
        return [], False
    if scope.repeated:
        _check_namesakes(walk, item, scope)
    _check_parts(walk, item, relations, scope)
    plain = not any(item.args.values())
    columns = shown_columns(walk, relations)
    return columns, plain and all(relation.complete for relation in relations)


def shown_columns(walk: Walk, relations: Iterable[Relation]) -> list[PreparedColumn]:
    """Return the columns of relations, of merged ones the first."""
    return [
        column
        for relation in relations
        for column in relation.outputs
        if walk.output_key(column.name) not in relation.hidden
    ]


def _check_namesakes(walk: Walk, star: exp.Expr, scope: Scope, name: str | None = None) -> None:
    """Record a star over relations of one name, of which some engines then know none.

    Args:
        walk: the state of the walk.
        star: the star, or the name before it.
        scope: the query that has the relations.
        name: the folded alias that the star is about; None: all.
    """
    if scope.namesakes is None:
        scope.namesakes = dict(_namesakes(walk, scope))
    for alias in scope.namesakes if name is None else scope.namesakes.keys() & {name}:
        fault = ColumnFault(star, None, "ambiguous", scope, tuple(scope.namesakes[alias]))
        walk.facts.column_faults.append(fault)


def _namesakes(walk: Walk, scope: Scope) -> Iterator[tuple[str, list[Relation]]]:
    """Yield each alias of several relations over which the engine takes no star, and some."""
    if not walk.refuses("star_of_namesakes"):
        return
    named: dict[str, list[Relation]] = {alias: [] for alias in scope.repeated}
    for key, relation in scope.relations.items():
        if (alias := key.partition("\0")[0]) in named:
            named[alias].append(relation)
    for alias, relations in named.items():
        names = [walk.output_key(column.name) for column in shown_columns(walk, relations)]
        if len(set(names)) < len(names) or walk.refuses("star_of_strangers"):
            yield alias, relations[:MOST_OWNERS]


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
    from sqlobs.check.resolver.expressions import resolve_expression

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
    from sqlobs.check.resolver.expressions import resolve_expression

    if walk.catalogue is None:
        resolve_expression(walk, name, scope)


def are_too_many(walk: Walk, columns: int) -> bool:
    """Say whether a statement is about more columns than are read, with these."""
    walk.read_by_stars += columns
    if walk.read_by_stars <= MOST_READ:
        return False
    walk.facts.undecided.append("stars")
    return True


def _hold_too_many(walk: Walk, relations: Iterable[Relation]) -> bool:
    """Say whether the stars of a statement stand for more columns than are read."""
    return are_too_many(walk, sum(len(relation.outputs) for relation in relations))
