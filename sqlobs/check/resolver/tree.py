"""Reading sqlglot's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator


GROUPING_SETS: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)
"""Terms of GROUP BY that stand for several groupings."""


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the direct children of a node, in order of its arguments."""
    for value in node.args.values():
        if value.__class__ is list:
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item
        elif isinstance(value, exp.Expr):
            yield value


def is_same(item: exp.Expr, term: exp.Expr) -> bool:
    """Say whether a term repeats an item of a list; of a column, the qualifier may be left out."""
    if not isinstance(item, exp.Column) or not isinstance(term, exp.Column):
        return item == term
    owners = {part.lower() for part in (item.table, term.table) if part}
    return item.name.lower() == term.name.lower() and len(owners) <= 1


def is_default(value: exp.Expr) -> bool:
    """Say whether a value is the word DEFAULT, which sqlglot may take for a column."""
    if isinstance(value, exp.Var):
        return value.name.upper() == "DEFAULT"
    if not isinstance(value, exp.Column) or value.args.get("table") is not None:
        return False
    return value.name.upper() == "DEFAULT" and not value.this.args.get("quoted")
