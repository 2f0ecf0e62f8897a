"""Finds columns of a grouped SELECT list in engines that were not asked.

Which of their functions aggregate nobody has told: only an item that is a column by itself is
judged, never what stands in a call. It is grouped if any column of its name is, or an alias that
may stand for it: engines differ in what they look up first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.outputs import items_by_name
from sqlobs.check.resolver.resolution import GroupingFault
from sqlobs.check.resolver.tree import GROUPING_SETS, children
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.check.resolver.resolution import ColumnUse
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


def check_plain_columns(
    walk: Walk, node: exp.Select, scope: Scope, uses: Mapping[int, ColumnUse]
) -> None:
    """Record the columns of a SELECT list that its GROUP BY lacks, or its aggregates forbid."""
    group = node.args.get("group")
    values = [item.unalias() for item in node.expressions]
    if group is None and not any(walk.aggregates.get(id(value)) is scope for value in values):
        return
    grouped = _grouped(walk, node, group, uses) if group is not None else set()
    if grouped is None:
        return
    for value in values:
        use = uses.get(id(value))
        if use is None or use.path:
            continue
        key = walk.output_key(use.column.name)
        if key not in grouped and scope.aliases.get(key) is None:
            walk.facts.grouping_faults.append(GroupingFault(use.node, use.column.name))


def _grouped(
    walk: Walk, node: exp.Select, group: exp.Expr, uses: Mapping[int, ColumnUse]
) -> set[str] | None:
    """Return the keys of what is grouped by; None: a term is no column and no item that is told."""
    named = items_by_name(walk, node.expressions)
    keys: set[str] = set()
    seen: set[int] = set()
    waiting = list(children(group))
    while waiting:
        term = waiting.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if isinstance(term, _SEVERAL):
            waiting.extend(children(term))
            continue
        if isinstance(term, exp.Literal):
            place = whole(term.this) - 1 if term.is_int else -1
            if 0 <= place < len(node.expressions):
                waiting.append(node.expressions[place].unalias())
            continue
        use = uses.get(id(term))
        if use is not None:
            keys.add(walk.output_key(use.column.name))
        if isinstance(term, exp.Column) and not isinstance(term.this, exp.Star):
            items = named.get(walk.column_key(term.this), ())
            waiting.extend(item.unalias() for item in items)
            if use is None and not items:
                return None
    return keys


_SEVERAL: Final = (*GROUPING_SETS, exp.Tuple, exp.Paren, exp.Struct)
"""Terms that group by what they hold; ClickHouse takes `tuple(a, b)` for `(a, b)`."""
