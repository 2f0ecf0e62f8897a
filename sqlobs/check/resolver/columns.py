"""Resolves one column reference through the scopes around it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.resolution import ColumnFault, ColumnUse, FormUse
from sqlobs.check.resolver.scope import MOST_OWNERS, Relation, visible
from sqlobs.check.resolver.select_aliases import column_of_alias, comes_first, item_called
from sqlobs.check.resolver.structures import field_declared
from sqlobs.check.resolver.values import has_hidden, is_other_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.engine.resolution_rules import Clause
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


def resolve_column(walk: Walk, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Find what a column reference means; record the use, or the fault.

    Returns:
        The column; None where it is a fault, or cannot be known.
    """
    args = node.args
    name, qualifier = args["this"], args.get("table")
    if name.__class__ is exp.Star:
        if qualifier is not None:
            resolve_qualifier(walk, qualifier, scope)
            walk.facts.forms.append(FormUse(node, "qualified_star_in_call"))
        return None
    if qualifier is not None:
        return _qualified(walk, node, name, qualifier, scope)
    return _unqualified(walk, node, name, scope)


def resolve_qualifier(
    walk: Walk, qualifier: exp.Expr, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Find the relation that a qualifier names, and its query; record a fault if there is none."""
    return _relation_called(walk, walk.alias_key(qualifier), qualifier, scope)


def _relation_called(
    walk: Walk, alias: str, qualifier: exp.Expr, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Find the relation of a folded alias, and its query; record a fault if there is none."""
    levels = list(visible(walk, scope))
    for level in levels:
        if (relation := level.relations.get(alias)) is not None:
            return relation, level
    may_be_missing = any(level.has_unknown_relation for level in levels)
    is_field = walk.traits.fields_by_dot and _reads_field(walk, qualifier, levels)
    if not may_be_missing and not is_field and not _is_of_sequence(walk, qualifier.parent):
        walk.facts.column_faults.append(ColumnFault(qualifier, None, "no_source", scope))
    return None


def _reads_field(walk: Walk, qualifier: exp.Expr, levels: list[Scope]) -> bool:
    """Say whether a part of `a.b.c` names a column, or may name one, whose field is read."""
    node = qualifier.parent
    parts = [qualifier]
    if node is not None:
        parts += [part for name in ("db", "catalog") if (part := node.args.get(name)) is not None]
    keys = {walk.column_key(part) for part in parts}
    if any(level.relations.have(key) for level in levels for key in keys):
        return True
    if walk.catalogue is not None:
        return False
    values = walk.traits.hidden_columns | walk.traits.nameless_columns
    if not keys.isdisjoint(values):
        return True
    return any(
        not level.relations.are_complete() or not keys.isdisjoint(level.aliases) for level in levels
    )


def _is_of_sequence(walk: Walk, node: exp.Expr | None) -> bool:
    """Say whether a dotted name is the value of a sequence (`seq.NEXTVAL`)."""
    if node is None or not walk.traits.sequence_values or not isinstance(node, exp.Column):
        return False
    return walk.column_key(node.this) in walk.traits.sequence_values


def _qualified(
    walk: Walk, node: exp.Expr, name: exp.Expr, qualifier: exp.Expr, scope: Scope
) -> PreparedColumn | None:
    alias = walk.alias_key(qualifier)
    relation, level = scope.relations.get(alias), scope
    if relation is None:
        found = _relation_called(walk, alias, qualifier, scope)
        if found is None:
            return _field_of_column(walk, node, scope)
        relation, level = found
    if node.args.get("db") is not None and _is_elsewhere(walk, node, relation):
        walk.facts.column_faults.append(ColumnFault(qualifier, None, "no_source", scope))
        return None
    key = walk.column_key(name)
    namesakes = 1
    if level.repeated and alias in level.repeated:
        relation, namesakes = _one_of_namesakes(walk, qualifier, key, level, relation)
    column = relation.columns.get(key)
    if column is None and relation.complete and not walk.refuses("outer_namesake_column"):
        relation, level = _namesake_around(walk, alias, key, level) or (relation, level)
        column = relation.columns.get(key)
    if column is None:
        if walk.traits.fields_by_dot and alias in relation.columns:
            return _field_of_column(walk, node, scope)
        return _not_in(walk, node, relation, scope, key)
    if key in relation.merged:
        fault = ColumnFault(name, qualifier, "merged", scope, (relation,))
        walk.facts.column_faults.append(fault)
        return None
    if namesakes > 1 or key in relation.repeated:
        fault = ColumnFault(name, qualifier, "ambiguous", scope, (relation,))
        walk.facts.column_faults.append(fault)
        return None
    walk.facts.columns.append(ColumnUse(node, column, relation, level))
    return column


def _namesake_around(
    walk: Walk, alias: str, key: str, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Find a relation of the same name further out that has a column, and its query."""
    if walk.catalogue is None:
        return None
    for level in islice(visible(walk, scope), 1, None):
        relation = level.relations.get(alias)
        if relation is not None and key in relation.columns:
            return relation, level
    return None


def _is_elsewhere(walk: Walk, node: exp.Expr, relation: Relation) -> bool:
    """Say whether `namespace.table.column` names another namespace than that of the table."""
    namespace, table = node.args["db"], relation.table
    if table is None or table.db is None or walk.catalogue is None:
        return False
    if walk.traits.fields_by_dot and walk.column_key(namespace) in relation.columns:
        return False
    return walk.table_key(namespace) != walk.names.table_key(table.db)


def _field_of_column(walk: Walk, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Resolve `column.field` and `relation.column.field`, where types are known."""
    if not walk.traits.fields_by_dot or (walk.types is None and walk.catalogue is not None):
        return None
    args = node.args
    parts = [part for name in ("catalog", "db", "table", "this") if (part := args.get(name))]
    found = _column_of_parts(walk, parts, scope)
    if found is None:
        return None
    column, relation, level, fields = found
    path = "".join(f".{part.name.lower()}" for part in fields)
    if walk.types is None:
        field = field_declared(walk, column, fields, scope)
        column = replace(column, declared=field.declared if field is not None else None)
    walk.facts.columns.append(ColumnUse(node, column, relation, level, path))
    return PreparedColumn(
        fields[-1].name, field_type(walk, column.type, column.name, fields, scope)
    )


def fields_of_star(walk: Walk, item: exp.Expr, scope: Scope) -> list[PreparedColumn] | None:
    """Return what `column.*` gives of a structure; None: that is not known."""
    if walk.types is None or not walk.traits.fields_by_dot or item.args.get("db") is not None:
        return None
    found = _column_of_parts(walk, [item.args["table"], item.args["table"]], scope)
    fields = walk.types.fields(found[0].type) if found is not None else None
    if found is None or not fields or any(item.this.args.values()):
        return None
    column, relation, level, _ = found
    walk.facts.columns.append(ColumnUse(item, column, relation, level, ".*"))
    return [PreparedColumn(name, kind) for name, kind in fields.items()]


def _column_of_parts(
    walk: Walk, parts: list[exp.Expr], scope: Scope
) -> tuple[PreparedColumn, Relation, Scope, list[exp.Expr]] | None:
    """Return the column that a dotted name begins with, where it is, and the fields behind it."""
    first, second = walk.column_key(parts[0]), walk.column_key(parts[1])
    alias = walk.alias_key(parts[0])
    for level in visible(walk, scope):
        relation = level.relations.get(alias)
        if relation is not None and len(parts) > 2 and second in relation.columns:  # noqa: PLR2004
            return relation.columns[second], relation, level, parts[2:]
        owners = level.relations.showing(first)
        if owners:
            return owners[0].columns[first], owners[0], level, parts[1:]
    return None


def field_type(
    walk: Walk, found: Type, owner: str, names: Sequence[exp.Expr], scope: Scope
) -> Type:
    """Return the type of a field of a field of a value; record the first that does not exist."""
    for name in names:
        fields = walk.types.fields(found) if walk.types is not None else None
        if fields is None:
            return None
        key = name.name.lower()
        if key not in fields:
            having = Relation(owner, {one: PreparedColumn(one) for one in fields})
            walk.facts.column_faults.append(ColumnFault(name, None, "misplaced", scope, (having,)))
            return None
        found, owner = fields[key], name.name
    return found


def resolve_field(walk: Walk, row: exp.Expr, field: exp.Expr, scope: Scope) -> None:
    """Look up `(row).field` where the row is that of a relation."""
    if not isinstance(row, exp.Column) or not isinstance(field, exp.Identifier):
        return
    if row.args.get("table") is not None:
        return
    key, name = walk.column_key(field), walk.alias_key(row.this)
    for level in visible(walk, scope):
        if any(walk.column_key(row.this) in one.columns for one in level.relations.values()):
            return
        relation = level.relations.get(name)
        if relation is not None:
            if key not in relation.columns and not relation.may_have(key, quoted=True):
                fault = ColumnFault(field, row.this, "misplaced", scope, (relation,))
                walk.facts.column_faults.append(fault)
            return


def _one_of_namesakes(
    walk: Walk, qualifier: exp.Expr, key: str, level: Scope, first: Relation
) -> tuple[Relation, int]:
    """Return the relation of several with one name that has a column, and how many have it."""
    name = walk.alias_key(qualifier)
    having = [
        relation
        for alias, relation in level.relations.items()
        if alias.partition("\0")[0] == name and key in relation.columns
    ]
    return (having[0], len(having)) if having else (first, 0)


def _not_in(
    walk: Walk, node: exp.Expr, relation: Relation, scope: Scope, key: str
) -> PreparedColumn | None:
    if relation.may_have(key, quoted=bool(node.this.args.get("quoted"))):
        if relation.untold:
            walk.facts.undecided.append(node.name)
        return None
    if key in walk.traits.hidden_columns and has_hidden(walk, relation):
        return None
    if walk.catalogue is None and key.isdecimal():  # Snowflake's `t.$1`
        return None
    if relation.gives_values and _takes_value(walk, node, relation):
        return None
    if walk.traits.whole_row and _takes_row(walk, key):
        return None  # `t.f` is `f(t)`
    fault = ColumnFault(node.this, node.args["table"], "misplaced", scope, (relation,))
    walk.facts.column_faults.append(fault)
    return None


def _takes_value(walk: Walk, node: exp.Expr, relation: Relation) -> bool:
    """Say whether a function may be called with the value that a relation gives in each row."""
    if not walk.knows_function(node.name):
        return False
    kind = relation.outputs[0].type if len(relation.outputs) == 1 else None
    if walk.types is None or kind is None:
        return True
    return walk.types.call(node.name, [kind], [node]).fault is None


def _takes_row(walk: Walk, name: str) -> bool:
    """Say whether a function may be called with a row: one of the user's, or one for any value."""
    if name in walk.declared_functions or walk.catalogue is None:
        return name in walk.declared_functions
    return any(
        one.kind == "scalar" and one.arguments in _ANY_VALUE
        for one in walk.catalogue.functions.get(name, ())
    )


_ANY_VALUE: Final = (("record",), ("anyelement",), ("any",))


def _unqualified(walk: Walk, node: exp.Expr, name: exp.Expr, scope: Scope) -> PreparedColumn | None:
    key = walk.column_key(name)
    for level in visible(walk, scope):
        if level.clause in _BEHIND_LIST and level.meanings.get(key, key) is None:
            owners = tuple(islice(level.relations.values(), MOST_OWNERS))
            fault = ColumnFault(node.this, None, "ambiguous", scope, owners)
            walk.facts.column_faults.append(fault)
            return None
        aliased = item_called(walk, node, key, level, scope) if level.aliases else None
        if aliased is not None and comes_first(walk, node, key, level):
            return column_of_alias(walk, node, aliased, key, (level, scope))
        matches = level.relations.showing(key)
        if matches:
            if len(matches) > 1 and level.clause in walk.traits.output_clauses:
                if aliased is not None and key not in level.outputs:
                    return column_of_alias(walk, node, aliased, key, (level, scope))
                if (column := _listed(level, key)) is not None:
                    return column
            return _matched(walk, node, matches, key, scope, level)
        if aliased is not None:
            return column_of_alias(walk, node, aliased, key, (level, scope))
        if level.has_unknown_relation:
            break  # that has the name, most likely, whatever the queries around have
    _judge_unmatched(walk, node, key, scope)
    return None


def _listed(level: Scope, key: str) -> PreparedColumn | None:
    """Return the column of the SELECT list that a clause behind it means by a name of several."""
    use = level.listed.get(key) if level.clause == "having" else None
    return level.outputs.get(key) or (None if use is None else use.column)


_BEHIND_LIST: Final[frozenset[Clause]] = frozenset({"group", "having", "order"})


def _judge_unmatched(walk: Walk, node: exp.Expr, key: str, scope: Scope) -> None:
    """Record a name that no relation lists as a fault, unless it may mean something else."""
    quoted = bool(node.this.args.get("quoted"))
    may_be_hidden = any(
        level.relations.may_have(key, quoted=quoted) for level in visible(walk, scope)
    )
    if may_be_hidden:
        _note_untold(walk, node, visible(walk, scope))
    elif not is_other_value(walk, node, key, scope):
        walk.facts.column_faults.append(ColumnFault(node.this, None, "unknown", scope))


def _note_untold(walk: Walk, node: exp.Expr, levels: Iterable[Scope]) -> None:
    """Leave the statement undecided if a name may only be one that a function in FROM gives."""
    if walk.catalogue is None and any(
        relation.untold for level in levels for relation in level.relations.values()
    ):
        walk.facts.undecided.append(node.name)


def _matched(
    walk: Walk, node: exp.Expr, matches: list[Relation], key: str, scope: Scope, level: Scope
) -> PreparedColumn | None:
    first = matches[0]
    if (len(matches) > 1 and not _is_decided(walk, key, level)) or key in first.repeated:
        fault = ColumnFault(node.this, None, "ambiguous", scope, tuple(matches))
        walk.facts.column_faults.append(fault)
        return None
    if first.turned:
        first = first.turned.get(key, first)
    column = first.columns[key]
    walk.facts.columns.append(ColumnUse(node, column, first, level))
    return column


def _is_decided(walk: Walk, key: str, level: Scope) -> bool:
    """Say whether a name of several relations means one: merged by USING, or of the left side."""
    if walk.traits.left_of_join_first and len(level.relations) == _OF_ONE_JOIN:
        return True
    return walk.traits.merged_column_first and level.relations.merge(key)


_OF_ONE_JOIN: Final = 2
"""Relations of a FROM clause with a single join."""
