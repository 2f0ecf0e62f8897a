"""The values of a statement on which its verdict does not depend.

Tests: `tests/check/test_values.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import Family, family_of

if TYPE_CHECKING:
    from sqlobs.check.engine.prepared_schema import PreparedColumn
    from sqlobs.check.resolver.model.resolution import Resolution

_COMPARISONS: Final = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE})
_NUMERIC_AGGREGATES: Final = frozenset({"COUNT", "SUM", "AVG"})
_PLAIN_TYPE: Final = re.compile(
    r"[A-Za-z]\w*(?: varying| precision)?\s*(?:\([\d\s,]*\))?", re.ASCII
)
"""`varchar(80)`, but not `text[]`, of which not every text is a value."""


def free_values(resolution: Resolution) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each literal that is compared with something of its own type.

    Every text is a value of a text column, and every whole number of a numeric one, so that an
    engine decides about the statement without a look at the literal. Only plain types count: not
    every text is a date, a UUID, or a value of an enumeration.
    """
    for node, family in _typed(resolution):
        for literal in _compared_with(node):
            place = literal.meta
            if "start" in place and family == ("text" if literal.is_string else "number"):
                yield place["start"], place["end"] + 1


def _typed(resolution: Resolution) -> Iterator[tuple[exp.Expr, Family | None]]:
    for use in resolution.columns:
        if not use.path:
            yield use.node, _family(use.column)
    for call in resolution.calls:
        if call.name.upper() in _NUMERIC_AGGREGATES:
            yield call.node, "number"


def _family(column: PreparedColumn) -> Family | None:
    """Return the family of a stored column, or of one that a query gives, by its plain type."""
    kind = column.declared or column.type
    return None if kind is None or not _PLAIN_TYPE.fullmatch(kind.strip()) else family_of(kind)


def _compared_with(node: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the literals beside a column or call: of a comparison, or of a list behind IN."""
    parent = node.parent
    if parent.__class__ in _COMPARISONS:
        other = parent.expression if parent.this is node else parent.this
        listed = [other]
    elif parent.__class__ is exp.In and parent.this is node:
        # The values of PIVOT name its columns
        listed = [] if parent.parent.__class__ is exp.Pivot else parent.expressions
    else:
        return
    if all(one.__class__ is exp.Literal for one in listed):
        yield from listed
