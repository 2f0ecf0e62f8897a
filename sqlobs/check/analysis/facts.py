"""What the resolver learns about a statement, as data that rules judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sqlglot import exp

    from sqlobs.check.analysis.scope import Relation, Scope
    from sqlobs.check.prepared import PreparedColumn, PreparedTable

ColumnProblem = Literal["unknown", "misplaced", "no_source", "ambiguous"]
"""In no relation of the scope; not in the relation it names; its qualifier names no relation;
in several relations."""


@dataclass(slots=True)
class TableUse:
    """A name in FROM that stands for a stored table."""

    node: exp.Table
    name: exp.Expr
    table: PreparedTable | None
    """None: the schema does not have it."""
    is_system: bool = False
    """A table of the engine's own, which no schema lists."""
    foreign_namespace: bool = False
    """In a namespace that the schema says nothing about."""

    @property
    def is_open(self) -> bool:
        """A view whose columns the schema does not tell."""
        return self.table is not None and not self.table.columns


@dataclass(slots=True)
class ColumnUse:
    """A column reference that was resolved."""

    node: exp.Expr
    column: PreparedColumn
    relation: Relation
    level: Scope
    """The query that the column belongs to: the one around, or one further out."""


@dataclass(slots=True)
class SelectUse:
    """A SELECT that was resolved."""

    node: exp.Select
    scope: Scope


@dataclass(slots=True)
class ColumnFault:
    """A column reference that could not be resolved."""

    identifier: exp.Expr
    qualifier: exp.Expr | None
    problem: ColumnProblem
    scope: Scope
    relations: tuple[Relation, ...] = ()
    """For `misplaced` the relation it names, for `ambiguous` all that have it."""


@dataclass(slots=True)
class CallUse:
    """A function call as written."""

    node: exp.Expr
    name: str
    arguments: int
    qualified: bool = False
    """Written with a namespace: another one than the engine's may be meant."""


@dataclass(slots=True)
class AggregateFault:
    """An aggregate or window function where none may stand."""

    node: exp.Expr
    name: str
    kind: Literal["aggregate", "window", "scalar"]
    place: str
    """Where it stands, in the words of SQL."""


@dataclass(slots=True)
class GroupingFault:
    """A column of a grouped query that is neither grouped nor aggregated."""

    node: exp.Expr
    name: str


@dataclass(slots=True)
class TypeFault:
    """Types that the engine does not combine."""

    node: exp.Expr
    message: str


@dataclass(slots=True)
class FormUse:
    """A form that some engines refuse, by its name in `constructs`."""

    node: exp.Expr
    form: str


@dataclass(slots=True)
class WidthFault:
    """A query with a number of columns that does not fit where it stands."""

    node: exp.Expr
    width: int
    expected: int


@dataclass(slots=True)
class OrdinalFault:
    """A position in GROUP BY or ORDER BY that no item of the list has."""

    node: exp.Expr
    position: str
    width: int


@dataclass(slots=True)
class Facts:
    """Everything one walk over a statement found."""

    tables: list[TableUse] = field(default_factory=list)
    unlisted_tables: list[TableUse] = field(default_factory=list)
    """Those of them that the schema does not have."""
    columns: list[ColumnUse] = field(default_factory=list)
    selects: list[SelectUse] = field(default_factory=list)
    column_faults: list[ColumnFault] = field(default_factory=list)
    calls: list[CallUse] = field(default_factory=list)
    doubtful_calls: list[CallUse] = field(default_factory=list)
    """Those of them that no function of the engine takes."""
    comparisons: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)
    """The two sides of each; of BETWEEN and IN each value with the operand."""
    grouping_faults: list[GroupingFault] = field(default_factory=list)
    forms: list[FormUse] = field(default_factory=list)
    type_faults: list[TypeFault] = field(default_factory=list)
    width_faults: list[WidthFault] = field(default_factory=list)
    ordinal_faults: list[OrdinalFault] = field(default_factory=list)
    aggregate_faults: list[AggregateFault] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    """Why grounding cannot be decided completely; empty: it can."""

    def add(self, other: Facts) -> None:
        """Take the facts about another part of the statement in."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))
