"""What we know of a database: tables, columns, keys, and what is not known about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the catalogue of the database names it. `None` always means: not known."""

    name: str
    type: str | None = None
    """The type as written in the DDL, e.g. `numeric(10,2)`."""
    nullable: bool | None = None
    unique: bool = False
    """Unique by itself (a key of several columns is in `Table.unique_keys`)."""
    primary_key: bool = False
    """Part of the primary key."""
    default: str | None = None
    """The default expression, as SQL."""
    description: str | None = None
    sample_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that refer to another table."""

    columns: tuple[str, ...]
    table: str
    """The referenced table, with its namespace where it was written (`sales.orders`)."""
    referenced_columns: tuple[str, ...] = ()
    """Empty: the primary key of the referenced table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view."""

    name: str
    columns: tuple[Column, ...]
    db: str | None = None
    """The namespace the table lies in (PostgreSQL: schema), if known."""
    catalog: str | None = None
    primary_key: tuple[str, ...] | None = None
    """`None`: keys are not known; `()`: known to have none."""
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    kind: str = "table"
    """`table` or `view`."""
    description: str | None = None


@dataclass(frozen=True)
class Schema:
    """The tables of one database in one dialect: immutable, hashed by content."""

    tables: tuple[Table, ...]
    dialect: str | None = None
    """sqlglot's name of the dialect."""
    functions: tuple[str, ...] = ()
    """Functions the user declared beside those of the engine (UDFs)."""
    extensions: tuple[str, ...] = ()
    """Extensions installed in the database (`postgis`, `pg_trgm`, …)."""
    search_path: tuple[str, ...] = ()
    """Namespaces that an unqualified name is looked up in, if declared."""

    @cached_property
    def version(self) -> str:
        """The content hash of the schema, 16 hex digits."""
        raise NotImplementedError

    def __hash__(self) -> int:
        """Hash by content version."""
        return hash(self.version)

    @classmethod
    def from_ddl(cls, ddl: str, *, dialect: str) -> Schema:
        """Read a schema from a script; statements that are not DDL are passed over."""
        raise NotImplementedError

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, Mapping[str, str] | Iterable[str]], *, dialect: str | None = None
    ) -> Schema:
        """Read `{table: {column: type}}` or `{table: [columns]}`."""
        raise NotImplementedError
