"""Resolves FROM: joins and their conditions, USING, NATURAL, derived tables, and what each sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Form, FromClause, Joins
from sqlobs.check.forms.from_clause import is_asof
from sqlobs.check.resolver.clauses.sources import (
    ITEMS,
    matched_relation,
    name_derived,
    pivoted_item,
)
from sqlobs.check.resolver.model.scope import MOST_OWNERS, Relation, Relations, Scope
from sqlobs.check.resolver.model.state import DispatchTable, SourceResolver, State
from sqlobs.check.resolver.model.tree import children, conjuncts, group_of_joins, is_lambda
from sqlobs.check.resolver.names.outputs import are_too_many, shown_columns
from sqlobs.check.resolver.names.relations import around_derived, collect


def resolve_conditions(state: State, conditions: list[exp.Expr], scope: Scope) -> None:
    """Resolve join conditions that had to wait."""
    for condition in conditions:
        begun = len(state.resolution.columns)
        _resolve_join_condition(state, condition, scope)
        if _sees_no_later_items(state, condition):
            _check_later_items(state, condition, scope, begun)


def resolve_target(state: State, node: exp.Expr, scope: Scope) -> None:
    """Add what an UPDATE or DELETE changes, with what it is joined to."""
    waiting: list[exp.Expr] = []
    state.source(node, scope, waiting)
    resolve_conditions(state, waiting, scope)


def _resolve_join_condition(
    state: State, condition: exp.Expr, scope: Scope, unseen: int = 0
) -> None:
    """Resolve a condition that does not see the first `unseen` items of FROM."""
    scope.clause = "on"
    relations, parent = scope.relations, scope.parent
    if unseen:
        scope.relations = Relations(islice(relations.items(), unseen, None))
        if not state.rejects(Joins.on_sees_comma_items):  # they belong to an outer query, then
            scope.parent = Scope(parent)
            scope.parent.relations = Relations(islice(relations.items(), unseen))
    state.condition(state.expression(condition, scope), condition, what="ON")
    scope.relations, scope.parent, scope.clause = relations, parent, "from"


_INEQUALITIES: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def _check_asof(state: State, join: exp.Expr, condition: exp.Expr, added: list[Relation]) -> None:
    """Record an ASOF JOIN without exactly one inequality between its sides."""
    owners = {id(use.node): id(use.relation) for use in state.resolution.columns}
    joined = {id(relation) for relation in added}
    count = 0
    keys = [part for part in conjuncts(condition) if isinstance(part, exp.EQ)]
    if not keys and state.rejects(Joins.outer_join_without_equality):
        state.add_form(join.this, Joins.outer_join_without_equality)
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


def _check_condition(
    state: State, join: exp.Expr, condition: exp.Expr, added: list[Relation]
) -> None:
    if is_asof(join):
        _check_asof(state, join, condition, added)
    elif state.rejects(Joins.outer_join_without_equality):
        _check_keys(state, join, condition, added)


def _check_keys(state: State, join: exp.Expr, condition: exp.Expr, added: list[Relation]) -> None:
    """Record an outer join whose condition has no key: `a.x = b.x`, each side of one relation.

    Only conditions of what is joined, and two inequalities between both, need none.
    """
    side = str(join.args.get("side") or "")
    columns = condition.find_all(exp.Column)
    is_only = len(join.parent.args["joins"]) == 1 if join.parent is not None else False
    if (
        not side
        or isinstance(condition.unnest(), exp.Or)
        or not all(is_only or one.table for one in columns)
    ):
        return  # which relation a name without a qualifier means may depend on the other joins
    owners = {id(use.node): id(use.relation) for use in state.resolution.columns}
    joined = {id(relation) for relation in added}
    kept = {"LEFT": {False}, "RIGHT": {True}}.get(side, {True, False})
    inequalities, faults = 0, 0
    for part in conjuncts(condition):
        found = _sides_of_columns(part, owners, joined)
        if found is None or isinstance(part, _OF_UNKNOWN_KEYS) or part.find(*_OF_UNKNOWN_KEYS):
            return
        pair = (
            [_sides_of_columns(value, owners, joined) for value in (part.this, part.expression)]
            if isinstance(part, exp.Binary)
            else []
        )
        is_of_both = pair in ([{True}, {False}], [{False}, {True}])
        if is_of_both and isinstance(part, (exp.EQ, exp.NullSafeEQ)):
            return
        inequalities += is_of_both and isinstance(part, _INEQUALITIES)
        faults += len(found) > 1 or bool(found & kept and join.args.get("kind") != "SEMI")
    if faults and inequalities < _ENOUGH:
        state.add_form(join.this, Joins.outer_join_without_equality)


_OF_UNKNOWN_KEYS: Final = (exp.Between, exp.Is, exp.Null, exp.Query, exp.Tuple)
"""What the engine may turn into a comparison, or compute first."""
_ENOUGH: Final = 2


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


def _sees_no_later_items(state: State, condition: exp.Expr) -> bool:
    """Return whether a condition is that of an outer join, or of any in FROM with a RIGHT join."""
    join = condition.parent
    if not isinstance(join, exp.Join) or not state.rejects(Joins.outer_join_sees_later_items):
        return False
    joins = join.parent.args.get("joins") if join.parent is not None else None
    return bool(join.side) or any(one.side in {"RIGHT", "FULL"} for one in joins or ())


def _check_later_items(state: State, condition: exp.Expr, scope: Scope, begun: int) -> None:
    """Record the columns, from the one at `begun` on, of items after a join."""
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
    columns = (one for part in filter(None, conditions) for one in part.find_all(exp.Column))
    qualifiers = (column.args.get("table") for column in columns)
    return any(not owner or state.alias_key(owner) == key for owner in qualifiers)


def _derived(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    alias = node.args.get("alias")
    if (grouped := group_of_joins(node)) is not None:
        state.source(grouped, scope, waiting)
        return
    if alias is None:
        state.add_form(node, FromClause.derived_without_alias)
    if isinstance(node.this, exp.Table):
        relation = _joined(state, node, scope)
    else:
        relation = state.query(node, around_derived(state, scope))
    if node.args.get("pivots"):
        relation, alias = pivoted_item(state, node, relation, scope)
    names = [state.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names):
        state.add_form(node, FromClause.repeated_output_of_derived)
    name_derived(state, relation, scope, alias)


def _joined(state: State, node: exp.Expr, scope: Scope) -> Relation:
    """Return what a named join in parentheses gives."""
    if node.this.args.get("joins"):
        state.add_form(node, Joins.alias_of_join)
    inner = Scope(around_derived(state, scope))
    resolve_target(state, node.this, inner)
    relations = inner.relations.values()
    if not state.rejects(Joins.name_within_named_join) and len(relations) > 1:
        for key, one in inner.relations.items():
            known = scope.relations.setdefault(key, one.renamed(one.name))
            known.hidden |= frozenset(one.columns)  # seen only with its name before it
    complete = all(relation.complete for relation in relations)
    return collect(state, shown_columns(state, relations), complete=complete)


def resolve_from(state: State, node: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """Add the relations of FROM to the scope, and resolve its conditions.

    Returns those conditions that see all of FROM and the SELECT list, for `resolve_conditions`.
    """
    waiting: list[exp.Expr] = []
    if (from_ := node.args.get("from_")) is not None:
        resolve_source(state, from_.this, scope, waiting)
    elif node.args.get("joins") and isinstance(node, exp.Select):
        state.add_form(node.args["joins"][0].this, Joins.join_without_from)
    if (match := node.args.get("match")) is not None and not state.follows_defaults:
        is_alone = not node.args.get("joins")
        relation, name = matched_relation(state, match, scope, is_alone=is_alone)
        scope.add(state, relation, name)
    begun = 0  # relations before the latest comma
    only_tested: set[str] = set()
    for join in node.args.get("joins") or ():
        count = len(scope.relations)
        # After JOIN, sqlglot looks for pivots; after a comma it does not.
        if join.args.keys() == {"this"} and state.rejects(Joins.using_sees_comma_items):
            begun = count
        _join(state, join, scope, waiting, unseen=begun)
        if join.args.get("kind") in _TESTS and not state.traits.semi_join_gives_columns:
            only_tested.update(islice(scope.relations, count, None))
    for lateral in node.args.get("laterals") or ():
        resolve_source(state, lateral, scope, waiting)
    _check_nameless(state, node)
    if only_tested:
        kept = scope.relations.items()
        scope.relations = Relations({key: one for key, one in kept if key not in only_tested})
    if (with_ := node.args.get("with_")) is not None:
        resolve_named_values(state, with_, scope)
    return waiting


def _check_nameless(state: State, node: exp.Expr) -> None:
    """Record what is joined without a name."""
    from_, joins = node.args.get("from_"), node.args.get("joins")
    if not joins or from_ is None or not state.rejects(Joins.nameless_query_in_join):
        return
    joined = [one.this for one in joins if one.args.get("kind") not in _UNNAMED]
    if not joined or state.rejects(FromClause.derived_without_alias):
        return
    for item in (from_.this, *joined):
        is_call = isinstance(item, exp.Table) and not isinstance(item.this, exp.Identifier)
        is_nameless = is_call or isinstance(item, (exp.Subquery, exp.Values))
        if is_nameless and item.args.get("alias") is None and group_of_joins(item) is None:
            state.add_form(item, Joins.nameless_query_in_join)


_UNNAMED: Final = frozenset({"ARRAY", "PASTE"})
"""Joins that need no names: they unfold an array, or put rows side by side."""
_TESTS: Final = frozenset({"SEMI", "ANTI"})
"""Joins that only test whether there is a row: what they join is not seen elsewhere."""


def _hide_arrays(state: State, join: exp.Expr, used: int) -> None:
    """Let the names of arrays that ARRAY JOIN lists without an alias mean their elements."""
    listed = {id(join.this), *map(id, join.expressions)}
    for use in state.resolution.columns[used:]:
        if id(use.node) in listed:
            kind = None if use.path else state.types.element(use.column.type).type
            element = replace(use.column, type=kind)
            key = state.output_key(use.column.name)
            use.relation.columns = {**use.relation.columns, key: element}


def _hide_namesakes(relations: list[Relation], count: int) -> None:
    """Let `ARRAY JOIN items AS a` hide a column a of the first `count` relations."""
    for relation in relations[:count]:
        for unfolded in relations[count:]:
            relation.hidden |= unfolded.columns.keys() & relation.columns.keys()


def _join(
    state: State, join: exp.Expr, scope: Scope, waiting: list[exp.Expr], *, unseen: int = 0
) -> None:
    """Add what is joined; `unseen`: the number of relations before the latest comma."""
    count, used = len(scope.relations), len(state.resolution.columns)
    resolve_source(state, join.this, scope, waiting)
    for further in join.expressions:  # ClickHouse's `ARRAY JOIN a, b`
        resolve_source(state, further, scope, waiting)
    if join.args.get("kind") == "ARRAY":
        _hide_arrays(state, join, used)
        _hide_namesakes(list(scope.relations.values()), count)
    if (condition := join.args.get("match_condition")) is not None:
        _resolve_join_condition(state, condition, scope, unseen)
    if (condition := join.args.get("on")) is not None:
        if state.traits.on_sees_all:
            waiting.append(condition)
        else:
            _resolve_join_condition(state, condition, scope, unseen)
    if condition is not None:
        _check_condition(state, join, condition, list(scope.relations.values())[count:])
    using, is_natural = join.args.get("using"), join.args.get("method") == "NATURAL"
    if using or is_natural:
        state.add_form(join.this, _form_of_using(join, using))
        relations = list(scope.relations.values())
        earlier, added = relations[unseen:count], relations[count:]
        if is_natural:
            merged = _merge_all(state, join, earlier, added, scope)
        else:
            names = [name for name in using or () if name.find(exp.Alias) is None]  # `(a AS b)`
            keys = [_merge(state, name, earlier, added, scope) for name in names]
            merged = [key for key in keys if key is not None]
        _hide(state, frozenset(merged), earlier, added)
        if join.args.get("side") == "RIGHT":
            _prefer_right_side(merged, earlier, added)


def _form_of_using(join: exp.Expr, using: Sequence[exp.Expr] | None) -> Form:
    if not using:
        return Joins.natural_join
    is_short = len(using) == 1 and is_asof(join)
    return Joins.asof_using_one_column if is_short else Joins.join_using


def _merge(
    state: State, identifier: exp.Expr, earlier: list[Relation], added: list[Relation], scope: Scope
) -> str | None:
    """Merge a column of USING, which must exist on both sides."""
    identifier = identifier.unnest()  # `USING ((k))`
    name = identifier.this if isinstance(identifier, exp.Column) else identifier
    key = state.column_key(name)
    for side in (earlier, added):
        if not any(key in relation.columns or not relation.complete for relation in side):
            state.add_column_fault(name, None, "misplaced", scope, tuple(side[:MOST_OWNERS]))
            return None
    _merge_key(state, name, key, earlier, added, scope)
    return key


def _merge_all(
    state: State, join: exp.Expr, earlier: list[Relation], added: list[Relation], scope: Scope
) -> Iterable[str]:
    """Merge every common column of a NATURAL join, and return their names."""
    names = dict.fromkeys(key for relation in added for key in relation.columns)
    if are_too_many(state, len(names) * len(earlier)):
        for relation in added:
            relation.complete = False
        return names
    common = [key for key in names if any(key in one.columns for one in earlier)]
    for key in common:
        _merge_key(state, join.this, key, earlier, added, scope)
    if not common and all(relation.complete for relation in (*earlier, *added)):
        state.add_form(join.this, Joins.natural_without_common_column)
    return common


def _hide(
    state: State, merged: frozenset[str], earlier: list[Relation], added: list[Relation]
) -> None:
    """Let merged columns mean those of the left side."""
    for relation in added:
        relation.hidden |= merged & relation.columns.keys()
    if state.traits.merged_column_alone and not are_too_many(state, len(earlier)):
        for relation in (*earlier, *added):
            relation.merged |= merged & relation.columns.keys()


def _prefer_right_side(
    merged: Iterable[str], earlier: list[Relation], added: list[Relation]
) -> None:
    """Let columns that a RIGHT join has merged mean those of the right side."""
    for key in merged:
        meant = next((one for one in added if key in one.columns), None)
        for relation in earlier:
            if meant is not None and key in relation.columns:
                relation.preferred = {**relation.preferred, key: meant}


def _merge_key(
    state: State,
    node: exp.Expr,
    key: str,
    earlier: list[Relation],
    added: list[Relation],
    scope: Scope,
) -> None:
    """Compare the types of a merged column; record one that the left side has twice."""
    left = [one for one in earlier if key in one.columns and key not in one.hidden]
    right = [one for one in added if key in one.columns]
    if len(left) > 1 and state.rejects(Joins.using_of_repeated_column):
        state.add_column_fault(node, None, "ambiguous", scope, tuple(left[:MOST_OWNERS]))
    elif left and right:
        types = [state.given(one.columns[key]) for one in (left[0], right[0])]
        state.compare("=", types[0], types[1], (node, node))


def resolve_source(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    """Add an item of FROM to the scope, then what is joined to it within parentheses."""
    outside = len(scope.relations)
    _ITEMS[node.__class__](state, node, scope, waiting)
    if joins := node.args.get("joins"):
        if not state.rejects(Joins.inner_join_condition_sees_outside):
            outside = 0
        for join in joins:
            _join(state, join, scope, waiting, unseen=outside)
    for lateral in node.args.get("laterals") or ():
        resolve_source(state, lateral, scope, waiting)


def resolve_named_values(state: State, with_: exp.Expr, scope: Scope) -> None:
    """Resolve the values of ClickHouse's `WITH toYear(born) AS y` that a query itself uses.

    They are macros, which see what FROM gives. What only subqueries use is resolved in these by
    the engine; what nothing uses is not checked.
    """
    clause, scope.clause = scope.clause, "select"
    for cte in _used_values(state, with_, scope):
        if is_lambda(cte.this):
            continue
        found, name = state.expression(cte.this, scope), cte.args["alias"].this
        column = PreparedColumn(state.kept_name(name), found)
        if scope.parent is not None:  # the scope of WITH
            scope.parent.aliases[state.column_key(name)] = column
    scope.clause = clause


def _used_values(state: State, with_: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """Return the values of WITH that a query, or another of them that it uses, names; in order."""
    values = [cte for cte in with_.expressions if cte.args.get("scalar")]
    if not values:
        return []
    named = {state.output_key(cte.alias): cte for cte in values}
    used: set[int] = set()
    waiting = [child for child in children(scope.node) if child is not with_]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Query):
            continue
        waiting += children(node)
        is_name = isinstance(node, (exp.Identifier, exp.Anonymous))
        cte = named.get(state.output_key(node.name)) if is_name else None
        if cte is not None and id(cte) not in used:
            used.add(id(cte))
            waiting.append(cte.this)
    return [cte for cte in values if id(cte) in used]


_ITEMS: Final[DispatchTable[SourceResolver]] = DispatchTable({**ITEMS, exp.Subquery: _derived})
