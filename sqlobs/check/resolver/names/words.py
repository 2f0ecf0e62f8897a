"""What a word means that names no column: a value of the engine, a string, a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import WordUse

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Relation, Scope
    from sqlobs.check.resolver.model.state import ResolverState


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
    if state.catalogue is not None and key in state.catalogue.value_words:
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
    """Say whether a relation has the columns that nobody declares."""
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
