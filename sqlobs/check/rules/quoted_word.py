from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import WordUse
from sqlobs.check.rules.rule import Case, Findings, Rule, nearest
from sqlobs.check.rules.unknown_column import names_in_reach

_LIKENESS: Final = 0.8
"""Minimum similarity, 0 to 1, from which a word counts as a misspelled column."""
_MOST_COMPARED: Final = 50
"""Words per statement that are compared with columns: limits the cost of hostile text."""
_CONSTANT: Final = (exp.Select, exp.Ordered, exp.Group)
"""Where a constant makes no sense: items without an alias, terms of ORDER BY and GROUP BY."""
_ARITHMETIC: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg)
_COMPARISON: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is)
_AGGREGATES: Final = frozenset({"SUM", "AVG", "TOTAL", "MIN", "MAX", "COUNT"})


class QuotedWord(Rule, code="schema.unknown_column", triggers={"quoted_words"}, severity="warning"):
    """A string in double quotes where a column was meant.

    What it finds: such a word as an item of the SELECT list, a term of `GROUP BY` or `ORDER BY`, in
    an aggregate, in arithmetic, or compared with a literal; elsewhere one that is nearly a column's
    name.
    Why it matters: SQLite reads an invented name in double quotes as a string and returns it
    without an error.
    Known limits: a word compared with a column is a value, whatever its name. A warning:
    `double_quoted_strings=False` in the profile makes every such word an unknown column.
    Example: `SELECT avg("prices") FROM items` in SQLite
    Instead: `SELECT avg(price) FROM items`
    """

    def findings(self, case: Case) -> Findings:
        for place, use in enumerate(case.resolution.quoted_words):
            name = use.identifier.name
            may_be_near = place < _MOST_COMPARED and _is_nearly_a_column(use)
            if may_be_near or _is_meant_as_column(use) or _has_qualifier(use):
                said = f"Unknown column {name}: the engine reads it as a string in double quotes."
                yield self.at(use.identifier, said, name, suggestion=names_in_reach(use))


def _is_meant_as_column(use: WordUse) -> bool:
    """Return whether a string would make no sense in the position of a word."""
    node, above = use.identifier, use.identifier.parent
    while isinstance(above, (exp.Column, exp.Paren)):
        node, above = above, above.parent
    if isinstance(above, (*_CONSTANT, *_ARITHMETIC)):
        return True
    if isinstance(above, exp.Anonymous):
        return above.name.upper() in _AGGREGATES
    if not isinstance(above, _COMPARISON):
        return False
    other = above.expression if above.this is node else above.this
    return isinstance(other.unnest(), (exp.Literal, exp.Null))


def _is_nearly_a_column(use: WordUse) -> bool:
    """Return whether a word is a misspelled column; one compared with a column is a value."""
    column = use.identifier.parent
    above = column.parent if column is not None else None
    if isinstance(above, (*_COMPARISON, exp.In, exp.Between, exp.Like)):
        return False
    return nearest(use.identifier.name, names_in_reach(use), likeness=_LIKENESS) is not None


def _has_qualifier(use: WordUse) -> bool:
    """Return whether a word is a qualified column within one pair of quotes: `"c.name"`."""
    qualifier, dot, column = use.identifier.name.lower().partition(".")
    found = (level.relations.get(qualifier) for level in use.scope.chain() if dot)
    return any(relation is not None and column in relation.columns for relation in found)
