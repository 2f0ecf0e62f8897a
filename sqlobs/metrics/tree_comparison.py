"""Equivalence of statements by their syntax trees; proxies that never run anything."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlobs.metrics.parsing import tree_of
from sqlobs.metrics.statement_parts import SqlShape

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLAUSES = ("from_", "from", "joins", "where", "group", "having", "order", "limit", "distinct")


_FEATURES: Final[dict[str, tuple[type[exp.Expr], ...]]] = {
    "selects": (exp.Select,),
    "joins": (exp.Join,),
    "ctes": (exp.CTE,),
    "predicates": (exp.Predicate,),
    "no_predicates": (exp.Connector, exp.SubqueryPredicate),
    "aggregates": (exp.AggFunc,),
    "functions": (exp.Func,),
    "no_functions": (exp.Connector, exp.Case, exp.If, exp.Cast),
    "set_operations": (exp.SetOperation,),
    "windows": (exp.Window,),
    "likes": (exp.Like, exp.ILike),
    "cases": (exp.Case,),
    "arithmetic": (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod),
    "distinct": (exp.Distinct,),
    "group": (exp.Group,),
    "having": (exp.Having,),
    "order": (exp.Order,),
    "limit": (exp.Limit, exp.Fetch),
}
"""What nodes of a kind, and of kinds below it, count as."""


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """Whether two statements are equal, by text, by clauses and by tree."""

    is_same_text: bool
    """Equal but for case, whitespace and a final semicolon."""
    is_same_select: bool | None
    """SELECT lists equal as sets without aliases, clauses equal; `None` unless both are SELECTs."""
    is_same_tree: bool | None
    """Equal after qualifying names, normalizing and ordering predicates; None if unparsable."""

    @property
    def is_equivalent(self) -> bool:
        """Any of the three says so; a "no" proves nothing."""
        return bool(self.is_same_text or self.is_same_select or self.is_same_tree)


def tree_match(reference_sql: str, predicted_sql: str, *, dialect: str | None = None) -> TreeMatch:
    """Compare two statements without running them.

    Each figure is 0 or 1, higher is better, and depends on the parser's version.

    Args:
        reference_sql: The correct statement.
        predicted_sql: The statement to judge.
        dialect: sqlglot's name of the dialect of both.

    See Also:
        sqlobs.metrics.published.ibm.ibm_sql_match: the figures of unitxt, its gaps included.
    """
    return TreeMatch(
        is_same_text=_squeezed(reference_sql) == _squeezed(predicted_sql),
        is_same_select=_same_select(reference_sql, predicted_sql, dialect),
        is_same_tree=_same_tree(reference_sql, predicted_sql, dialect),
    )


def sql_shape(sql: str, *, dialect: str | None = None) -> SqlShape | None:
    """Count the parts of a statement; None if it does not parse.

    Source: the features by which NL2SQL360 filters its cases.
    """
    tree = tree_of(sql, dialect=dialect)
    return None if tree is None else sql_shape_of(Counter(map(type, tree.walk())))


def sql_shape_of(nodes: Mapping[type, int]) -> SqlShape:
    """Count the parts of a statement, given how many nodes of each kind its tree has."""
    counts = dict.fromkeys(_FEATURES, 0)
    for kind, number in nodes.items():
        for feature in _features_of(kind):
            counts[feature] += number
    return _shape_of(counts)


def _shape_of(counts: Mapping[str, int]) -> SqlShape:
    selects, set_operations, ctes = counts["selects"], counts["set_operations"], counts["ctes"]
    return SqlShape(
        joins=counts["joins"],
        subqueries=selects - 1 - set_operations - ctes if selects else 0,
        ctes=ctes,
        predicates=counts["predicates"] - counts["no_predicates"],
        aggregates=counts["aggregates"],
        functions=counts["functions"] - counts["aggregates"] - counts["no_functions"],
        set_operations=set_operations,
        windows=counts["windows"],
        likes=counts["likes"],
        cases=counts["cases"],
        arithmetic=counts["arithmetic"],
        has_distinct=counts["distinct"] > 0,
        has_group=counts["group"] > 0,
        has_having=counts["having"] > 0,
        has_order=counts["order"] > 0,
        has_limit=counts["limit"] > 0,
    )


@cache
def _features_of(kind: type[exp.Expr]) -> tuple[str, ...]:
    return tuple(name for name, classes in _FEATURES.items() if issubclass(kind, classes))


def _squeezed(sql: str) -> str:
    return re.sub(r"\s+", " ", sql.strip().rstrip(";")).upper()


def _same_select(reference: str, predicted: str, dialect: str | None) -> bool | None:
    trees = [tree_of(sql, dialect=dialect) for sql in (reference, predicted)]
    if not all(isinstance(tree, exp.Select) for tree in trees):
        return None
    left, right = (_select_parts(tree, dialect) for tree in trees if tree is not None)
    return left == right


def _select_parts(tree: exp.Expr, dialect: str | None) -> tuple[frozenset[str], tuple[str, ...]]:
    columns = frozenset(_text(item.unalias(), dialect) for item in tree.expressions)
    clauses = (tree.args.get(name) for name in _CLAUSES)
    return columns, tuple(
        " ".join(
            _text(part, dialect) for part in (clause if isinstance(clause, list) else [clause])
        )
        for clause in clauses
        if clause
    )


def _same_tree(reference: str, predicted: str, dialect: str | None) -> bool | None:
    trees = [_normalized(sql, dialect) for sql in (reference, predicted)]
    return None if None in trees else trees[0] == trees[1]


def _normalized(sql: str, dialect: str | None) -> exp.Expr | None:
    tree = tree_of(sql, dialect=dialect)
    if tree is None:
        return None
    from sqlglot.optimizer import optimize  # heavy; counting does without it

    try:
        return optimize(tree, dialect=dialect, validate_qualify_columns=False)
    except SqlglotError:
        return tree


def _text(tree: exp.Expr, dialect: str | None) -> str:
    return tree.sql(dialect=dialect, normalize=True, comments=False)
