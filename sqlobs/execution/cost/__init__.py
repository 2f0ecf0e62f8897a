"""Bounds the cost of a statement by its tree, for engines that cannot interrupt functions.

PostgreSQL and MariaDB check their timeout between rows, but not while a function runs: one
`strpos(repeat('a', 10000000), 'b' || repeat('a', 5000000))` occupies a server for days, whatever
its time limits. So the sizes of all values are bounded before: literals, texts and arrays that are
built from them, aggregates over rows that the statement makes itself. Columns of tables count as
short and tables as small, because this depends on the data; the breaker handles the rest.

Tests: `tests/execution/test_cost.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.execution.cost.bound import (
    NOTHING,
    UNLIMITED,
    Bound,
    joined,
    power,
    product,
    widest,
)
from sqlobs.execution.cost.functions import applied
from sqlobs.execution.cost.names import UNNAMED, definitions_of, variable
from sqlobs.execution.cost.operation import Operation, numbers_in, word_of
from sqlobs.execution.cost.plain import is_plain
from sqlobs.execution.cost.rows import Counter

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_WORK: Final = 3e8
"""Steps of about a nanosecond that a statement may take for one row without an interruption."""

_COLUMN: Final = Bound(size=64, high=1_000, low=1)
"""What the column of a table is taken to hold."""
_OTHER_LITERALS: Final = (
    *(exp.BitString, exp.ByteString, exp.HexString, exp.National, exp.RawString, exp.UnicodeString),
    exp.Heredoc,
)
_MOST_VISITS: Final = 100_000
_MOST_ROUNDS: Final = 32
_GROWING: Final = 1.001


def costly_part(nodes: Sequence[exp.Expr], *, dialect: str) -> str | None:
    """Return the function that makes a statement too costly; None if none does.

    Args:
        nodes: Those of its tree, the root first.
        dialect: sqlglot's name.
    """
    if is_plain(nodes):
        return None
    estimate = _Estimate(nodes, dialect)
    total = estimate.bound(nodes[0]).work
    return None if total <= MOST_WORK else estimate.heaviest


class _Estimate:
    """The bounds of one statement's expressions."""

    def __init__(self, nodes: Sequence[exp.Expr], dialect: str) -> None:
        self.heaviest = "expression"
        self._most = 0.0
        self._dialect = dialect
        self._definitions = definitions_of(nodes)
        self._rows = Counter(nodes[0], self.bound)
        self._known: dict[int, Bound] = {}
        self._names: dict[str, Bound] = {}
        self._open: dict[str, Bound] = {}
        self._met: set[str] = set()
        self._visits = 0

    def bound(self, node: exp.Expr) -> Bound:
        """Return the bound of an expression's value, or of a query's rows."""
        found = self._known.get(id(node))
        if found is not None:
            return found
        self._visits += 1
        if self._visits > _MOST_VISITS:
            return Bound(UNLIMITED, UNLIMITED, 0, UNLIMITED)
        found = self._compute(node)
        if not self._met:
            self._known[id(node)] = found
        return found

    def _compute(self, node: exp.Expr) -> Bound:
        if isinstance(node, exp.Literal):
            return _literal(node)
        if isinstance(node, _OTHER_LITERALS):
            return _encoded(str(node.this))
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Parameter):
            return self._named(variable(node))
        if isinstance(node, exp.Identifier):
            return _COLUMN if isinstance(node.parent, exp.Func | exp.Binary) else NOTHING
        operands = tuple(self.bound(each) for each in node.iter_expressions())
        if isinstance(node, exp.Query):
            return self._query(node, operands)
        if isinstance(node, exp.PropertyEQ):
            return operands[-1]
        return self._applied(node, operands)

    def _query(self, query: exp.Query, operands: tuple[Bound, ...]) -> Bound:
        """A query's work is all its clauses'; as a value it is what it selects."""
        values = [self.bound(entry) for entry in query.selects]
        if isinstance(query, exp.SetOperation):
            values = [self.bound(query.left), self.bound(query.right)]
        elif any(entry.is_star for entry in query.selects):
            values.extend(operands)
        work = sum(operand.work for operand in operands)
        value = replace(joined(values), work=work)
        if isinstance(query.parent, exp.Array):  # ARRAY(SELECT …)
            size = product(value.size, self._rows.given(query).most)
            return replace(value, size=size)
        return value

    def _applied(self, node: exp.Expr, operands: tuple[Bound, ...]) -> Bound:
        bound = applied(Operation(node, operands, lambda: self._rows_at(node), self._dialect))
        own = bound.work - sum(operand.work for operand in operands)
        if own > self._most and isinstance(node, exp.Func | exp.Binary):
            self._most, self.heaviest = own, word_of(node)
        return bound

    def _rows_at(self, node: exp.Expr) -> float:
        select = node.parent_select
        return self._rows.joined(select).most if isinstance(select, exp.Select) else 1.0

    def _column(self, column: exp.Column) -> Bound:
        named = self._named(column.name.lower())
        unnamed = self._named(UNNAMED) if UNNAMED in self._definitions else NOTHING
        return widest((_COLUMN, named, unnamed))

    def _named(self, name: str) -> Bound:
        if name in self._open:
            self._met.add(name)
            return self._open[name]
        if name not in self._names:
            found = self._resolved(name)
            if self._met:
                return found
            self._names[name] = found
        return self._names[name]

    def _resolved(self, name: str) -> Bound:
        """Return the bound of a name; where it is defined by itself, of what that grows to."""
        expressions = self._definitions.get(name, ())
        self._open[name] = NOTHING
        found = self._round(expressions)
        if name in self._met:
            steps = max((self._steps(each) for each in expressions), default=0.0)
            if name.startswith("@"):
                steps = UNLIMITED
            found = self._recursive(name, steps) if steps else self._repeated(name, found)
        del self._open[name]
        self._met.discard(name)
        return found

    def _round(self, expressions: Sequence[exp.Expr]) -> Bound:
        return widest(self.bound(each) for each in expressions)

    def _repeated(self, name: str, found: Bound) -> Bound:
        """Several parts of a statement call their columns alike: each may read the one before."""
        expressions = self._definitions[name]
        self._open[name] = widest((found, _COLUMN))
        for _ in range(min(len(expressions), _MOST_ROUNDS)):
            self._open[name] = self._round(expressions)
        return self._open[name]

    def _recursive(self, name: str, steps: float) -> Bound:
        """A recursion starts again as often as its condition lets it: engines interrupt it then."""
        expressions = self._definitions[name]
        seen = []
        for _ in range(4):
            found = replace(self._round(expressions), work=0.0)
            seen.append(found)
            self._open[name] = found
        self._open[name] = Bound(
            size=_grown([bound.size for bound in seen], steps),
            high=_grown([bound.high for bound in seen], steps),
            low=seen[-1].low,
        )
        work = self._round(expressions).work
        return replace(self._open[name], work=work)

    def _steps(self, expression: exp.Expr) -> float:
        """Return how often the recursion goes that an expression is part of; 0: it is in none."""
        cte = expression.find_ancestor(exp.CTE)
        while cte is not None and not self._rows.is_recursive(cte):
            cte = cte.find_ancestor(exp.CTE)
        return 0.0 if cte is None else self._rows.steps(cte)


def _grown(seen: Sequence[float], steps: float) -> float:
    """Return what a value comes to that was so large in the first rounds of a recursion."""
    if seen[-1] in {seen[-2], UNLIMITED}:
        return seen[-1]
    before, last = seen[-2] - seen[-3], seen[-1] - seen[-2]
    if last > before * _GROWING:
        return UNLIMITED
    return seen[-1] + product(steps, last)


def _literal(node: exp.Literal) -> Bound:
    numbers = numbers_in(node.name) if node.is_string else [_number(node.name)]
    high = max(numbers, default=0.0)
    low = min((number for number in numbers if number), default=UNLIMITED)
    return Bound(len(node.name.encode()), high, low)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return max(numbers_in(text), default=UNLIMITED)


def _encoded(text: str) -> Bound:
    """Return the bound of a literal in another notation: x'FF', b'1', $$text$$."""
    numbers = [power(16.0, len(text)), *numbers_in(text)]
    return Bound(len(text.encode()), max(numbers), 0)
