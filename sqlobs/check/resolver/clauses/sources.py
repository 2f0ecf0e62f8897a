"""Resolves items of FROM, and the conditions that join them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import FromClause, Joins
from sqlobs.check.resolver.clauses.table_functions import resolve_function
from sqlobs.check.resolver.clauses.table_operators import pivoted
from sqlobs.check.resolver.model.scope import Relation, Relations, Scope
from sqlobs.check.resolver.model.state import DispatchTable
from sqlobs.check.resolver.model.tree import conjuncts
from sqlobs.check.resolver.names.outputs import check_names, shown_columns
from sqlobs.check.resolver.names.relations import (
    around_derived,
    collect,
    named_relation,
    with_column_names,
)

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.state import SourceResolver, State


def resolve_conditions(state: State, conditions: list[exp.Expr], scope: Scope) -> None:
    """Resolve join conditions that had to wait."""
    for condition in conditions:
        begun = len(state.resolution.columns)
        resolve_join_condition(state, condition, scope)
        if sees_no_later_items(state, condition):
            check_later_items(state, condition, scope, begun)


def resolve_target(state: State, node: exp.Expr, scope: Scope) -> None:
    """Add what an UPDATE or DELETE changes, with what it is joined to."""
    waiting: list[exp.Expr] = []
    state.source(node, scope, waiting)
    resolve_conditions(state, waiting, scope)


def resolve_join_condition(
    state: State, condition: exp.Expr, scope: Scope, unseen: int = 0
) -> None:
    """Resolve a condition that does not see the first `unseen` items of FROM."""
    scope.clause = "on"
    relations, parent = scope.relations, scope.parent
    if unseen:
        scope.relations = Relations(islice(relations.items(), unseen, None))
        if not state.refuses(Joins.on_sees_comma_items):  # they are further out, then
            scope.parent = Scope(parent)
            scope.parent.relations = Relations(islice(relations.items(), unseen))
    found = state.expression(condition, scope)
    state.condition(found, condition, what="ON")
    scope.relations, scope.parent = relations, parent
    scope.clause = "from"


_INEQUALITIES: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def check_asof(state: State, join: exp.Expr, condition: exp.Expr, added: list[Relation]) -> None:
    """Record an ASOF JOIN without exactly one inequality between its sides."""
    owners = {id(use.node): id(use.relation) for use in state.resolution.columns}
    joined = {id(relation) for relation in added}
    count = 0
    for part in conjuncts(condition):
        if isinstance(part, exp.Between):
            pairs = [(part.this, part.args["low"]), (part.this, part.args["high"])]
        elif isinstance(part, _INEQUALITIES):
            pairs = [(part.this, part.expression)]
        else:
            continue
        for pair in pairs:
            sides = [_sides_of_columns(side, owners, joined) for side in pair]
            if None in sides:
                return
            count += sides in ([{True}, {False}], [{False}, {True}])
    if count != 1:
        form = Joins.asof_with_inequalities if count else Joins.asof_without_inequality
        state.add_form(join.this, form)


def _sides_of_columns(
    value: exp.Expr, owners: dict[int, int], joined: set[int]
) -> set[bool] | None:
    """Return whether the columns of a value are of the joined side; None: not known."""
    found: set[bool] = set()
    for column in value.find_all(exp.Column):
        owner = owners.get(id(column))
        if owner is None:
            return None
        found.add(owner in joined)
    return found


def sees_no_later_items(state: State, condition: exp.Expr) -> bool:
    """Return whether a condition is that of an outer join, or of any in FROM with a RIGHT join."""
    join = condition.parent
    if not isinstance(join, exp.Join) or not state.refuses(Joins.outer_join_sees_later_items):
        return False
    joins = join.parent.args.get("joins") if join.parent is not None else None
    return bool(join.side) or any(one.side in {"RIGHT", "FULL"} for one in joins or ())


def check_later_items(state: State, condition: exp.Expr, scope: Scope, begun: int) -> None:
    """Record the columns, from the one at `begun` on, of what stands behind a join."""
    join = condition.parent
    item = join.this if join is not None else None
    name = item.args.get("alias", item) if isinstance(item, (exp.Table, exp.Subquery)) else None
    if name is None or not isinstance(name.this, exp.Identifier):
        return
    names, key = list(scope.relations), state.alias_key(name.this)
    if key not in names or _may_become_inner(state, join, key):
        return
    later = {id(scope.relations[one]) for one in names[names.index(key) + 1 :]}
    for use in islice(state.resolution.columns, begun, None):
        if id(use.relation) in later:
            qualifier: exp.Expr | None = use.node.args.get("table")
            if qualifier is not None:
                state.add_column_fault(qualifier, None, "no_source", scope)
            else:
                state.add_column_fault(use.node.this, None, "misplaced", scope)


def _may_become_inner(state: State, join: exp.Expr | None, key: str) -> bool:
    """Return whether another condition may need a joined row, which makes the join inner."""
    query = join.parent if join is not None else None
    if query is None:
        return True
    joins = [one for one in query.args.get("joins") or () if not one.side and one is not join]
    conditions = (query.args.get("where"), *(one.args.get("on") for one in joins))
    return any(
        not column.args.get("table") or state.alias_key(column.args["table"]) == key
        for condition in conditions
        if condition is not None
        for column in condition.find_all(exp.Column)
    )


_FORMS = {'"': FromClause.double_quoted_table, "'": FromClause.single_quoted_table}


def add_relation(state: State, relation: Relation, scope: Scope, alias: exp.Expr | None) -> None:
    """Add a relation under its alias; without one, under a name that no query can write."""
    key = state.alias_key(alias) if alias is not None else f"\0{len(scope.relations)}"
    if key in scope.relations:
        if state.traits.repeated_alias == "refused" and alias is not None:
            others = (scope.relations[key], relation)
            state.add_column_fault(alias, None, "ambiguous", scope, others)
        scope.repeated |= {key}
        key = f"{key}\0{len(scope.relations)}"
    scope.relations[key] = relation


def add_table(
    state: State, node: exp.Table, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add a stored table, a CTE or a table function to the scope."""
    name, alias = node.this, node.args.get("alias")
    if not isinstance(name, exp.Identifier):
        _function(state, node, scope, waiting)
        return
    if name.args.get("quoted") and (form := _FORMS.get(state.quote(name))) is not None:
        state.add_form(name, form)
    if state.traits.arrays_in_from and _is_of_item(state, node, scope):
        _array(state, node, scope)
        return
    relation = named_relation(state, node, name, scope)
    if node.args.get("pivots"):
        relation, alias = _pivoted(state, node, relation, scope)
    if alias is not None:
        name = alias.this or name
        if state.refuses(FromClause.table_alias_with_as) and _has_as(state, name):
            state.add_form(name, FromClause.table_alias_with_as)
        if alias.args.get("columns"):
            state.add_form(name, FromClause.table_column_aliases)
            check_names(state, relation, alias, is_cte=False)
            relation = with_column_names(state, relation, alias)
    add_relation(state, relation, scope, name)


def _is_of_item(state: State, node: exp.Expr, scope: Scope) -> bool:
    """Return whether a dotted name begins with an earlier item: `FROM t JOIN t.items i`.

    A namespace may have the name of a table: what the schema has is not a column.
    """
    db = node.args.get("db")
    first = node.args.get("catalog") or db
    if not isinstance(first, exp.Identifier) or state.alias_key(first) not in scope.relations:
        return False
    namespace = state.table_key(db) if isinstance(db, exp.Identifier) else None
    key = state.table_key(node.this)
    return state.context.schema is None or state.context.schema.table(key, namespace) is None


def _array(state: State, node: exp.Expr, scope: Scope) -> None:
    """Add the elements of a column, under their alias."""
    named = (node.args.get(part) for part in ("catalog", "db", "this"))
    parts = [part.copy() for part in named if isinstance(part, exp.Expr)]
    column = exp.Column(**dict(zip(("this", "table", "db"), reversed(parts), strict=False)))
    alias = node.args.get("alias")
    name = (alias.this if alias is not None else node.this).copy()
    _function(state, exp.Unnest(expressions=[column], alias=exp.TableAlias(columns=[name])), scope)


def _has_as(state: State, alias: exp.Expr) -> bool:
    start = alias.meta.get("start")
    return start is not None and state.sql[:start].rstrip()[-3:].upper().strip() == "AS"


def _pivoted(
    state: State, node: exp.Expr, relation: Relation, scope: Scope
) -> tuple[Relation, exp.Expr | None]:
    pivots, alias = node.args["pivots"], node.args.get("alias")
    if alias is not None and alias.this is not None:
        relation = relation.renamed(alias.name)
    for pivot in pivots:
        relation = pivoted(state, pivot, relation, scope)
    return relation, pivots[-1].args.get("alias") or alias


def _derived(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    alias = node.args.get("alias")
    if isinstance(node.this, (exp.Table, exp.Subquery)) and _is_join_group(node):
        state.source(node.this, scope, waiting)
        return
    if alias is None:
        state.add_form(node, FromClause.derived_without_alias)
    if isinstance(node.this, exp.Table):
        relation = _joined(state, node, scope)
    else:
        relation = state.query(node, around_derived(state, scope))
    if node.args.get("pivots"):
        relation, alias = _pivoted(state, node, relation, scope)
    names = [state.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names):
        state.add_form(node, FromClause.repeated_output_of_derived)
    _name_derived(state, relation, scope, alias)


def _joined(state: State, node: exp.Expr, scope: Scope) -> Relation:
    """Return what a named join in parentheses gives."""
    if node.this.args.get("joins"):
        state.add_form(node, Joins.alias_of_join)
    inner = Scope(around_derived(state, scope))
    resolve_target(state, node.this, inner)
    relations = inner.relations.values()
    if not state.refuses(Joins.name_within_named_join) and len(relations) > 1:
        for key, one in inner.relations.items():
            known = scope.relations.setdefault(key, one.renamed(one.name))
            known.hidden |= frozenset(one.columns)  # seen only with its name before it
    complete = all(relation.complete for relation in relations)
    return collect(state, shown_columns(state, relations), complete=complete)


def _is_join_group(node: exp.Expr) -> bool:
    """Return whether parentheses only group joins: `FROM (a JOIN b ON …)`."""
    inner = node.this
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return isinstance(inner, exp.Table) and node.args.get("alias") is None


_HIDDEN: Final = {name: PreparedColumn(name) for name in ("rowid", "oid", "_rowid_")}


def _name_derived(state: State, relation: Relation, scope: Scope, alias: exp.Expr | None) -> None:
    if alias is None:
        add_relation(state, relation, scope, None)
        return
    if alias.args.get("columns"):
        state.add_form(alias.this or alias, FromClause.derived_column_aliases)
        check_names(state, relation, alias, is_cte=False)
    relation = with_column_names(state, relation, alias)
    if state.traits.derived_has_hidden:
        relation.columns = _HIDDEN | relation.columns
    add_relation(state, relation, scope, alias.this)


def _lateral(state: State, node: exp.Expr, scope: Scope, _waiting: list[exp.Expr]) -> None:
    if isinstance(node.this, exp.Subquery):
        relation = state.query(node.this, scope)
        _name_derived(state, relation, scope, node.args.get("alias"))
    else:
        _function(state, node, scope)


def _wrapped(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    """Add what ClickHouse's `t FINAL` and `STREAM(t)` read."""
    state.source(node.this, scope, waiting)


def _unfolded(state: State, node: exp.Expr, scope: Scope, _waiting: list[exp.Expr]) -> None:
    """Add the column of elements that ARRAY JOIN gives."""
    state.expression(node, scope)
    if isinstance(node, exp.Alias):
        column = PreparedColumn(state.kept_name(node.args["alias"]))
        key = state.column_key(node.args["alias"])
        add_relation(state, Relation("", {key: column}), scope, None)


def _function(
    state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add what a function gives; its arguments may see all of FROM, as conditions do."""
    waits = waiting is not None and state.traits.on_sees_all and state.follows_defaults
    relation, name = resolve_function(state, node, scope, waiting if waits else None)
    add_relation(state, relation, scope, name)


ITEMS: Final[DispatchTable[SourceResolver]] = DispatchTable(
    {
        exp.Expr: _function,
        exp.Table: add_table,
        exp.Subquery: _derived,
        exp.Lateral: _lateral,
        exp.Final: _wrapped,
        exp.Stream: _wrapped,
        exp.Alias: _unfolded,
        exp.Column: _unfolded,
    }
)
