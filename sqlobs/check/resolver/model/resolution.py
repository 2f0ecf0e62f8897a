"""What the resolver learns about a statement, as data for the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedTable
from sqlobs.check.forms.form import Form

if TYPE_CHECKING:
    from sqlobs.check.resolver.model.scope import Relation, Scope

ColumnProblem = Literal["unknown", "misplaced", "no_source", "ambiguous", "merged"]
"""In no relation of the scope; not in the relation it names; its qualifier names no relation;
in several relations; merged by a join, so that no qualifier may name it."""
MisplacedKind = Literal["aggregate", "window", "scalar", "set-returning"]


@dataclass(slots=True)
class TableUse:
    """A name in FROM that means a stored table."""

    node: exp.Table
    name: exp.Expr
    table: PreparedTable | None
    """None: the schema does not have it."""
    is_system: bool = False
    """A table of the engine's own, which no schema lists."""
    foreign_namespace: bool = False
    """In a namespace that the schema says nothing about."""


@dataclass(slots=True)
class ColumnUse:
    """A column reference that was resolved."""

    node: exp.Expr
    column: PreparedColumn
    relation: Relation
    level: Scope
    """The query that the column belongs to: the one around, or one further out."""
    path: str = ""
    """The fields that are read of it, each with a dot before it."""


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
class WordUse:
    """A word in double quotes that names no column, so that the engine reads it as a string."""

    identifier: exp.Expr
    scope: Scope
    relations: tuple[Relation, ...] = ()


@dataclass(slots=True)
class CallUse:
    """A function call as written."""

    node: exp.Expr
    name: str
    arguments: int
    qualified: bool = False
    """Written with a namespace: another one than the engine's may be meant."""

    @property
    def full_name(self) -> str:
        """The name with its namespace (`dbms_lob.getlength`)."""
        dot = self.node.parent
        return f"{dot.this.sql()}.{self.name}" if isinstance(dot, exp.Dot) else self.name


@dataclass(slots=True)
class AggregateFault:
    """An aggregate, a window function or a set-returning one where none is allowed."""

    node: exp.Expr
    name: str
    kind: MisplacedKind
    place: str
    """The clause, as SQL names it."""


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
    name: str | None = None
    """The function that does not accept them; None: they are no arguments of a call."""


@dataclass(slots=True)
class FormUse:
    """A form that some engines reject."""

    node: exp.Expr
    form: Form


@dataclass(slots=True)
class WidthFault:
    """A query whose number of columns does not fit its place."""

    node: exp.Expr
    width: int
    expected: int


@dataclass(slots=True)
class OrdinalFault:
    """A position in GROUP BY or ORDER BY that no item of the list has."""

    node: exp.Expr
    position: str
    width: int


@dataclass(slots=True, eq=False)
class Resolution:
    """What the resolver found in one statement, by kind."""

    tables: list[TableUse] = field(default_factory=list)
    unlisted_tables: list[TableUse] = field(default_factory=list)
    """Those of them that the schema does not have."""
    columns: list[ColumnUse] = field(default_factory=list)
    selects: list[Scope] = field(default_factory=list)
    column_faults: list[ColumnFault] = field(default_factory=list)
    calls: list[CallUse] = field(default_factory=list)
    doubtful_calls: list[CallUse] = field(default_factory=list)
    """Those of them that fit no function of the engine."""
    comparisons: list[tuple[exp.Expr, exp.Expr]] = field(default_factory=list)
    """The two sides of each; of BETWEEN and IN each value with the operand."""
    grouping_faults: list[GroupingFault] = field(default_factory=list)
    forms: list[FormUse] = field(default_factory=list)
    type_faults: list[TypeFault] = field(default_factory=list)
    width_faults: list[WidthFault] = field(default_factory=list)
    ordinal_faults: list[OrdinalFault] = field(default_factory=list)
    quoted_words: list[WordUse] = field(default_factory=list)
    aggregate_faults: list[AggregateFault] = field(default_factory=list)
    unread: list[exp.Expr] = field(default_factory=list)
    """CTEs that nothing references and the engine ignores."""
    undecided: list[str] = field(default_factory=list)
    """What keeps grounding from being decided: views without columns, namespaces, keys."""

    def add(self, other: Resolution) -> None:
        """Add what was found in another part of the statement."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))
