"""Which statements build no value: most of them, so that their bounds need not be computed.

What such a statement handles is a column's value, a literal, or a number of a few more digits. The
bound of its work is that of comparing its literals with each other, which a short text keeps small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_NODES: Final = 2_000
_MOST_PRODUCTS: Final = 16
"""Each multiplication may add the digits of its operands."""
_MOST_LITERALS: Final = 4_000
"""Characters of all literals: `LIKE` may compare each of them with each."""

_CLAUSES: Final = (
    *(exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered),
    *(exp.Limit, exp.Offset, exp.Alias, exp.TableAlias, exp.Table, exp.Column, exp.Identifier),
    *(exp.Star, exp.Distinct, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Subquery),
)
_CONDITIONS: Final = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or, exp.Not, exp.In),
    *(exp.Between, exp.Is, exp.Like, exp.ILike, exp.Exists, exp.Case, exp.If, exp.Coalesce),
)
_NUMBERS: Final = (
    *(exp.Add, exp.Sub, exp.Neg, exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max),
    *(exp.Abs, exp.Length, exp.Lower, exp.Upper),
)
_PRODUCTS: Final = (exp.Mul, exp.Div)
_PLAIN: Final = frozenset((*_CLAUSES, *_CONDITIONS, *_NUMBERS, *_PRODUCTS))


def is_plain(nodes: Sequence[exp.Expr]) -> bool:
    """Return whether no value of a statement is longer than those of its tables and its text.

    A product of a product in a nested query is not plain: its digits may double with each level.

    Args:
        nodes: Those of its tree, the root first.
    """
    kinds = list(map(type, nodes))
    if len(kinds) > _MOST_NODES or not _PLAIN.issuperset(kinds):
        return False
    products = sum(map(kinds.count, _PRODUCTS))
    if products and (products > _MOST_PRODUCTS or kinds.count(exp.Select) > 1):
        return False
    literals = sum(len(node.name) for node in nodes if type(node) is exp.Literal)
    return literals <= _MOST_LITERALS
