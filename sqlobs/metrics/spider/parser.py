"""Parse a statement of Spider's grammar as the original evaluator does, its leniency included.

Everything that the original stumbles over is `UnsupportedSqlError` here: CTEs, windows, CASE,
IS NULL, arithmetic of more than one operator, aliases without AS. Text after a complete statement
is ignored, as it is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.errors import InputError
from sqlobs.metrics.spider.query import (
    ColumnUnit,
    Comparison,
    Conditions,
    Order,
    Projection,
    Query,
    ValueUnit,
)
from sqlobs.metrics.spider.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.metrics.spider.database import SpiderDatabase
    from sqlobs.metrics.spider.query import Operand

AGGREGATES = ("none", "max", "min", "count", "sum", "avg")
OPERATORS = ("none", "-", "+", "*", "/")
COMPARISONS = frozenset(
    ("not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists")
)
CLAUSES = frozenset(
    ("select", "from", "where", "group", "order", "limit", "intersect", "union", "except")
)
_JOIN_WORDS = frozenset(("join", "on", "as"))
_SET_OPERATORS = ("intersect", "union", "except")
_END = ""
"""What is read behind the last token; no word equals it."""


class UnsupportedSqlError(InputError):
    """The statement is outside Spider's grammar."""


def parse(sql: str, *, database: SpiderDatabase) -> Query:
    """Parse one statement against a database.

    Raises:
        UnsupportedSqlError: the statement is outside the grammar or names what the database lacks.
    """
    try:
        words = tokens(sql)
    except InputError as error:
        raise UnsupportedSqlError(str(error)) from error
    parser = _Parser(words, database.columns, _names(words, database.columns))
    try:
        return parser.query()
    except RecursionError as error:
        raise UnsupportedSqlError("Nested too deeply.") from error


def _names(words: Sequence[str], columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return what each name stands for: aliases anywhere in the text, and the tables."""
    names: dict[str, str] = {}
    for place, word in enumerate(words):
        if word == "as":
            if place + 1 == len(words):
                raise UnsupportedSqlError("AS is the last word.")
            names[words[place + 1]] = words[place - 1]
    if not names.keys().isdisjoint(columns):
        raise UnsupportedSqlError("An alias has the name of a table.")
    return names | {table: table for table in columns}


@dataclass(slots=True)
class _Parser:
    words: Sequence[str]
    columns: Mapping[str, Sequence[str]]
    names: Mapping[str, str]
    place: int = 0
    tables: list[str] = field(default_factory=list)
    """Where a column without a qualifier is looked for."""

    @property
    def word(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else _END

    def query(self) -> Query:
        start = self.place
        is_block = self._skip("(")
        select_at, outer = self.place, self.tables
        tables, joins = self._from(start)
        end = self.place
        self.place = select_at
        is_distinct, select = self._select()
        self.place = end
        where = self._where("where")
        group = self._group()
        having = self._where("having")
        order = self._order()
        has_limit = self._limit()
        self._skip_all(";")
        if is_block:
            self._expect(")")
        self._skip_all(";")
        operands = dict.fromkeys(_SET_OPERATORS) | self._operand()
        self.tables = outer
        return Query(
            select,
            is_distinct,
            tables,
            joins,
            where,
            group,
            having,
            order,
            has_limit,
            intersect=operands["intersect"],
            union=operands["union"],
            except_=operands["except"],
        )

    def _operand(self) -> dict[str, Query | None]:
        if self.word not in _SET_OPERATORS:
            return {}
        operator = self.word
        self.place += 1
        return {operator: self.query()}

    def _from(self, start: int) -> tuple[tuple[str | Query, ...], Conditions]:
        try:
            self.place = self.words.index("from", start) + 1
        except ValueError:
            raise UnsupportedSqlError("FROM is missing.") from None
        tables: list[str | Query] = []
        joins: list[Comparison | str] = []
        known: list[str] = []
        self.tables = known
        while self.place < len(self.words):
            is_block = self._skip("(")
            if self.word == "select":
                tables.append(self.query())
            else:
                self._skip("join")
                tables.append(self._table())
                known.append(str(tables[-1]))
            if self._skip("on"):
                joins += [*(["and"] if joins else []), *self._conditions()]
            if is_block:
                self._expect(")")
            if self.word in CLAUSES or self.word in (")", ";"):
                break
        return tuple(tables), _alternating(joins)

    def _table(self) -> str:
        table = self._named(self.word)
        if table not in self.columns:
            raise UnsupportedSqlError(f"Unknown table {table!r}.")
        self.place += 3 if self._next() == "as" else 1
        return table

    def _select(self) -> tuple[bool, tuple[Projection, ...]]:
        self._expect("select")
        is_distinct = self._skip("distinct")
        projections = []
        while self.place < len(self.words) and self.word not in CLAUSES:
            aggregate = "none"
            if self.word in AGGREGATES:
                aggregate = self.word
                self.place += 1
            projections.append(Projection(aggregate, self._value_unit()))
            self._skip(",")
        return is_distinct, tuple(projections)

    def _where(self, keyword: str) -> Conditions:
        return _alternating(self._conditions() if self._skip(keyword) else [])

    def _group(self) -> tuple[ColumnUnit, ...]:
        if not self._skip("group"):
            return ()
        self._expect("by")
        units = []
        while not self._at_end_of_list():
            units.append(self._column_unit())
            if not self._skip(","):
                break
        return tuple(units)

    def _order(self) -> Order | None:
        if not self._skip("order"):
            return None
        self._expect("by")
        direction, values = "asc", []
        while not self._at_end_of_list():
            values.append(self._value_unit())
            if self.word in ("asc", "desc"):
                direction = self.word
                self.place += 1
            if not self._skip(","):
                break
        return Order(direction, tuple(values))

    def _limit(self) -> bool:
        """Skip LIMIT and whatever stands behind it: its number is never compared."""
        if not self._skip("limit"):
            return False
        if self.place >= len(self.words):
            raise UnsupportedSqlError("LIMIT is the last word.")
        self.place += 1
        return True

    def _conditions(self) -> list[Comparison | str]:
        units: list[Comparison | str] = []
        while self.place < len(self.words):
            units.append(self._comparison())
            if self.word in CLAUSES or self.word in (")", ";") or self.word in _JOIN_WORDS:
                break
            if self.word in ("and", "or"):
                units.append(self.word)
                self.place += 1
        return units

    def _comparison(self) -> Comparison:
        value = self._value_unit()
        is_negated = self._skip("not")
        operator = self.word
        if operator not in COMPARISONS:
            raise UnsupportedSqlError(f"{operator!r} does not compare.")
        self.place += 1
        first = self._operand_value()
        second: Operand = None
        if operator == "between":
            self._expect("and")
            second = self._operand_value()
        return Comparison(is_negated, operator, value, first, second)

    def _operand_value(self) -> Operand:
        start = self.place
        is_block = self._skip("(")
        value: Operand
        if self.word == "select":
            value = self.query()
        elif '"' in self.word:
            value = self.word
            self.place += 1
        else:
            value = self._number_or_column(start)
        if is_block:
            self._expect(")")
        return value

    def _number_or_column(self, start: int) -> float | ColumnUnit:
        """Read a number, else a column from what stands up to the next delimiter."""
        if self.place >= len(self.words):
            raise UnsupportedSqlError("The statement ends where a value is wanted.")
        try:
            number = float(self.word)
        except ValueError:
            end = self.place
            while end < len(self.words) and not _delimits(self.words[end]):
                end += 1
            part = _Parser(self.words[start:end], self.columns, self.names, 0, self.tables)
            column = part._column_unit()
            self.place = end
            return column
        self.place += 1
        return number

    def _value_unit(self) -> ValueUnit:
        is_block = self._skip("(")
        left = self._column_unit()
        operator, right = "none", None
        if self.word in OPERATORS:
            operator = self.word
            self.place += 1
            right = self._column_unit()
        if is_block:
            self._expect(")")
        return ValueUnit(operator, left, right)

    def _column_unit(self) -> ColumnUnit:
        is_block = self._skip("(")
        if self.word in AGGREGATES:
            aggregate = self.word
            self.place += 1
            self._expect("(")
            is_distinct = self._skip("distinct")
            column = self._column()
            self._expect(")")
            return ColumnUnit(
                aggregate, column, is_distinct
            )  # a bracket stays open, as it does there
        is_distinct = self._skip("distinct")
        column = self._column()
        if is_block:
            self._expect(")")
        return ColumnUnit("none", column, is_distinct)

    def _column(self) -> str:
        word = self.word
        self.place += 1
        if word == "*":
            return word
        if "." in word:
            qualifier, _, name = word.partition(".")
            return self._known(self._named(qualifier), name)
        for table in self.tables:
            if word in self.columns[table]:
                return f"{table}.{word}"
        raise UnsupportedSqlError(f"Unknown column {word!r}.")

    def _known(self, table: str, column: str) -> str:
        if column not in self.columns.get(table, ()):
            raise UnsupportedSqlError(f"Unknown column {table}.{column}.")
        return f"{table}.{column}"

    def _named(self, name: str) -> str:
        if name not in self.names:
            raise UnsupportedSqlError(f"Unknown table {name!r}.")
        return self.names[name]

    def _at_end_of_list(self) -> bool:
        at_end = self.place >= len(self.words)
        return at_end or self.word in CLAUSES or self.word in (")", ";")

    def _next(self) -> str:
        return self.words[self.place + 1] if self.place + 1 < len(self.words) else _END

    def _skip(self, word: str) -> bool:
        if self.word != word:
            return False
        self.place += 1
        return True

    def _skip_all(self, word: str) -> None:
        while self._skip(word):
            pass

    def _expect(self, word: str) -> None:
        if not self._skip(word):
            raise UnsupportedSqlError(f"{word!r} is wanted where {self.word!r} stands.")


def _alternating(units: Sequence[Comparison | str]) -> Conditions:
    """Take every other unit for a connector, as the original does where one is missing."""
    comparisons = tuple(unit for unit in units[::2] if isinstance(unit, Comparison))
    if len(comparisons) < len(units[::2]):
        raise UnsupportedSqlError("A word that connects two conditions is missing.")
    return Conditions(comparisons, tuple(units[1::2]))


def _delimits(word: str) -> bool:
    return word in (",", ")", "and") or word in CLAUSES or word in _JOIN_WORDS
