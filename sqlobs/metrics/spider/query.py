"""A statement of Spider's grammar as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Connector = Literal["and", "or"]
SetOperator = Literal["intersect", "union", "except"]


@dataclass(frozen=True, slots=True)
class ColumnUnit:
    """A column, possibly inside an aggregate."""

    aggregate: str
    """`none`, `max`, `min`, `count`, `sum`, `avg`."""
    column: str
    """`table.column` in lower case, or `*`."""
    is_distinct: bool = False


@dataclass(frozen=True, slots=True)
class ValueUnit:
    """A column, or two of them joined by one arithmetic operator."""

    operator: str
    """`none`, `-`, `+`, `*`, `/`."""
    left: ColumnUnit
    right: ColumnUnit | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """One expression of a SELECT list."""

    aggregate: str
    value: ValueUnit


Operand: TypeAlias = "float | str | ColumnUnit | Query | None"
"""What a value is compared with; None stands for a literal that was dropped."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One condition; `between` alone has a second operand."""

    is_negated: bool
    operator: str
    value: ValueUnit
    first: Operand
    second: Operand = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """Comparisons and what stands between them."""

    comparisons: tuple[Comparison, ...] = ()
    connectors: tuple[str | Comparison, ...] = ()
    """`and`, `or`; where the word was left out, the comparison that stands in its place."""


@dataclass(frozen=True, slots=True)
class Order:
    """An ORDER BY clause: the last direction written holds for all of it."""

    direction: str
    values: tuple[ValueUnit, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed statement; without arguments the empty query, which an unparsable one counts as."""

    select: tuple[Projection, ...] = ()
    is_distinct: bool = False
    tables: tuple[str | Query, ...] = ()
    """Table names in lower case, and subqueries."""
    joins: Conditions = Conditions()
    where: Conditions = Conditions()
    group: tuple[ColumnUnit, ...] = ()
    having: Conditions = Conditions()
    order: Order | None = None
    has_limit: bool = False
    intersect: Query | None = None
    union: Query | None = None
    except_: Query | None = None

    @property
    def operands(self) -> tuple[Query | None, Query | None, Query | None]:
        """The operands of INTERSECT, EXCEPT and UNION."""
        return self.intersect, self.except_, self.union
