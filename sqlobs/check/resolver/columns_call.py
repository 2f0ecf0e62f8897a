"""The columns that DuckDB's `COLUMNS('pattern')` and `COLUMNS(['a', 'b'])` stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.resolver.resolution import ColumnFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk


def chooses_columns(call: exp.Expr) -> bool:
    """Say whether a call is `COLUMNS(…)`, which stands for columns by a pattern or by names."""
    return call.name.upper() == "COLUMNS"


def check_columns(walk: Walk, call: exp.Expr, scope: Scope) -> None:
    """Record what a call of COLUMNS looks for and no relation of FROM has."""
    if len(call.expressions) != 1 or not scope.relations.are_complete():
        return
    for text in _missing(walk, call.expressions[0], scope):
        name = exp.to_identifier(text, quoted=True)
        name.meta.update(call.meta)
        walk.facts.column_faults.append(ColumnFault(name, None, "unknown", scope))


def _missing(walk: Walk, sought: exp.Expr, scope: Scope) -> Iterator[str]:
    if isinstance(sought, exp.Array):
        for item in sought.expressions:
            if item.is_string and not scope.relations.have(walk.output_key(item.name)):
                yield item.name
    elif sought.is_string and _SIMPLE.fullmatch(sought.name):
        pattern = re.compile(sought.name)
        columns = (one for relation in scope.relations.values() for one in relation.outputs)
        if not any(pattern.search(column.name) for column in columns):
            yield sought.name


_SIMPLE: Final = re.compile(r"\^?\w*(?:\.\*\w*){0,2}\$?")
"""Patterns that are read alike everywhere, in a time that their length bounds."""
