"""What a name means that is no column of FROM: an item of the SELECT list, a word, a row."""

from __future__ import annotations

import re
from typing import Final, Literal

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Conditions, SelectList
from sqlobs.check.resolver.model.resolution import WordUse
from sqlobs.check.resolver.model.scope import FILTERING, Computed, Relation, Scope
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import around_parentheses


def item_called(
    state: State, node: exp.Expr, key: str, level: Scope, scope: Scope
) -> PreparedColumn | None:
    """Return the item of a SELECT list that a name may mean here by its alias."""
    found = level.aliases.get(key)
    if found is None or not sees_aliases(state, level, scope):
        return None
    return found if _may_stand(state, node, key, level) else None


def comes_first(state: State, node: exp.Expr, key: str, level: Scope) -> bool:
    """Return whether an alias hides a column of its name; in an expression it may not."""
    if state.is_allowed("columns_first"):
        return False
    if level.clause not in state.traits.alias_first:
        return level.clause == "having" and _hides_ungrouped(state, key, level)
    if level.clause != "order" or not (
        state.traits.columns_first_in_terms
        or state.rejects(SelectList.aggregate_alias_in_order_expression)
    ):
        return True
    return _is_term(node) or not level.relations.have(key)


def _hides_ungrouped(state: State, key: str, level: Scope) -> bool:
    """Return whether an alias in HAVING hides an ungrouped column of its name."""
    if not state.traits.strict_grouping or not state.follows_defaults:
        return False
    if len(level.relations.showing(key)) > 1:  # it is ambiguous first
        return False
    group = level.node.args.get("group")
    return group is None or not any(
        isinstance(term, exp.Column) and state.column_key(term.this) == key
        for term in group.expressions
    )


def column_of_alias(
    state: State, node: exp.Expr, column: PreparedColumn, key: str, levels: tuple[Scope, Scope]
) -> PreparedColumn:
    """Return the column of an alias; record an alias of an aggregate where none is allowed.

    `levels`: the query that defines the alias, and the one that uses it.
    """
    level, scope = levels
    _note_forms(state, node, key, level)
    if level.computed.get(key, "query") == "query":
        return column
    place = FILTERING.get(level.clause)
    if level.computed[key] == "unnest":
        if (place := level.place_without_unnest()) is not None:
            state.add_aggregate_fault(node.this, "unnest", "scalar", place)
        return column
    if (
        level.clause == "order"
        and key in level.aggregated
        and not _is_term(node)
        and state.rejects(SelectList.aggregate_alias_in_order_expression)
    ):
        place = "an expression of ORDER BY"
    elif level.clause == "having":
        place = _place_in_having(state, key, level, is_within=level is not scope)
    if place is None and level.computed[key] == "aggregate":
        place = _place_of_aggregate(state, node, level, scope)
    if place is None and state.traits.lateral_aliases and state.follows_defaults:
        _stand_for(state, node, level.computed[key], level)
    if place is not None:
        state.add_aggregate_fault(node.this, node.this.name, "aggregate", place)
    return column


_CORRELATED: Final = {
    "order": Conditions.correlated_value_in_order,
    "group": Conditions.correlated_value_in_group,
}


def _note_forms(state: State, node: exp.Expr, key: str, level: Scope) -> None:
    """Record a correlated alias, and one in a window or an aggregate of its own list."""
    if key in level.correlated and (form := _CORRELATED.get(level.clause)) is not None:
        state.add_form(node, form)
    if level.clause != "select" or not state.traits.lateral_aliases:
        return
    if level.inside_window:
        state.add_form(node, SelectList.alias_in_window_of_list)
    elif level.inside_aggregate is not None:
        state.add_form(node, SelectList.alias_in_aggregate_of_list)


def _stand_for(state: State, node: exp.Expr, computed: Computed, level: Scope) -> None:
    """Count an alias as the aggregate or window function that it means, which cannot be nested."""
    is_window, place = computed == "window", None
    if level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
    elif level.inside_window and is_window:
        place = "the window of another"
    if place is not None:
        kind: Literal["aggregate", "window"] = "window" if is_window else "aggregate"
        state.add_aggregate_fault(node.this, node.this.name, kind, place)
    if is_window:  # an item that reads this one is a window function, too
        level.windows += 1
    else:
        level.aggregates += 1


def _place_in_having(state: State, key: str, level: Scope, *, is_within: bool) -> str | None:
    """Return the part of HAVING that excludes an alias, for the message; None: it is allowed.

    `is_within`: it is used in a subquery.
    """
    kind = level.computed[key]
    if kind == "window" and not is_within and state.rejects(SelectList.window_alias_in_having):
        return "HAVING"
    if kind == "aggregate" and is_within and state.rejects(SelectList.aggregate_alias_in_subquery):
        return "a subquery of HAVING"
    return None


def _place_of_aggregate(state: State, node: exp.Expr, level: Scope, scope: Scope) -> str | None:
    """Return the clause that excludes the alias of an aggregate; None: it is allowed.

    In a subquery, an aggregate that reads an inner column beside the alias is the subquery's.
    """
    around = level.inside_aggregate
    if level is not scope and isinstance(node.parent, exp.Anonymous):
        is_alone = len(node.parent.expressions) == 1 and _reads_columns(state, node, level)
        around = scope.inside_aggregate if is_alone else None
    if around is not None and state.rejects(SelectList.aggregate_alias_in_aggregate):
        return f"the arguments of {around}"
    is_in_list = level.clause == "select" and level is not scope
    if is_in_list and state.rejects(SelectList.aggregate_alias_in_subquery_of_list):
        return "a subquery of the SELECT list"
    return None


def _reads_columns(state: State, node: exp.Expr, level: Scope) -> bool:
    """Return whether an alias reads a column: `count(*)` belongs to any query around it."""
    if state.rejects(SelectList.count_alias_in_aggregate_of_subquery):
        return True
    key = state.column_key(node.this)
    return any(
        state.column_key(item.args["alias"]) == key and item.find(exp.Column) is not None
        for item in level.node.expressions
        if isinstance(item, exp.Alias)
    )


def sees_aliases(state: State, level: Scope, scope: Scope) -> bool:
    """Return whether a name in a query can mean an alias of a query around it, or of its own."""
    if level.clause == "select":
        if level is not scope and state.traits.subquery_sees_aliases:
            return True
        return state.traits.lateral_aliases and (
            level is scope or not state.rejects(SelectList.alias_in_subquery_of_list)
        )
    if level.clause == "having":
        if level.inside_aggregate is not None and state.rejects(
            SelectList.alias_in_aggregate_of_having
        ):
            return False
        if level is not scope and state.rejects(SelectList.alias_in_subquery_of_having):
            return False
    return level.clause in state.traits.alias_clauses and not state.traits.alias_only_bare


def _may_stand(state: State, node: exp.Expr, key: str, level: Scope) -> bool:
    """Return whether an alias is allowed in an expression; that of a subquery often is not."""
    if level.computed.get(key) != "query" or not state.traits.lateral_aliases:
        return True
    if not state.rejects(SelectList.alias_of_subquery_in_list):
        return True
    is_term = level.clause == "order" and _is_term(node)
    return is_term or level.clause not in {"select", "order"}


def _is_term(node: exp.Expr) -> bool:
    return isinstance(around_parentheses(node), exp.Ordered)


def is_other_value(state: State, node: exp.Expr, key: str, scope: Scope) -> bool:
    """Return whether a word that names no column is a value nevertheless."""
    traits = state.traits
    if traits.quoted_fallback and state.quote(node.this) == '"':
        state.resolution.quoted_words.append(WordUse(node.this, scope))
        return True
    is_text = traits.names_outputs_by == "text" and _is_text_of_item(state, node.this, scope)
    if is_text or is_nameless(state, key, scope):
        return True
    if key in traits.columns_without_from and not any(one.relations for one in scope.chain()):
        return True
    if traits.parameter_sign is not None and node.this.name.startswith(traits.parameter_sign):
        return not node.this.args.get("quoted")
    if key.lower() in state.knowledge.value_words or key in state.named_values:
        return True
    if key in traits.hidden_columns:
        return _is_hidden_column(state, key, scope)
    if traits.aliases_everywhere and (
        is_alias_somewhere(state, key, scope) or _is_alias_around(state, node, key)
    ):
        return True
    return row_named(state, node, scope) is not None


def is_nameless(state: State, key: str, scope: Scope) -> bool:
    """Return whether a word is a value of the engine, or that of a call: `window(at, '1 hour')`."""
    if key in state.traits.nameless_columns:
        return True
    if key not in state.traits.columns_of_calls:
        return False
    queries = (getattr(level, "node", None) for level in scope.chain())
    calls = (call for one in queries if one is not None for call in one.find_all(exp.Anonymous))
    return any(call.name.lower() == key for call in calls)


def is_alias_somewhere(state: State, key: str, scope: Scope) -> bool:
    """Return whether any expression of a query around a name has this alias."""
    level: Scope | None = scope
    while level is not None:
        if level.every_alias is None:
            level.every_alias = _every_alias(state, getattr(level, "node", None))
        if key in level.every_alias:
            return True
        level = level.parent
    return False


def _every_alias(state: State, query: exp.Expr | None) -> frozenset[str]:
    """Return the aliases of all expressions of a query, those inside its subqueries too."""
    found = []
    for one in query.find_all(exp.Alias, exp.CTE) if query is not None else ():
        if not one.args.get("scalar", one.__class__ is exp.Alias):
            continue  # `WITH t AS (SELECT 1)` names a relation
        alias = one.args.get("alias")
        identifier = alias.this if isinstance(alias, exp.TableAlias) else alias
        if isinstance(identifier, exp.Identifier):
            found.append(state.column_key(identifier))
    return frozenset(found)


def _is_alias_around(state: State, node: exp.Expr, key: str) -> bool:
    """Return whether a query in FROM reads an alias of the list of a query around it.

    ClickHouse resolves `SELECT 1 AS y FROM (SELECT y + 1 AS z)`, unless the alias is an aggregate,
    reads what the inner query computes with it, or would be correlated in a join.
    """
    item: exp.Expr = node
    while item.parent is not None and not isinstance(item.parent, exp.Select):
        item = item.parent
    query = item.parent.find_ancestor(exp.Select) if item.parent is not None else None
    while query is not None:
        for other in query.expressions:
            alias = other.args.get("alias") if isinstance(other, exp.Alias) else None
            if isinstance(alias, exp.Identifier) and state.column_key(alias) == key:
                named = {column.name for column in other.find_all(exp.Column)}
                is_joined = bool(named) and bool(query.args.get("joins"))
                return not is_joined and item.alias_or_name not in named and not _has_groups(other)
        query = query.find_ancestor(exp.Select)
    return _is_constant_beside(state, node.find_ancestor(exp.CTE), key)


def _is_constant_beside(state: State, cte: exp.Expr | None, key: str) -> bool:
    """Return whether an alias outside of a CTE names a constant: its readers resolve its names."""
    named = cte.root().find_all(exp.Alias) if cte is not None else ()
    return any(
        isinstance(alias := one.args.get("alias"), exp.Identifier)
        and state.column_key(alias) == key
        and one.this.find(exp.Column, exp.Query) is None
        and one.find_ancestor(exp.CTE) is not cte
        for one in named
    )


def _has_groups(item: exp.Expr) -> bool:
    """Return whether an item has a call, which may be an aggregate, of a column."""
    calls = item.find_all(exp.Anonymous, exp.AggFunc)
    return any(call.find(exp.Column, exp.Star) is not None for call in calls)


def _is_hidden_column(state: State, key: str, scope: Scope) -> bool:
    """Return whether a stored table has it; SQLite needs exactly one such table."""
    levels = (level.relations.values() for level in scope.chain())
    owners = (sum(has_hidden(state, one, key) for one in relations) for relations in levels)
    found = next(filter(None, owners), 0)
    return found == 1 or (found > 1 and not state.traits.derived_has_hidden)


def has_hidden(state: State, relation: Relation, key: str) -> bool:
    """Return whether a relation has a column that no schema declares (`rowid`)."""
    table = relation.table
    if table is None or (table.is_view and not state.traits.views_are_like_tables):
        return False
    known = state.knowledge.storages.get(table.engine) if table.engine is not None else None
    return known is None or key in known


def row_named(state: State, node: exp.Expr, scope: Scope) -> Relation | None:
    """Return the relation whose row a name means that is no column."""
    name = node.args["this"]
    if not state.traits.whole_row or node.args.get("table") or isinstance(name, exp.Star):
        return None
    alias = state.alias_key(name)
    found = (level.relations.get(alias) for level in scope.chain())
    return next((relation for relation in found if relation is not None), None)


def _is_text_of_item(state: State, name: exp.Expr, scope: Scope) -> bool:
    """Return whether a quoted name after a SELECT list is the text of an item (`count(*)`)."""
    text = name.name
    if text.isidentifier() or not name.args.get("quoted"):
        return False
    if all(level.clause not in state.traits.alias_clauses for level in scope.visible(state.traits)):
        return False
    written, text = state.sql.lower(), text.lower()
    place = written.find(text)
    for _ in range(_MOST_PLACES):
        if place < 0:
            break
        end = place + len(text)
        if not _NAME_LIKE.search(written[max(place - 1, 0) : place] + written[end : end + 1]):
            return True
        place = written.find(text, place + 1)
    return False


_MOST_PLACES: Final = 16
"""So many occurrences of the text are examined: hostile text must not cost more."""
_NAME_LIKE: Final = re.compile(r"[`\w]")
