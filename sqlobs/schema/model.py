"""The schema of a database: immutable, hashed by content, built by one constructor per source."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import identifier_rules
from sqlobs.errors import SchemaError
from sqlobs.schema.content import SchemaContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from sqlobs.dialects.identifiers import IdentifierRules
    from sqlobs.schema.content import Table


@dataclass(frozen=True, eq=False)
class Schema(SchemaContent):
    """The tables of one database in one dialect: immutable, hashed by content.

    Names are spelled as in the system catalog: `CREATE TABLE Orders` makes `orders` in PostgreSQL.
    """

    def __post_init__(self) -> None:
        """Reject two tables with the same name.

        Raises:
            SchemaError: Two tables have the same name in the same namespace.
        """
        if len(self._by_name) < len(self.tables):
            raise SchemaError(f"the schema has the table {self._duplicate()} twice.")

    @cached_property
    def version(self) -> str:
        """The hash of the whole content, 16 hex digits.

        Equal in every process and on every machine. The order of tables does not matter, the order
        of columns does: `SELECT *` shows it.
        """
        from sqlobs.schema.document import content_hash

        return content_hash(self)

    def __hash__(self) -> int:
        """Hash by content version."""
        return hash(self.version)

    def __eq__(self, other: object) -> bool:
        """Compare by content version."""
        return isinstance(other, Schema) and (self is other or self.version == other.version)

    @cached_property
    def rules(self) -> IdentifierRules:
        """How the dialect compares names."""
        return identifier_rules(self.dialect)

    def table(self, name: str, *, db: str | None = None) -> Table | None:
        """Return the table of a name, under the case rules of the dialect.

        Args:
            name: The table's name without its namespace, as the system catalog spells it.
            db: The namespace; without it the first table of that name is returned.
        """
        key = self.rules.table_key
        for table in self._by_key.get(key(name), ()):
            if db is None or (table.db is not None and key(table.db) == key(db)):
                return table
        return None

    def render(self, tables: Iterable[str] | None = None) -> str:
        """Return the schema as DDL with descriptions and sample values, as models read it.

        Args:
            tables: Names of the tables to show, with or without namespace; all by default.

        Raises:
            SchemaError: One of `tables` is not in the schema.
        """
        from sqlobs.schema.rendering import render

        return render(self, tables=tables)

    def with_bird_descriptions(self, directory: str | PathLike[str]) -> Schema:
        """Return the schema with the texts of a BIRD `database_description` on its columns.

        Args:
            directory: The directory with one CSV file for each table.

        Raises:
            SchemaError: There is no such directory, or a file is of another form.
        """
        from pathlib import Path

        from sqlobs.schema.bird import describe

        return describe(self, Path(directory))

    def to_json(self) -> str:
        """Return the schema as a JSON document from which `from_json` makes an equal one."""
        from sqlobs.schema.document import to_json

        return to_json(self)

    @classmethod
    def from_ddl(cls, ddl: str, *, dialect: str) -> Schema:
        """Read a schema from a script; statements that are not DDL are skipped.

        Published scripts may be given as they are: dumps with rows, client commands, settings.

        Args:
            ddl: The script.
            dialect: The dialect it is written in, in any usual spelling.

        Raises:
            SchemaError: A CREATE TABLE cannot be read (the message names its line and table), or
                the script defines nothing.
            DialectError: The dialect is unknown.

        >>> Schema.from_ddl("CREATE TABLE orders (id int)", dialect="postgres").tables[0].name
        'orders'
        """
        from sqlobs.schema.ddl import read_ddl

        return cls._of(read_ddl(ddl, dialect=dialect))

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, Mapping[str, str | None] | Iterable[str]],
        *,
        dialect: str | None = None,
    ) -> Schema:
        """Read `{table: {column: type}}` or `{table: [columns]}`; keys stay unknown.

        Args:
            mapping: Tables by name, `orders` or `sales.orders`, spelled as in the system catalog.
            dialect: The dialect, in any usual spelling.

        Raises:
            SchemaError: A table's columns are neither a mapping nor a list of names.
            DialectError: The dialect is unknown.
        """
        from sqlobs.schema.mapping import read_mapping

        return cls._of(read_mapping(mapping, dialect=dialect))

    @classmethod
    def from_json(cls, document: str | bytes) -> Schema:
        """Read a document that `to_json` wrote.

        Raises:
            SchemaError: The text is not a schema document; the message names the place.
        """
        from sqlobs.schema.document import read_json

        return cls._of(read_json(document))

    @classmethod
    def from_dbt_manifest(
        cls, manifest: str | bytes, *, catalog: str | bytes | None = None
    ) -> Schema:
        """Read the relations of a dbt project, with the keys that its tests declare.

        Args:
            manifest: The content of `target/manifest.json`.
            catalog: The content of `target/catalog.json`, for columns and types as the database
                has them; without it the documented columns count as all of them.

        Raises:
            SchemaError: A text is not such a document.
            DialectError: The project's adapter is of no known dialect.
        """
        from sqlobs.schema.dbt import read_manifest

        return cls._of(read_manifest(manifest, catalog=catalog))

    @classmethod
    def from_export(cls, text: str, *, dialect: str, table: str | None = None) -> Schema:
        """Read the columns that a warehouse's console exports; nested types are kept as written.

        Args:
            text: The rows of the query that `sqlobs schema query DIALECT` prints, as CSV with a
                header, a JSON array or JSON lines; or BigQuery's `bq show --format=prettyjson`,
                or a BigQuery schema file (`bq show --schema`).
            dialect: The dialect, in any usual spelling.
            table: The table of a BigQuery schema file, which does not name it: `shop.orders`.

        Raises:
            SchemaError: The text is none of these; the message names the row.
            DialectError: The dialect is unknown.
        """
        from sqlobs.schema.exported import read_export

        return cls._of(read_export(text, dialect=dialect, table=table))

    @classmethod
    def from_database(
        cls,
        url: str,
        *,
        namespaces: Iterable[str] | None = None,
        connect_args: Mapping[str, object] | None = None,
    ) -> Schema:
        """Read the system catalog of a live database.

        Args:
            url: SQLAlchemy's URL, `postgresql+psycopg://…`, `sqlite:///shop.db`, …
            namespaces: The namespaces (PostgreSQL: schemas) to read; the default one if not given.
            connect_args: Arguments of the driver's connection, such as credentials.

        Raises:
            SchemaUnavailableError: The database cannot be reached or read.
            MissingExtraError: SQLAlchemy or the driver is not installed.
        """
        from sqlobs.schema.live.reflection import read_database

        return cls._of(read_database(url, namespaces=namespaces, connect_args=connect_args))

    @classmethod
    def _of(cls, content: SchemaContent) -> Schema:
        return cls(**{field.name: getattr(content, field.name) for field in fields(content)})

    @cached_property
    def _by_name(self) -> dict[tuple[str | None, str | None, str], Table]:
        return {(table.catalog, table.db, table.name): table for table in self.tables}

    @cached_property
    def _by_key(self) -> dict[str, list[Table]]:
        found: dict[str, list[Table]] = {}
        for table in self.tables:
            found.setdefault(self.rules.table_key(table.name), []).append(table)
        return found

    def _duplicate(self) -> str:
        seen = set[str]()
        for table in self.tables:
            if table.full_name in seen:
                return table.full_name
            seen.add(table.full_name)
        return ""
