"""What is known of a database, as plain values: tables, columns, keys.

Every reader (DDL, mappings, documents, dbt, live databases) returns a `SchemaContent`;
`sqlobs.schema.model.Schema` is the same content with checks, look-ups and constructors.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlobs.schema.declared_type import DeclaredType, declared_type


@dataclass(frozen=True, slots=True)
class Column:
    """A column spelled as in the system catalog. `None` always means: not known."""

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
    generated: bool = False
    """Computed from other columns by the engine: no statement gives it a value."""
    hidden: bool = False
    """Given by its name alone, by no star: the `rank` of a full-text table."""
    description: str | None = None
    sample_values: tuple[str, ...] = ()
    field_descriptions: tuple[tuple[str, str], ...] = ()
    """Nested fields, each its path in the column and its description: `("address.city", "…")`."""

    @property
    def declared_type(self) -> DeclaredType | None:
        """The tree of the type: fields of structures, items of lists; None: it is not known."""
        return declared_type(self.type) if self.type else None


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
    """`()`: not known, e.g. of a view whose query could not be followed."""
    db: str | None = None
    """The namespace of the table (PostgreSQL: schema), if known."""
    catalog: str | None = None
    primary_key: tuple[str, ...] | None = None
    """`None`: keys are unknown; `()`: known to have none."""
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    kind: str = "table"
    """`table` or `view`."""
    description: str | None = None
    engine: str | None = None
    """The storage engine that ClickHouse's DDL names (`ReplacingMergeTree`), if known."""
    sampled: bool = False
    """The DDL gives the table a sampling key (`SAMPLE BY`)."""

    @property
    def full_name(self) -> str:
        """The name with its namespace and catalog, as far as known (`sales.orders`)."""
        return ".".join(part for part in (self.catalog, self.db, self.name) if part)

    def column(self, name: str) -> Column | None:
        """Return the column of exactly this name."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class SchemaContent:
    """The tables of one database in one dialect, as a reader found them.

    Names are spelled as in the system catalog: `CREATE TABLE Orders` makes `orders` in PostgreSQL.
    """

    tables: tuple[Table, ...]
    dialect: str | None = None
    """sqlglot's name of the dialect."""
    functions: tuple[str, ...] = ()
    """Functions the user declared beside those of the engine (UDFs)."""
    extensions: tuple[str, ...] = ()
    """Extensions installed in the database (`postgis`, `pg_trgm`, …)."""
    search_path: tuple[str, ...] = ()
    """Namespaces that an unqualified name is looked up in, if declared."""
    types: tuple[str, ...] = ()
    """Types the user declared beside those of the engine (enums, domains)."""
    enums: tuple[tuple[str, ...], ...] = ()
    """Of these, the enums whose values are known: each its name, then its values."""
    engine_version: str | None = None
    """The version of the engine, as `Profile.version` has it (`16`, `mariadb-10.11`), if known."""
