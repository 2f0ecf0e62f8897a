"""Reading sqlglot's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator


def children(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the direct children of a node, in order of its arguments."""
    for value in node.args.values():
        if value.__class__ is list:
            for item in value:
                if isinstance(item, exp.Expr):
                    yield item
        elif isinstance(value, exp.Expr):
            yield value
