"""Resolves one column reference through the scopes around it, and fields of structured columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Calls, FromClause
from sqlobs.check.resolver.model.resolution import ColumnUse
from sqlobs.check.resolver.model.scope import MOST_OWNERS, Relation, Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import (
    GROUPING_SETS,
    around_parentheses,
    conjuncts,
    is_bare_column,
    parts_of_path,
)
from sqlobs.check.resolver.names.select_aliases import (
    column_of_alias,
    comes_first,
    has_hidden,
    is_alias_somewhere,
    is_nameless,
    is_other_value,
    item_called,
    row_named,
    sees_aliases,
)
from sqlobs.check.types.system import CONSTANT, Type
from sqlobs.dialects.resolution_rules import Clause
from sqlobs.schema.declared_type import declared_type


def fields_of(declared: str | None) -> Mapping[str, PreparedColumn] | None:
    """Return the fields of a declared structure by lower-case name; None: it is none.

    >>> sorted(fields_of("STRUCT<city STRING, zip INT64>"))
    ['city', 'zip']
    """
    found = declared_type(declared) if declared else None
    if found is None or not found.has_names:
        return None
    return {
        one.name.lower(): PreparedColumn(one.name, declared=one.type.text) for one in found.fields
    }


def element_of(declared: str | None) -> str | None:
    """Return the declared type of the elements of an array; None: it is none, or not known."""
    found = declared_type(declared) if declared else None
    return found.parts[0].text if found is not None and found.shape == "list" else None


def _field_declared(
    state: State, column: PreparedColumn, names: Sequence[exp.Expr], scope: Scope
) -> PreparedColumn | None:
    """Follow `.a.b` from a structured column to its last field; None: the schema does not say.

    Of an array of structures, Spark and ClickHouse read a field of each element.
    """
    found = column
    for name in names:
        fields = fields_of(element_of(found.declared) or found.declared)
        key = name.name.lower()
        if fields is None or key in _PARTS or key.isdecimal():
            return None
        if key not in fields:
            having = Relation(found.name, dict(fields))
            state.add_column_fault(name, None, "misplaced", scope, (having,))
            return None
        found = fields[key]
    return found


_PARTS: Final = frozenset({"size0", "null", "keys", "values"})
"""What ClickHouse calls the parts that it stores of a column."""


def exploded(state: State, call: exp.Expr, declared: str | None) -> list[PreparedColumn] | None:
    """Return what Spark's `explode` and similar calls give; None: the schema does not say."""
    name = call.name.lower().removesuffix("_outer")
    if declared is None or name not in {"explode", "posexplode", "inline"}:
        return None
    if name == "inline":
        fields = fields_of(element_of(declared))
        return [
            replace(one, type=state.types.declared(one.declared)) for one in (fields or {}).values()
        ] or None
    parts = declared_type(declared).parts
    if not parts:
        return None
    names = ("col",) if len(parts) == 1 else ("key", "value")
    given = [
        PreparedColumn(one, state.types.declared(part.text), part.text)
        for one, part in zip(names, parts, strict=True)
    ]
    return [PreparedColumn("pos"), *given] if name == "posexplode" else given


def field_of_column(state: State, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Resolve `column.field` and `relation.column.field`, where types are known."""
    if not state.traits.fields_by_dot:
        return None
    found = _column_of_parts(state, parts_of_path(node), scope)
    if found is None:
        return None
    column, relation, level, fields = found
    path = "".join(f".{part.name.lower()}" for part in fields)
    if not state.types.is_known:
        field = _field_declared(state, column, fields, scope)
        column = replace(column, declared=field.declared if field is not None else None)
    state.resolution.columns.append(ColumnUse(node, column, relation, level, path))
    return PreparedColumn(
        fields[-1].name, field_type(state, column.type, column.name, fields, scope)
    )


def fields_of_star(state: State, item: exp.Expr, scope: Scope) -> list[PreparedColumn] | None:
    """Return what `column.*` or `column.field.*` gives of a structure; None: that is not known."""
    if not (state.types.is_known and state.traits.fields_by_dot):
        return None
    path = parts_of_path(item)[:-1]
    found = _column_of_parts(state, [*path, path[-1]], scope)
    if found is None:
        return None
    column, relation, level, rest = found
    kind = field_type(state, column.type, column.name, rest[:-1], scope)
    fields = None if kind is None else state.types.fields(kind)
    if kind is None or fields is None:
        return None
    if not fields or kind.endswith("]"):
        state.add_type_fault(item, f"{kind} has no fields.")
        return None
    state.resolution.columns.append(ColumnUse(item, column, relation, level, ".*"))
    return [PreparedColumn(name, one) for name, one in fields.items()]


def _column_of_parts(
    state: State, parts: list[exp.Expr], scope: Scope
) -> tuple[PreparedColumn, Relation, Scope, list[exp.Expr]] | None:
    """Return the first column of a dotted name, its relation and query, and the fields after it."""
    first, second = state.column_key(parts[0]), state.column_key(parts[1])
    alias = state.alias_key(parts[0])
    for level in scope.visible(state.traits):
        relation = _relation_called(state, level, alias)
        if relation is not None and len(parts) > 2 and second in relation.columns:  # noqa: PLR2004
            return relation.columns[second], relation, level, parts[2:]
        if state.traits.relation_first and _is_row(state, parts[0], level):
            return None
        if relation is not None and relation.may_have(second, quoted=True):
            return None
        owners = level.relations.showing(first)
        if owners:
            return owners[0].columns[first], owners[0], level, parts[1:]
    return None


def field_type(
    state: State, found: Type, owner: str, names: Sequence[exp.Expr], scope: Scope
) -> Type:
    """Return the type of a nested field; record the first one that does not exist."""
    if len(names) > 1 and (nested := state.types.fields(found)) is not None:
        whole = ".".join(name.name for name in names)  # `n.a.b`: the column `a.b` of a Nested n
        if whole in nested:
            return nested[whole]
    for name, key in _keys(names):
        fields = state.types.fields(found)
        if fields is None:
            return None
        if key not in fields:
            having = Relation(owner, {one: PreparedColumn(one) for one in fields})
            state.add_column_fault(name, None, "misplaced", scope, (having,))
            return None
        found, owner = fields[key], key
    return found


def _keys(names: Sequence[exp.Expr]) -> Iterator[tuple[exp.Expr, str]]:
    """Yield each name with the fields that it means: `pair.2.x` has the name `2.x`, a number."""
    for name in names:
        text = name.name.lower()
        for key in text.split(".") if text[:1].isdigit() else (text,):
            yield name, key


def resolve_field(state: State, row: exp.Expr, field: exp.Expr, scope: Scope) -> None:
    """Look up `(row).field` where the row is that of a relation."""
    if not is_bare_column(row) or not isinstance(field, exp.Identifier):
        return
    key, name = state.column_key(field), state.alias_key(row.this)
    for level in scope.visible(state.traits):
        if any(state.column_key(row.this) in one.columns for one in level.relations.values()):
            return
        relation = level.relations.get(name)
        if relation is not None:
            if key not in relation.columns and not relation.may_have(key, quoted=True):
                state.add_column_fault(field, row.this, "misplaced", scope, (relation,))
            return


def resolve_column(state: State, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Return what a column reference means; record the use, or the fault and return None."""
    args = node.args
    name, qualifier = args["this"], args.get("table")
    if name.__class__ is exp.Star:
        if qualifier is not None:
            resolve_qualifier(state, qualifier, scope)
            if not _stands_for_arguments(state, node):
                state.add_form(node, Calls.qualified_star_in_call)
        return None
    if qualifier is not None:
        named = _named_by_path(state, node, scope) if state.traits.outputs_keep_paths else None
        return named or _qualified(state, node, name, qualifier, scope)
    return _unqualified(state, node, name, scope)


def _stands_for_arguments(state: State, star: exp.Expr) -> bool:
    """Return whether `t.*` stands for several arguments of a call; that of `count(t.*)` is one."""
    call = star.parent
    if not state.traits.stars_in_calls or not isinstance(call, exp.Anonymous):
        return False
    return call.name.lower() != "count" or len(call.expressions) > 1


def value_of_column(state: State, node: exp.Expr, scope: Scope) -> Type:
    """Resolve a column reference and return the type of its value; None: not known."""
    column = resolve_column(state, node, scope)
    if column is None:
        if state.types.row is None:
            return None
        relation = row_named(state, node, scope)  # the row of a function may be one plain value
        if relation is None or not relation.complete:
            return None
        if len(relation.outputs) > _MOST_FIELDS or relation.nameless:
            return state.types.row
        return state.types.row_of({one.name: one.type for one in relation.outputs})
    kind = column.type
    if state.traits.aliases_everywhere and is_bare_column(node):
        kind = _type_of_namesake(state, node, kind, scope)
    return kind if kind is None or column.qualified else state.types.output(kind)


def _type_of_namesake(state: State, node: exp.Expr, kind: Type, scope: Scope) -> Type:
    """Return the type of a name, which an alias of the query's own may mean before a column.

    In ClickHouse, `SELECT upper(b) AS a, a FROM t` has the alias twice; inside of the expression
    that has the alias, the name is that of a column.
    """
    key = state.column_key(node.this)
    if not is_alias_somewhere(state, key, scope):
        return kind
    named, item = items_named(state, key, scope), node
    while item.parent is not None and item.parent is not scope.node:
        item = item.parent
        if any(item is one for one in named):
            return kind
    if not named:
        return kind
    levels = [one for one in (scope, scope.parent) if one is not None and key in one.aliases]
    found = levels[0].aliases[key].type if levels else None
    if any(isinstance(one.this.unnest(), exp.Query) for one in named):
        return None  # a text is compared with the value that a query gives
    if any(_is_constant(one.this) for one in named):
        node.meta[CONSTANT] = True
        return state.types.of_alias(found)
    return found


def _is_constant(value: exp.Expr) -> bool:
    return value.find(exp.Column, exp.Query, exp.Star) is None


def items_named(state: State, key: str, scope: Scope) -> list[exp.Expr]:
    """Return the items of a query's list, and of its WITH, that have an alias."""
    if (node := getattr(scope, "node", None)) is None:
        return []
    with_ = node.args.get("with_")
    values = with_.expressions if with_ is not None else ()
    aliases = [(one, one.args.get("alias")) for one in (*node.expressions, *values)]
    aliases = [(one, alias.this if one.__class__ is exp.CTE else alias) for one, alias in aliases]
    return [
        one
        for one, alias in aliases
        if isinstance(alias, exp.Identifier) and state.column_key(alias) == key
    ]


def resolve_qualifier(
    state: State, qualifier: exp.Expr, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Return the relation that a qualifier names, and its query; record it if there is none."""
    alias = state.alias_key(qualifier)
    levels = list(scope.visible(state.traits))
    for level in levels:
        if (relation := level.relations.get(alias)) is not None:
            if _has_namespace(state, qualifier, relation, alias, levels):
                state.add_column_fault(qualifier, None, "no_source", scope)
                return None
            return relation, level
    for level in levels:
        if (relation := _relation_called(state, level, alias)) is not None:
            return relation, level
    may_be_missing = any(level.has_unknown_relation for level in levels)
    is_field = state.traits.fields_by_dot and _reads_field(state, qualifier, levels)
    node, sequences = qualifier.parent, state.traits.sequence_values
    is_value = False
    if isinstance(node, exp.Column) and sequences:  # `seq.NEXTVAL`
        is_value = state.column_key(node.this) in sequences
    if not may_be_missing and not is_field and not is_value:
        state.add_column_fault(qualifier, None, "no_source", scope)
    return None


def _has_namespace(
    state: State, qualifier: exp.Expr, relation: Relation, alias: str, levels: list[Scope]
) -> bool:
    """Return whether a namespace stands before an alias, which is in none: `shop.o.id`."""
    node = qualifier.parent
    if node is None or node.args.get("db") is None or not state.traits.one_namespace:
        return False
    is_own = relation.table is not None and state.output_key(relation.table.name) == alias
    return not is_own and not _reads_field(state, qualifier, levels)


def _relation_called(state: State, level: Scope, alias: str) -> Relation | None:
    """Return the relation of an alias, or a table or CTE whose alias does not replace its name."""
    found = level.relations.get(alias)
    if found is None and state.traits.tables_keep_names:
        for one in level.relations.values():
            is_named = one.table is not None or alias in level.ctes
            if is_named and state.output_key(one.table.name if one.table else one.name) == alias:
                return one
    return found


def _reads_field(state: State, qualifier: exp.Expr, levels: list[Scope]) -> bool:
    """Return whether a part of `a.b.c` is, or may be, a column whose field is read."""
    node = qualifier.parent
    parts = [qualifier]
    if node is not None:
        parts += [part for name in ("db", "catalog") if (part := node.args.get(name)) is not None]
    keys = {state.column_key(part) for part in parts}
    owners = [None, *(state.alias_key(part) for part in parts[:0:-1])]
    for owner, part in zip(owners, reversed(parts), strict=True):
        for level in levels:
            is_owned = owner is None or not state.follows_defaults
            is_owned = is_owned or _relation_called(state, level, str(owner)) is not None
            if is_owned and level.relations.have(state.column_key(part)):
                return True
    if _are_undescribed(levels):
        return True
    if state.traits.aliases_everywhere and any(
        is_alias_somewhere(state, key, levels[0]) for key in keys
    ):
        return True
    if not keys.isdisjoint(state.traits.hidden_columns):
        return True
    if any(is_nameless(state, key, levels[0]) for key in keys):
        return True
    named = [level for level in levels if not keys.isdisjoint(level.aliases)]
    if state.follows_defaults and named:
        may_see = state.traits.fields_of_aliases
        return may_see and any(sees_aliases(state, level, levels[0]) for level in named)
    return bool(named) or any(not level.relations.are_complete() for level in levels)


def _are_undescribed(levels: list[Scope]) -> bool:
    """Return whether the columns of a relation in these queries are unknown."""
    return any(one.is_undescribed for level in levels for one in level.relations.values())


def _qualified(
    state: State, node: exp.Expr, name: exp.Expr, qualifier: exp.Expr, scope: Scope
) -> PreparedColumn | None:
    alias = state.alias_key(qualifier)
    relation, level = scope.relations.get(alias), scope
    if relation is None:
        found = resolve_qualifier(state, qualifier, scope)
        if found is None:
            return field_of_column(state, node, scope)
        relation, level = found
    if node.args.get("db") is not None and _is_elsewhere(state, node, relation, scope):
        state.add_column_fault(qualifier, None, "no_source", scope)
        return None
    key = state.column_key(name)
    namesakes = 1
    if level.repeated and alias in level.repeated:
        relation, namesakes = _one_of_namesakes(level, alias, key)
    column = relation.columns.get(key)
    if column is None and relation.complete:
        relation, level = _namesake_around(state, alias, key, level) or (relation, level)
        column = relation.columns.get(key)
    if column is None:
        is_alone = node.args.get("db") is None  # `orders.address.city`
        is_row = state.traits.relation_first and is_alone and relation.table is not None
        if state.traits.fields_by_dot and alias in relation.columns and not is_row:
            return field_of_column(state, node, scope)
        return _not_in(state, node, relation, scope, key)
    if key in relation.merged:
        state.add_column_fault(name, qualifier, "merged", scope, (relation,))
        return None
    is_several = namesakes > 1 and not state.traits.left_of_join_first
    if is_several or key in relation.repeated:
        state.add_column_fault(name, qualifier, "ambiguous", scope, (relation,))
        return None
    state.resolution.columns.append(ColumnUse(node, column, relation, level))
    return column


def _named_by_path(state: State, node: exp.Expr, scope: Scope) -> PreparedColumn | None:
    """Return the column `a.b` of a derived table, which `a.b` or `relation.a.b` names."""
    if state.alias_key(node.args["table"]) in scope.relations:
        return None
    parts = parts_of_path(node)
    keys = [state.column_key(part) for part in parts]
    whole, rest = ".".join(keys), ".".join(keys[1:])
    for level in scope.visible(state.traits):
        owner = level.relations.get(state.alias_key(parts[0]))
        found = [(one, whole) for one in level.relations.showing(whole) if one.table is None]
        if owner is not None and rest in owner.columns:
            found = [(owner, rest)]
        for relation, key in found:
            column = relation.columns[key]
            state.resolution.columns.append(ColumnUse(node, column, relation, level))
            return column
    return None


def _namesake_around(
    state: State, alias: str, key: str, scope: Scope
) -> tuple[Relation, Scope] | None:
    """Return a relation of this alias in an outer query that has the column, and that query."""
    if state.knowledge.accepts(FromClause.outer_namesake_column) is not Answer.YES:
        return None
    for level in islice(scope.visible(state.traits), 1, None):
        relation = level.relations.get(alias)
        if relation is not None and key in relation.columns:
            return relation, level
    return None


def _is_elsewhere(state: State, node: exp.Expr, relation: Relation, scope: Scope) -> bool:
    """Return whether `namespace.table.column` names another namespace than the table's."""
    namespace, table = node.args["db"], relation.table
    if not state.traits.qualifies_by_namespace:
        alias, key = state.alias_key(namespace), state.column_key(node.args["table"])
        owners = (level.relations.get(alias) for level in scope.visible(state.traits))
        return not any(
            one is not None and (key in one.columns or one.may_have(key, quoted=True))
            for one in owners
        )
    if table is None or table.db is None or not state.follows_defaults:
        return False
    if state.traits.fields_by_dot and state.column_key(namespace) in relation.columns:
        return False
    return state.table_key(namespace) != state.context.names.table_key(table.db)


def _one_of_namesakes(level: Scope, alias: str, key: str) -> tuple[Relation, int]:
    """Return the one of several relations with an alias that has a column, and how many do."""
    relations = level.relations
    having = [
        relation
        for name, relation in relations.items()
        if name.partition("\0")[0] == alias and key in relation.columns
    ]
    return (having[0], len(having)) if having else (relations[alias], 0)


def _not_in(
    state: State, node: exp.Expr, relation: Relation, scope: Scope, key: str
) -> PreparedColumn | None:
    if relation.may_have(key, quoted=bool(node.this.args.get("quoted"))):
        if relation.is_undescribed:
            state.resolution.undecided.append(node.name)
        return None
    if key in state.traits.hidden_columns and has_hidden(state, relation, key):
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
    return kind is None or state.types.call(node.name, [kind], [node]).fault is None


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
    for level in scope.visible(state.traits):
        if level.meanings.get(key, key) is None and _names_output(state, node, level):
            owners = tuple(islice(level.relations.values(), MOST_OWNERS))
            state.add_column_fault(node.this, None, "ambiguous", scope, owners)
            return None
        aliased = item_called(state, node, key, level, scope) if level.aliases else None
        if aliased is not None and comes_first(state, node, key, level):
            return column_of_alias(state, node, aliased, key, (level, scope))
        if state.traits.relation_first and _is_row(state, name, level):
            return None
        matches = level.relations.showing(key)
        if len(matches) > 1 and state.traits.arrays_in_from:
            matches = _called_so(state, name, matches, level)
        if matches:
            is_doubtful = len(matches) > 1 and level.clause in state.traits.output_clauses
            if is_doubtful and aliased is not None and key not in level.outputs:
                return column_of_alias(state, node, aliased, key, (level, scope))
            listed = _listed(level, key) if is_doubtful else None
            return listed or _matched(state, node, matches, key, scope, level)
        if aliased is not None:
            return column_of_alias(state, node, aliased, key, (level, scope))
        if level.has_unknown_relation:
            break  # that has the name, most likely, whatever the queries around have
    _judge_unmatched(state, node, key, scope)
    return None


def _names_output(state: State, node: exp.Expr, level: Scope) -> bool:
    """Return whether a name means an item of the SELECT list before a column of that name."""
    if level.clause != "group" or state.traits.repeated_outputs != "ambiguous":
        return level.clause in _BEHIND_LIST
    return isinstance(around_parentheses(node), (exp.Group, exp.Tuple, *GROUPING_SETS))


def _is_row(state: State, name: exp.Expr, level: Scope) -> bool:
    """Return whether a name is that of a table or query, not of the values of UNNEST."""
    found = level.relations.get(state.alias_key(name))
    return found is not None and (found.table is not None or found.gives_rows)


def _called_so(
    state: State, name: exp.Expr, matches: list[Relation], level: Scope
) -> list[Relation]:
    """Return the relation that an item of FROM names: `FROM t, UNNEST(t.tags) AS tags`."""
    named = level.relations.get(state.alias_key(name))
    return [one for one in matches if one is named] or matches


def _listed(level: Scope, key: str) -> PreparedColumn | None:
    """Return the selected column that an ambiguous name means in a later clause."""
    use = level.listed.get(key) if level.clause == "having" else None
    return level.outputs.get(key) or (None if use is None else use.column)


_BEHIND_LIST: Final[frozenset[Clause]] = frozenset({"group", "having", "qualify", "order"})


def _judge_unmatched(state: State, node: exp.Expr, key: str, scope: Scope) -> None:
    """Record an unknown column, unless the name can mean something else."""
    quoted, levels = bool(node.this.args.get("quoted")), [*scope.visible(state.traits)]
    if any(level.relations.may_have(key, quoted=quoted) for level in levels):
        if _are_undescribed(levels):
            state.resolution.undecided.append(node.name)
    elif not is_other_value(state, node, key, scope) or _is_circular(state, node, key, scope):
        state.add_column_fault(node.this, None, "unknown", scope)


def _is_circular(state: State, node: exp.Expr, key: str, scope: Scope) -> bool:
    """Return whether an alias means what has the name in it: `SELECT b + 1 AS a, a + 1 AS b`."""
    if not state.traits.aliases_everywhere:
        return False
    waiting, seen = items_named(state, key, scope), set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        for column in item.find_all(exp.Column):
            if column is node:
                return True
            other = state.column_key(column.this)
            if is_bare_column(column) and not scope.relations.have(other):
                waiting += items_named(state, other, scope)
    return False


def _matched(
    state: State, node: exp.Expr, matches: list[Relation], key: str, scope: Scope, level: Scope
) -> PreparedColumn | None:
    first = matches[0]
    if (len(matches) > 1 and not _is_decided(state, matches, key, level)) or key in first.repeated:
        state.add_column_fault(node.this, None, "ambiguous", scope, tuple(matches))
        return None
    first = first.preferred.get(key, first)
    column = first.columns[key]
    state.resolution.columns.append(ColumnUse(node, column, first, level))
    return column


def _is_decided(state: State, matches: list[Relation], key: str, level: Scope) -> bool:
    """Return whether USING or the left side of the join decides between several columns."""
    if state.traits.left_of_join_first and (
        _is_of_one_join(state, key, level) or _are_equal(state, matches, key, level)
    ):
        return True
    return state.traits.merged_column_first and level.relations.merge(key)


def _is_of_one_join(state: State, key: str, level: Scope) -> bool:
    """Return whether FROM has a single join; in ON, later ones are not resolved yet."""
    if len(level.relations) != _OF_ONE_JOIN:
        return False
    joins = level.node.args.get("joins") or () if level.clause == "on" else ()
    return len(joins) < _OF_ONE_JOIN or is_alias_somewhere(state, key, level)


def _are_equal(state: State, matches: list[Relation], key: str, level: Scope) -> bool:
    """Return whether all columns of a name are equal to the first: of its table, or joined so."""
    names = {id(relation): alias for alias, relation in level.relations.items()}
    first, *others = matches
    left = names[id(first)]
    pairs = set(_compared_with(state, key, level)) if left else set()
    return all(
        (other.table is not None and other.table is first.table)
        or frozenset({left, names[id(other)]}) in pairs
        for other in others
    )


def _compared_with(state: State, key: str, level: Scope) -> Iterator[frozenset[str]]:
    """Yield the aliases of relations whose columns of a name an inner join compares."""
    for join in level.node.args.get("joins") or ():
        is_outer = join.side and join.kind not in {"SEMI", "ANTI"}
        for part in conjuncts(None if is_outer else join.args.get("on")):
            sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
            owners = [side.args.get("table") for side in sides if isinstance(side, exp.Column)]
            if len(owners) != _OF_ONE_JOIN or None in owners:
                continue
            if all(state.column_key(side.this) == key for side in sides):
                yield frozenset(state.alias_key(owner) for owner in owners if owner is not None)


_MOST_FIELDS: Final = 256
"""Columns that the type of a row lists; those of a longer row are not known."""
_OF_ONE_JOIN: Final = 2
"""Relations of a FROM clause with a single join."""
