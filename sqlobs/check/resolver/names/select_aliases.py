"""What a name means that is no column of FROM: an item of the SELECT list, a word, a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from sqlglot import exp

from sqlobs.check.forms import SelectList
from sqlobs.check.resolver.model.resolution import WordUse
from sqlobs.check.resolver.model.scope import FILTERING

if TYPE_CHECKING:
    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.model.scope import Computed, Relation, Scope
    from sqlobs.check.resolver.model.state import ResolverState


def item_called(
    state: ResolverState, node: exp.Expr, key: str, level: Scope, scope: Scope
) -> PreparedColumn | None:
    """Return the item of a SELECT list whose alias a name may mean here."""
    found = level.aliases.get(key)
    if found is None or not _sees_aliases(state, level, scope):
        return None
    return found if _may_stand(state, node, key, level) else None


def comes_first(state: ResolverState, node: exp.Expr, key: str, level: Scope) -> bool:
    """Say whether an alias hides a column of its name; in an expression it may not."""
    if level.clause not in state.traits.alias_first:
        return level.clause == "having" and _hides_ungrouped(state, key, level)
    if level.clause != "order" or not (
        state.traits.columns_first_in_terms
        or state.refuses(SelectList.aggregate_alias_in_order_expression)
    ):
        return True
    return _is_term(node) or not level.relations.have(key)


def _hides_ungrouped(state: ResolverState, key: str, level: Scope) -> bool:
    """Say whether an alias in HAVING hides a column of its name that is not grouped itself."""
    if not state.traits.strict_grouping or not state.follows_defaults:
        return False
    if len(level.relations.showing(key)) > 1:  # which of the columns is asked first
        return False
    group = _query_of(state, level).args.get("group")
    return group is None or not any(
        isinstance(term, exp.Column) and state.column_key(term.this) == key
        for term in group.expressions
    )


def column_of_alias(
    state: ResolverState,
    node: exp.Expr,
    column: PreparedColumn,
    key: str,
    levels: tuple[Scope, Scope],
) -> PreparedColumn:
    """Return the column of an alias; an alias of an aggregate may not stand everywhere.

    Args:
        state: the state of the statement.
        node: the name.
        column: what the alias stands for.
        key: the folded name.
        levels: the query whose alias it is, and the one where the name stands.
    """
    level, scope = levels
    if level.computed.get(key, "query") == "query":
        return column
    place = FILTERING.get(level.clause)
    if level.computed[key] == "unnest":
        return _alias_of_unnest(state, node, column, level)
    if (
        level.clause == "order"
        and key in level.aggregated
        and not _is_term(node)
        and state.refuses(SelectList.aggregate_alias_in_order_expression)
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


def _stand_for(state: ResolverState, node: exp.Expr, computed: Computed, level: Scope) -> None:
    """Take an alias for the aggregate or window function that it stands for: none nests."""
    is_window, place = computed == "window", None
    if level.inside_aggregate is not None:
        place = f"the arguments of {level.inside_aggregate}"
    elif level.inside_window and is_window:
        place = "the window of another"
    if place is not None:
        kind: Literal["aggregate", "window"] = "window" if is_window else "aggregate"
        state.add_aggregate_fault(node.this, node.this.name, kind, place)
    if is_window:  # an item that reads this one stands for it, too
        level.windows += 1
    else:
        level.aggregates += 1


def _place_in_having(
    state: ResolverState, key: str, level: Scope, *, is_within: bool
) -> str | None:
    """Return where in HAVING an alias may not stand, as SQL names the clause; None: it may.

    `is_within`: the name stands in a subquery.
    """
    kind = level.computed[key]
    if kind == "window" and not is_within and state.refuses(SelectList.window_alias_in_having):
        return "HAVING"
    if kind == "aggregate" and is_within and state.refuses(SelectList.aggregate_alias_in_subquery):
        return "a subquery of HAVING"
    return None


def _place_of_aggregate(
    state: ResolverState, node: exp.Expr, level: Scope, scope: Scope
) -> str | None:
    """Return where the alias of an aggregate may not stand, as SQL names the clause; None: it may.

    In a subquery, an aggregate is the inner query's if it takes a column of that beside the alias.
    """
    around = level.inside_aggregate
    if level is not scope and isinstance(node.parent, exp.Anonymous):
        is_alone = len(node.parent.expressions) == 1 and _reads_columns(state, node, level)
        around = scope.inside_aggregate if is_alone else None
    if around is not None and state.refuses(SelectList.aggregate_alias_in_aggregate):
        return f"the arguments of {around}"
    is_in_list = level.clause == "select" and level is not scope
    if is_in_list and state.refuses(SelectList.aggregate_alias_in_subquery_of_list):
        return "a subquery of the SELECT list"
    return None


def _reads_columns(state: ResolverState, node: exp.Expr, level: Scope) -> bool:
    """Say whether an alias stands for what reads a column: `count(*)` is of any query it is in."""
    if state.refuses(SelectList.count_alias_in_aggregate_of_subquery):
        return True
    key = state.column_key(node.this)
    return any(
        state.column_key(item.args["alias"]) == key and item.find(exp.Column) is not None
        for item in _query_of(state, level).expressions
        if isinstance(item, exp.Alias)
    )


def _query_of(state: ResolverState, level: Scope) -> exp.Expr:
    """Return the SELECT of a scope."""
    return next(use.node for use in reversed(state.resolution.selects) if use.scope is level)


def _alias_of_unnest(
    state: ResolverState, node: exp.Expr, column: PreparedColumn, level: Scope
) -> PreparedColumn:
    """Return the column of an alias of UNNEST, which stands for the call: not everywhere."""
    if (place := level.place_without_unnest()) is not None:
        state.add_aggregate_fault(node.this, "unnest", "scalar", place)
    return column


def _sees_aliases(state: ResolverState, level: Scope, scope: Scope) -> bool:
    if level.clause == "select":
        return state.traits.lateral_aliases or (
            level is not scope and state.traits.subquery_sees_aliases
        )
    if level.clause == "having":
        if level.inside_aggregate is not None and state.refuses(
            SelectList.alias_in_aggregate_of_having
        ):
            return False
        if level is not scope and state.refuses(SelectList.alias_in_subquery_of_having):
            return False
    return level.clause in state.traits.alias_clauses and not state.traits.alias_only_bare


def _may_stand(state: ResolverState, node: exp.Expr, key: str, level: Scope) -> bool:
    """Say whether an alias may stand in an expression: that of a subquery not everywhere."""
    if level.computed.get(key) != "query" or not state.traits.lateral_aliases:
        return True
    if not state.refuses(SelectList.alias_of_subquery_in_list):
        return True
    is_term = level.clause == "order" and _is_term(node)
    return is_term or level.clause not in {"select", "order"}


def _is_term(node: exp.Expr) -> bool:
    """Say whether a name is a whole term of ORDER BY."""
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return isinstance(above, exp.Ordered)


def is_other_value(state: ResolverState, node: exp.Expr, key: str, scope: Scope) -> bool:
    """Say whether a word that names no column is a value all the same."""
    traits = state.traits
    if traits.quoted_fallback and state.quote(node.this) == '"':
        state.resolution.quoted_words.append(WordUse(node.this, scope))
        return True
    if traits.names_outputs_by == "text" and _is_text_of_item(state, node.this, scope):
        return True
    if key in traits.nameless_columns:
        return True
    if traits.parameter_sign is not None and node.this.name.startswith(traits.parameter_sign):
        return not node.this.args.get("quoted")
    if key in state.knowledge.value_words:
        return True
    if key in traits.hidden_columns:
        return _is_hidden_column(state, scope)
    return row_named(state, node, scope) is not None


def _is_hidden_column(state: ResolverState, scope: Scope) -> bool:
    """Say whether a stored table has the column; SQLite looks for it in no query with several."""
    for level in scope.chain():
        owners = sum(has_hidden(state, relation) for relation in level.relations.values())
        if owners:
            return owners == 1 or not state.traits.derived_has_hidden
    return False


def has_hidden(state: ResolverState, relation: Relation) -> bool:
    """Say whether a relation has columns that no schema declares (`rowid`)."""
    table = relation.table
    return table is not None and (state.traits.views_are_like_tables or not table.is_view)


def row_named(state: ResolverState, node: exp.Expr, scope: Scope) -> Relation | None:
    """Return the relation for whose row a name stands that is no column."""
    name = node.args["this"]
    if not state.traits.whole_row or node.args.get("table") or isinstance(name, exp.Star):
        return None
    alias = state.alias_key(name)
    found = (level.relations.get(alias) for level in scope.chain())
    return next((relation for relation in found if relation is not None), None)


def _is_text_of_item(state: ResolverState, name: exp.Expr, scope: Scope) -> bool:
    """Say whether a quoted name behind a SELECT list is the text of an item (`count(*)`)."""
    text = name.name
    if text.isidentifier() or not name.args.get("quoted"):
        return False
    if all(level.clause not in state.traits.alias_clauses for level in state.visible(scope)):
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
"""So many places are looked at where the text stands: hostile text must not cost more."""

_NAME_LIKE: Final = re.compile(r"[`\w]")
