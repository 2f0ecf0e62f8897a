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


@dataclass(slots=True)
class ColumnUse:
    """A column reference that was resolved."""

    node: exp.Expr
    column: PreparedColumn


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


@dataclass(slots=True)
class Facts:
    """Everything one walk over a statement found."""

    tables: list[TableUse] = field(default_factory=list)
    columns: list[ColumnUse] = field(default_factory=list)
    column_faults: list[ColumnFault] = field(default_factory=list)
    calls: list[CallUse] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    """Why grounding cannot be decided completely; empty: it can."""
