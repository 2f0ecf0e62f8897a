"""What a change of rows may write to, and what its ON CONFLICT may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import FormUse, TypeFault
from sqlobs.check.resolver.tree import is_default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.scope import Relation
    from sqlobs.check.resolver.state import Walk


def check_assigned(
    walk: Walk, column: exp.Expr, given: PreparedColumn | None, value: exp.Expr
) -> None:
    """Record `column = value` where no value may be given: the column is generated, or derived.

    Args:
        walk: the state of the walk.
        column: the column, just resolved.
        given: what it means; None: not known.
        value: what it is to get.
    """
    if given is None or walk.catalogue is None:
        return
    mode = walk.traits.generated_columns
    if given.generated and mode != "any" and (mode == "left out" or not is_default(value)):
        walk.facts.type_faults.append(_generated(column, given))
    use = walk.facts.columns[-1] if walk.facts.columns else None
    if use is not None and use.node is column:
        check_stored(walk, column, use.relation)


def check_stored(walk: Walk, node: exp.Expr, target: Relation) -> None:
    """Record a change of what a query makes: a CTE, a subquery, a view where none takes changes."""
    is_made = target.table is None and target.complete
    is_view = target.table is not None and target.table.is_view
    if is_made or (is_view and not walk.traits.views_are_like_tables):
        message = f"{target.name} is made by a query: nothing can be changed in it."
        walk.facts.type_faults.append(TypeFault(node, message))


def check_assignments(walk: Walk, update: exp.Expr) -> None:
    """Record what SET holds beside assignments, and a column to which it gives two values."""
    given = update.expressions
    if not given or any(isinstance(one, (exp.Column, exp.Literal)) for one in given):
        walk.facts.forms.append(FormUse(update, "update_without_assignment"))
    columns = [one.this for one in given if isinstance(one.this, exp.Column)]
    if len({walk.column_key(column.this) for column in columns}) < len(columns):
        walk.facts.forms.append(FormUse(columns[-1], "repeated_assignment"))


def check_action(walk: Walk, conflict: exp.Expr) -> None:
    """Record ON CONFLICT and ON DUPLICATE KEY without what is to be done, or where."""
    action, assigned = conflict.text("action"), bool(conflict.expressions)
    if conflict.args.get("duplicate"):
        is_told = action == "UPDATE" and assigned and conflict.args.get("where") is None
    else:
        is_told = action == ("DO UPDATE" if assigned else "DO NOTHING")
        is_told = is_told and (assigned or conflict.args.get("where") is None)
    if not is_told:
        walk.facts.forms.append(FormUse(conflict, "conflict_without_action"))
    if assigned and not any(map(conflict.args.get, _CONFLICT_TARGETS)):
        walk.facts.forms.append(FormUse(conflict, "conflict_without_target"))


_CONFLICT_TARGETS: Final = ("conflict_keys", "constraint", "duplicate")


def check_inserted(
    walk: Walk,
    query: exp.Expr,
    columns: Sequence[PreparedColumn | None],
    named: Sequence[exp.Expr],
) -> None:
    """Record values that INSERT gives generated columns.

    Args:
        walk: the state of the walk.
        query: what gives the values.
        columns: the columns that get them; None: not known.
        named: the list of columns, where there is one.
    """
    mode = walk.traits.generated_columns
    if mode == "any" or walk.catalogue is None:
        return
    for place, column in enumerate(columns):
        if column is None or not column.generated:
            continue
        if mode == "left out" or not _gives_default(query, place):
            walk.facts.type_faults.append(_generated(named[place] if named else query, column))


def check_conflict(walk: Walk, conflict: exp.Expr, target: Relation) -> None:
    """Record ON CONFLICT with columns that are no key of the target, where its keys are known."""
    table, keys = target.table, conflict.args.get("conflict_keys") or ()
    if table is None or table.key is None or not table.unique:
        return
    if not walk.refuses("conflict_without_key") or conflict.args.get("index_predicate"):
        return
    terms = [key.this if isinstance(key, exp.Ordered) else key for key in keys]
    named = {walk.column_key(term.this) for term in terms if isinstance(term, exp.Column)}
    if len(named) == len(keys) > 0 and named <= table.columns.keys() and named not in table.unique:
        message = f"ON CONFLICT names what is no key of {table.name}."
        walk.facts.type_faults.append(TypeFault(terms[0], message))


def _generated(node: exp.Expr, column: PreparedColumn) -> TypeFault:
    return TypeFault(node, f"The column {column.name} is generated and takes no value.")


def _gives_default(query: exp.Expr, place: int) -> bool:
    """Say whether every row has the word DEFAULT in a place, or is too short for it."""
    if not isinstance(query, exp.Values):
        return False
    rows = [row.expressions for row in query.expressions if isinstance(row, exp.Tuple)]
    return all(len(row) <= place or is_default(row[place]) for row in rows)
