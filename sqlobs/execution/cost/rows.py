"""How many rows a query may give, where the statement itself makes them; tables count as small."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.execution.cost.bound import UNLIMITED, power, product, quotient
from sqlobs.execution.cost.names import SEQUENCE, selects_in
from sqlobs.execution.cost.operation import word_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlobs.execution.cost.bound import Bound

TABLE_ROWS: Final = 1_000
"""What tables are taken to hold, and joins of tables: only the data know."""
STEPS: Final = 1_000
"""What a recursion is taken to do that the data end."""
_SOME_YEARS: Final = 3_653
"""Days of a series of dates whose ends only the data know."""
_MONTH: Final = re.compile(r"(\d{4})-(\d\d)")
"""The month of a date: 2024-02 in `2024-02-29`."""
_IN_A_DAY: Final = {"milli": 8.64e7, "micro": 8.64e10, "sec": 86_400, "min": 1_440, "hour": 24}
_SERIES: Final = frozenset(
    {"generateseries", "explodinggenerateseries", "range", "generate_series", "generatedatearray"}
)
_COMPARISONS: Final = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.EQ, exp.NEQ, exp.Between)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that a query makes itself, and of how many tables it pairs all rows."""

    made: float = 1.0
    tables: int = 0

    @property
    def most(self) -> float:
        """The number of rows."""
        return product(self.made, power(TABLE_ROWS, self.tables) if self.tables else 1)


class Counter:
    """Counts the rows of a statement's queries."""

    def __init__(self, root: exp.Expr, bound: Callable[[exp.Expr], Bound]) -> None:
        self._bound = bound
        self._ctes = {cte.alias.lower(): cte for cte in root.find_all(exp.CTE)}
        self._limits = list(root.find_all(exp.Limit, exp.Fetch))
        self._open: set[str] = set()

    def given(self, query: exp.Expr) -> Rows:
        """Return how many rows a query gives."""
        parts = [self._of_select(select) for select in selects_in(query)]
        if not parts:
            return Rows()
        made, tables = sum(one.made for one in parts), max(one.tables for one in parts)
        return self._cut(query, Rows(made, tables))

    def joined(self, select: exp.Select) -> Rows:
        """Return how many rows the sources of a SELECT give together."""
        parts = [self._of_source(source) for source in _sources(select)]
        parts += [
            Rows(self._elements(call))
            for entry in select.expressions
            for call in entry.find_all(exp.Explode, exp.ExplodingGenerateSeries)
        ]
        made = product(*(one.made for one in parts))
        tables = sum(one.tables for one in parts)
        return Rows(made, max(tables - _links(select), min(tables, 1)))

    def steps(self, cte: exp.CTE) -> float:
        """Return how often a recursive CTE may start again."""
        conditions = [*cte.this.find_all(exp.Where, exp.Join)]
        ends = [
            self._end(side)
            for condition in conditions
            for comparison in condition.find_all(*_COMPARISONS)
            for side in comparison.iter_expressions()
            if not any(side.find_all(exp.Column))
        ]
        tables = [table for table in cte.this.find_all(exp.Table) if self._is_plain(table)]
        if ends:
            return max(STEPS, *ends)
        limits = [self._bound(limit).high for limit in self._limits]
        if conditions or tables:
            return max(STEPS, *limits, 0)
        return max(limits, default=UNLIMITED)

    def _end(self, side: exp.Expr) -> float:
        """Return how far a recursion goes that ends there: ten years of days, or so many steps."""
        is_date = any(_MONTH.search(text.name) for text in side.find_all(exp.Literal))
        return float(_SOME_YEARS) if is_date else self._bound(side).high

    def is_recursive(self, cte: exp.CTE) -> bool:
        """Return whether a CTE reads itself."""
        name = cte.alias.lower()
        is_union = isinstance(cte.this, exp.SetOperation)
        return is_union and any(t.name.lower() == name for t in cte.this.find_all(exp.Table))

    def _of_select(self, select: exp.Select) -> Rows:
        has_total = not select.args.get("group") and any(
            entry.find(exp.AggFunc) and not entry.find(exp.Window) for entry in select.expressions
        )
        return Rows() if has_total else self._cut(select, self.joined(select))

    def _cut(self, query: exp.Expr, rows: Rows) -> Rows:
        limit = query.args.get("limit")
        most = self._bound(limit).high if limit is not None else UNLIMITED
        return Rows(most) if most < rows.most else rows

    def _of_source(self, source: exp.Expr) -> Rows:
        if isinstance(source, exp.Values):
            return Rows(len(source.expressions))
        if isinstance(source, exp.Table) and not isinstance(source.this, exp.Func):
            return self._of_table(source)
        if isinstance(source, exp.Subquery) or isinstance(source.this, exp.Query):
            inner = source.this
            return self.given(inner.this if isinstance(inner, exp.Subquery) else inner)
        call = source.this if isinstance(source.this, exp.Func) else source
        return Rows(self._elements(call))

    def _of_table(self, table: exp.Table) -> Rows:
        name = table.name.lower()
        cte = self._ctes.get(name)
        if cte is None or name in self._open:
            numbers = SEQUENCE.fullmatch(name)
            made = max(map(float, numbers.groups())) if numbers else 1.0
            return Rows(made, tables=int(numbers is None))
        if self.is_recursive(cte):
            return Rows(self.steps(cte))
        self._open.add(name)
        try:
            return self.given(cte.this)
        finally:
            self._open.discard(name)

    def _is_plain(self, table: exp.Table) -> bool:
        return not isinstance(table.this, exp.Func) and table.name.lower() not in self._ctes

    def _elements(self, call: exp.Expr) -> float:
        """Return how many rows a function gives: those of a series, or one a byte."""
        operands = [self._bound(each) for each in call.iter_expressions()]
        if word_of(call) not in _SERIES:
            return max(1.0, sum(operand.size for operand in operands))
        texts = [literal.name for literal in call.find_all(exp.Literal) if literal.is_string]
        if texts or any(call.find_all(exp.Interval)):
            return _moments(call, texts)
        ends = max((operand.high for operand in operands[:2]), default=UNLIMITED)
        return quotient(2 * ends + 1, min([1.0, *(step.low for step in operands[2:])]))


def _moments(call: exp.Expr, texts: Sequence[str]) -> float:
    """Return how many days or parts of days a series of dates has."""
    months = [12 * int(year) + int(month) for t in texts for year, month in _MONTH.findall(t)]
    span = 31 * (max(months) - min(months) + 1) if len(months) > 1 else _SOME_YEARS
    words = call.sql().lower()
    finest = next((count for unit, count in _IN_A_DAY.items() if unit in words), 1)
    return float(span * finest)


def _links(select: exp.Select) -> int:
    """Return how many conditions tie the rows of one source to those of another."""
    joins = select.args.get("joins") or ()
    named = sum(bool(join.args.get("using") or join.method == "NATURAL") for join in joins)
    where = select.args.get("where")
    conditions = [where, *(join.args.get("on") for join in joins)]
    return named + sum(
        _ties(equality)
        for one in conditions
        if one is not None
        for equality in one.find_all(exp.EQ)
    )


def _ties(equality: exp.EQ) -> bool:
    left, right = equality.left, equality.right
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return False
    return not left.table or left.table.lower() != right.table.lower()


def _sources(select: exp.Expr) -> Iterator[exp.Expr]:
    start = select.args.get("from_") or select.args.get("from")
    joins = select.args.get("joins") or ()
    laterals = select.args.get("laterals") or ()
    for source in (*([start.this] if start else ()), *(join.this for join in joins), *laterals):
        yield source
        yield from _sources(source) if isinstance(source, exp.Table | exp.Subquery) else ()
