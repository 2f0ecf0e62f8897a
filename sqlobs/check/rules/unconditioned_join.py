from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sqlglot.tokenizer_core import Token

from sqlobs.check.forms import Joins
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import CLOSE, OPEN, spelled
from sqlobs.check.rules.rule import DISORDER, Case, Findings, Rule

_FREE: Final = frozenset({"CROSS", "NATURAL", "POSITIONAL", "ARRAY", "PASTE"})
_OUTER: Final = frozenset({"LEFT", "RIGHT", "FULL", "OUTER"})
_AFTER_FROM: Final = "WHERE GROUP_BY HAVING ORDER_BY LIMIT WINDOW QUALIFY"
_ENDS_FROM: Final = frozenset(spelled(_AFTER_FROM))
_CONDITIONS: Final = frozenset(spelled("ON USING"))
_JOIN: Final = spelled("JOIN")
_SELECT: Final = spelled("SELECT")
_UNNEST: Final = spelled("UNNEST")
_DOT: Final = spelled("DOT")
_STRUCTURE: Final = re.compile(
    spelled(f"open|close|SELECT|JOIN|[ON USING {_AFTER_FROM}]|(?<!STAR)")
    + f"(?P<next>{spelled('set_operation')})"
)


class UnconditionedJoin(Rule, code="syntax.parse_error", triggers={DISORDER}):
    """A `JOIN` without `ON` or `USING` where the engine requires one.

    What it finds: more joins than conditions in one FROM clause; `CROSS` and `NATURAL` need none.
    Why it matters: the engine reports a syntax error at the next clause.
    Example: `SELECT 1 FROM orders JOIN customers WHERE customers.id = 1` in PostgreSQL
    Instead: `SELECT 1 FROM orders JOIN customers ON customers.id = orders.customer_id`
    """

    def findings(self, case: Case) -> Findings:
        if case.statement.is_orderly or _JOIN not in case.statement.shape:
            return
        inner = case.rejects(Joins.join_without_condition)
        if not inner and not case.rejects(Joins.outer_join_without_condition):
            return
        arrays = case.traits.arrays_in_from
        for join in _open_joins(case.statement, inner=inner, arrays=arrays):
            yield self.at(join, "ON or USING is missing in the join.")


@dataclass(slots=True)
class _Level:
    """One parenthesis level: the joins of its FROM that have no condition yet."""

    is_select: bool = False
    in_from: bool = True
    waiting: list[Token | None] = field(default_factory=list)
    """None: a join that needs no condition in this engine."""

    def last_waiting(self) -> Iterator[Token]:
        """Yield the last join of a finished SELECT that needs a condition and has none."""
        if self.is_select:
            yield from [join for join in self.waiting if join is not None][-1:]


def _open_joins(statement: Statement, *, inner: bool, arrays: bool) -> Iterator[Token]:
    """Yield the last open join of each SELECT; each condition closes the latest one."""
    levels = [_Level()]
    for found in _STRUCTURE.finditer(statement.shape):
        letter, level = found[0], levels[-1]
        if letter == OPEN:
            levels.append(_Level())
        elif letter == CLOSE:
            if len(levels) > 1:
                yield from levels.pop().last_waiting()
        elif letter == _SELECT:
            level.is_select = True
        elif found.lastgroup is not None:
            yield from level.last_waiting()
            levels[-1] = _Level()
        elif level.in_from:
            _enter(level, statement, found.start(), inner=inner, arrays=arrays)
    for level in levels:
        yield from level.last_waiting()


def _enter(level: _Level, statement: Statement, place: int, *, inner: bool, arrays: bool) -> None:
    """Update a level with a JOIN, a condition or the end of FROM."""
    letter, tokens = statement.shape[place], statement.tokens
    if letter in _ENDS_FROM:
        level.in_from = False
    elif letter in _CONDITIONS:
        del level.waiting[-1:]
    else:
        kinds = {before.text.upper() for before in tokens[max(place - 3, 0) : place]}
        if kinds.isdisjoint(_FREE):
            needs = inner or not kinds.isdisjoint(_OUTER)
            if arrays and _reads_array(statement, place):
                needs = False
            level.waiting.append(tokens[place] if needs else None)


def _reads_array(statement: Statement, place: int) -> bool:
    """Return whether a join is with the items of a row: `JOIN UNNEST(o.items)`, `JOIN o.items`."""
    shape, tokens = statement.shape, statement.tokens
    if shape[place + 1 : place + 2] == _UNNEST:
        return True
    if shape[place + 2 : place + 3] != _DOT:
        return False
    owner = tokens[place + 1].text
    return any(
        one.text == owner and shape[index + 1] != _DOT for index, one in enumerate(tokens[:place])
    )
