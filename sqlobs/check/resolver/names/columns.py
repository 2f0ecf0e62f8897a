"""Resolves one column reference through the scopes around it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Calls, FromClause
from sqlobs.check.resolver.model.resolution import ColumnUse
from sqlobs.check.resolver.model.scope import MOST_OWNERS
from sqlobs.check.resolver.names.fields import field_of_column
from sqlobs.check.resolver.names.select_aliases import (
    column_of_alias,
    comes_first,
    has_hidden,
    is_other_value,
    item_called,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.model.scope import Relation, Scope
    from sqlobs.check.resolver.model.state import State
    from sqlobs.dialects.resolution_rules import Clause


def resolve_column(state: State, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Return what a column reference means; record the use, or the fault and return None."""
    args = node.args
    name, qualifier = args["this"], args.get("table")
    if name.__class__ is exp.Star:
        if qualifier is not None:
            resolve_qualifier(state, qualifier, scope)
            state.add_form(node, Calls.qualified_star_in_call)
        return None
    if qualifier is not None:
        return _qualified(state, node, name, qualifier, scope)
    return _unqualified(state, node, name, scope)


def resolve_qualifier(
    state: State, qualifier: exp.Expr, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Return the relation that a qualifier names, and its query; record it if there is none."""
    return _relation_called(state, state.alias_key(qualifier), qualifier, scope)


def _relation_called(
    state: State, alias: str, qualifier: exp.Expr, scope: Scope
) -> tuple[Relation, Scope] | None:
    levels = list(state.visible(scope))
    for level in levels:
        if (relation := level.relations.get(alias)) is not None:
            return relation, level
    may_be_missing = any(level.has_unknown_relation for level in levels)
    is_field = state.traits.fields_by_dot and _reads_field(state, qualifier, levels)
    if not may_be_missing and not is_field and not _is_of_sequence(state, qualifier.parent):
        state.add_column_fault(qualifier, None, "no_source", scope)
    return None


def _reads_field(state: State, qualifier: exp.Expr, levels: list[Scope]) -> bool:
    """Return whether a part of `a.b.c` is, or may be, a column whose field is read."""
    node = qualifier.parent
    parts = [qualifier]
    if node is not None:
        parts += [part for name in ("db", "catalog") if (part := node.args.get(name)) is not None]
    keys = {state.column_key(part) for part in parts}
    if any(level.relations.have(key) for level in levels for key in keys):
        return True
    if state.follows_defaults:
        return False
    values = state.traits.hidden_columns | state.traits.nameless_columns
    if not keys.isdisjoint(values):
        return True
    return any(
        not level.relations.are_complete() or not keys.isdisjoint(level.aliases) for level in levels
    )


def _is_of_sequence(state: State, node: exp.Expr | None) -> bool:
    """Return whether a dotted name is the value of a sequence (`seq.NEXTVAL`)."""
    if node is None or not state.traits.sequence_values or not isinstance(node, exp.Column):
        return False
    return state.column_key(node.this) in state.traits.sequence_values


def _qualified(
    state: State, node: exp.Expr, name: exp.Expr, qualifier: exp.Expr, scope: Scope
) -> PreparedColumn | None:
    alias = state.alias_key(qualifier)
    relation, level = scope.relations.get(alias), scope
    if relation is None:
        found = _relation_called(state, alias, qualifier, scope)
        if found is None:
            return field_of_column(state, node, scope)
        relation, level = found
    if node.args.get("db") is not None and _is_elsewhere(state, node, relation):
        state.add_column_fault(qualifier, None, "no_source", scope)
        return None
    key = state.column_key(name)
    namesakes = 1
    if level.repeated and alias in level.repeated:
        relation, namesakes = _one_of_namesakes(state, qualifier, key, level, relation)
    column = relation.columns.get(key)
    if column is None and relation.complete:
        relation, level = _namesake_around(state, alias, key, level) or (relation, level)
        column = relation.columns.get(key)
    if column is None:
        if state.traits.fields_by_dot and alias in relation.columns:
            return field_of_column(state, node, scope)
        return _not_in(state, node, relation, scope, key)
    if key in relation.merged:
        state.add_column_fault(name, qualifier, "merged", scope, (relation,))
        return None
    if namesakes > 1 or key in relation.repeated:
        state.add_column_fault(name, qualifier, "ambiguous", scope, (relation,))
        return None
    state.resolution.columns.append(ColumnUse(node, column, relation, level))
    return column


def _namesake_around(
    state: State, alias: str, key: str, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Return a relation of this alias in an outer query that has the column, and that query."""
    if state.knowledge.accepts(FromClause.outer_namesake_column) is not Answer.YES:
        return None
    for level in islice(state.visible(scope), 1, None):
        relation = level.relations.get(alias)
        if relation is not None and key in relation.columns:
            return relation, level
    return None


def _is_elsewhere(state: State, node: exp.Expr, relation: Relation) -> bool:
    """Return whether `namespace.table.column` names another namespace than the table's."""
    namespace, table = node.args["db"], relation.table
    if table is None or table.db is None or not state.follows_defaults:
        return False
    if state.traits.fields_by_dot and state.column_key(namespace) in relation.columns:
        return False
    return state.table_key(namespace) != state.context.names.table_key(table.db)


def _one_of_namesakes(
    state: State, qualifier: exp.Expr, key: str, level: Scope, first: Relation
) -> tuple[Relation, int]:
    """Return the one of several relations with an alias that has a column, and how many do."""
    name = state.alias_key(qualifier)
    having = [
        relation
        for alias, relation in level.relations.items()
        if alias.partition("\0")[0] == name and key in relation.columns
    ]
    return (having[0], len(having)) if having else (first, 0)


def _not_in(
    state: State, node: exp.Expr, relation: Relation, scope: Scope, key: str
) -> PreparedColumn | None:
    if relation.may_have(key, quoted=bool(node.this.args.get("quoted"))):
        if relation.is_undescribed:
            state.resolution.undecided.append(node.name)
        return None
    if key in state.traits.hidden_columns and has_hidden(state, relation):
        return None
    if key.isdecimal() and not state.follows_defaults:  # Snowflake's `t.$1`
        return None
    if relation.gives_values and _takes_value(state, node, relation):
        return None
    if state.traits.whole_row and _takes_row(state, key):
        return None  # `t.f` is `f(t)`
    state.add_column_fault(node.this, node.args["table"], "misplaced", scope, (relation,))
    return None


def _takes_value(state: State, node: exp.Expr, relation: Relation) -> bool:
    """Return whether a function accepts the value that a relation gives in each row (`f.x`)."""
    if not state.knows_function(node.name):
        return False
    kind = relation.outputs[0].type if len(relation.outputs) == 1 else None
    if state.types is None or kind is None:
        return True
    return state.types.call(node.name, [kind], [node]).fault is None


def _takes_row(state: State, name: str) -> bool:
    """Return whether a function accepts a row: a declared one, or one for any value."""
    return name in state.context.declared_functions or any(
        one.kind == "scalar" and one.arguments in _ANY_VALUE
        for one in state.knowledge.signatures(name)
    )


_ANY_VALUE: Final = (("record",), ("anyelement",), ("any",))


def _unqualified(
    state: State, node: exp.Expr, name: exp.Expr, scope: Scope
) -> PreparedColumn | None:
    key = state.column_key(name)
    for level in state.visible(scope):
        if level.clause in _BEHIND_LIST and level.meanings.get(key, key) is None:
            owners = tuple(islice(level.relations.values(), MOST_OWNERS))
            state.add_column_fault(node.this, None, "ambiguous", scope, owners)
            return None
        aliased = item_called(state, node, key, level, scope) if level.aliases else None
        if aliased is not None and comes_first(state, node, key, level):
            return column_of_alias(state, node, aliased, key, (level, scope))
        matches = level.relations.showing(key)
        if matches:
            if len(matches) > 1 and level.clause in state.traits.output_clauses:
                if aliased is not None and key not in level.outputs:
                    return column_of_alias(state, node, aliased, key, (level, scope))
                if (column := _listed(level, key)) is not None:
                    return column
            return _matched(state, node, matches, key, scope, level)
        if aliased is not None:
            return column_of_alias(state, node, aliased, key, (level, scope))
        if level.has_unknown_relation:
            break  # that has the name, most likely, whatever the queries around have
    _judge_unmatched(state, node, key, scope)
    return None


def _listed(level: Scope, key: str) -> PreparedColumn | None:
    """Return the selected column that an ambiguous name means in a later clause."""
    use = level.listed.get(key) if level.clause == "having" else None
    return level.outputs.get(key) or (None if use is None else use.column)


_BEHIND_LIST: Final[frozenset[Clause]] = frozenset({"group", "having", "order"})


def _judge_unmatched(state: State, node: exp.Expr, key: str, scope: Scope) -> None:
    """Record an unknown column, unless the name can mean something else."""
    quoted = bool(node.this.args.get("quoted"))
    may_be_hidden = any(
        level.relations.may_have(key, quoted=quoted) for level in state.visible(scope)
    )
    if may_be_hidden:
        _note_undescribed(state, node, state.visible(scope))
    elif not is_other_value(state, node, key, scope):
        state.add_column_fault(node.this, None, "unknown", scope)


def _note_undescribed(state: State, node: exp.Expr, levels: Iterable[Scope]) -> None:
    if any(relation.is_undescribed for level in levels for relation in level.relations.values()):
        state.resolution.undecided.append(node.name)


def _matched(
    state: State, node: exp.Expr, matches: list[Relation], key: str, scope: Scope, level: Scope
) -> PreparedColumn | None:
    first = matches[0]
    if (len(matches) > 1 and not _is_decided(state, key, level)) or key in first.repeated:
        state.add_column_fault(node.this, None, "ambiguous", scope, tuple(matches))
        return None
    if first.preferred:
        first = first.preferred.get(key, first)
    column = first.columns[key]
    state.resolution.columns.append(ColumnUse(node, column, first, level))
    return column


def _is_decided(state: State, key: str, level: Scope) -> bool:
    """Return whether USING or the left side of the join decides between several columns."""
    if state.traits.left_of_join_first and len(level.relations) == _OF_ONE_JOIN:
        return True
    return state.traits.merged_column_first and level.relations.merge(key)


_OF_ONE_JOIN: Final = 2
"""Relations of a FROM clause with a single join."""
