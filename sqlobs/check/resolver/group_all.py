"""What GROUP BY ALL groups by: the items of the list that hold no aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.resolution import AggregateFault, FormUse, GroupingFault
from sqlobs.check.resolver.tree import children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.check.resolver.resolution import ColumnUse
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


@dataclass(slots=True)
class _Item:
    """What an item of the list is made of."""

    has_aggregate: bool = False
    column: exp.Expr | None = None
    """The first one outside of its aggregates."""
    window: exp.Expr | None = None

    def add(self, other: _Item) -> None:
        """Take in what another item is made of, by its alias."""
        self.has_aggregate = self.has_aggregate or other.has_aggregate
        self.column = self.column or other.column
        self.window = self.window or other.window


def groups_by_all(walk: Walk, group: exp.Expr) -> bool:
    """Say whether a GROUP BY is `GROUP BY ALL`, or `GROUP BY *` where that is the same."""
    if group.args.get("all"):
        return True
    terms = group.expressions
    is_star = len(terms) == 1 and isinstance(terms[0], exp.Star)
    return is_star and walk.catalogue is not None and not walk.refuses("group_by_star")


def items_of_all(
    walk: Walk, node: exp.Select, scope: Scope, uses: Mapping[int, ColumnUse]
) -> list[exp.Expr]:
    """Return the items that GROUP BY ALL groups by; record those that it does not take.

    An item is grouped by or aggregated, never both, and no window function is grouped by.
    """
    if (qualify := node.args.get("qualify")) is not None:
        walk.facts.forms.append(FormUse(qualify, "qualify_of_group_by_all"))
    known: dict[str, _Item] = {}
    grouped = []
    for expression in node.expressions:
        value = expression.unalias()
        item = _read(walk, value, scope, uses, known)
        if value is not expression:
            known.setdefault(walk.column_key(expression.args["alias"]), item)
        if item.column is None:
            continue
        if item.has_aggregate:
            walk.facts.grouping_faults.append(GroupingFault(item.column, item.column.name))
        elif item.window is not None:
            fault = AggregateFault(item.window, item.window.this.name, "window", "GROUP BY ALL")
            walk.facts.aggregate_faults.append(fault)
        else:
            grouped.append(value)
    return grouped


def _read(
    walk: Walk,
    value: exp.Expr,
    scope: Scope,
    uses: Mapping[int, ColumnUse],
    known: Mapping[str, _Item],
) -> _Item:
    """Tell what an item is made of; an alias stands for the item before it that has it."""
    item, waiting = _Item(), [value]
    while waiting:
        part = waiting.pop()
        if walk.aggregates.get(id(part)) is scope:
            item.has_aggregate = True
        elif id(part) in uses:
            item.column = item.column or part
        elif isinstance(part, exp.Query):
            inner = (column for column in part.find_all(exp.Column) if id(column) in uses)
            item.column = item.column or next(inner, None)
        elif isinstance(part, exp.Column):
            if part.args.get("table") is None and isinstance(part.this, exp.Identifier):
                item.add(known.get(walk.column_key(part.this), _Item()))
        else:
            if isinstance(part, exp.Window):
                item.window = part
            waiting += children(part)
    return item
