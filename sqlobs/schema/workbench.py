"""A schema under construction: what the statements of a script have made so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.content import SchemaContent, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.dialects.identifiers import IdentifierRules


@dataclass(frozen=True, slots=True)
class Path:
    """The full name of a table: with namespace and catalog."""

    name: str
    db: str | None = None
    catalog: str | None = None


@dataclass(slots=True)
class Workbench:
    """The tables and names of a script, changed statement by statement."""

    dialect: str
    rules: IdentifierRules
    namespace: str | None = None
    """The namespace in which an unqualified CREATE TABLE lands, if the script set one."""
    search_path: tuple[str, ...] = ()
    functions: dict[str, None] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of enums; two enums with the same name share one entry."""
    extensions: dict[str, None] = field(default_factory=dict)
    _tables: dict[Path, Table] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)
    """The last path of each unqualified name, by its key."""

    def schema(self) -> SchemaContent:
        """Return what has been built."""
        return SchemaContent(
            tuple(self._tables.values()),
            dialect=self.dialect,
            functions=tuple(self.functions),
            types=tuple(self.types),
            enums=tuple((name, *values) for name, values in self.enums.items()),
            extensions=tuple(self.extensions),
            search_path=self.search_path,
        )

    def new_path(self, parts: Sequence[str]) -> Path:
        """Return where `CREATE TABLE {parts}` puts its table."""
        name, db, catalog = (*reversed(parts), None, None)[:3]
        if db is not None and db == dialect_of(self.dialect).definitions.default_namespace:
            db = None  # the database itself: its tables are as often written without it
        return Path(name or "", db or self.namespace, catalog)

    def add_values(self, enum: str, values: Iterable[str]) -> None:
        """Add values to an enum; at the first call it is made."""
        self.enums[enum] = (*self.enums.get(enum, ()), *values)

    def put(self, table: Table) -> None:
        """Add a table, in place of one of the same name."""
        path = Path(table.name, table.db, table.catalog)
        old = self._path_of(path)
        if old is not None and old != path:
            self._tables.pop(old, None)
        self._tables[path] = table
        self._paths[self._key(path)] = path
        self._paths[self.rules.table_key(table.name)] = path

    def find(self, parts: Sequence[str]) -> Table | None:
        """Return the table of a name as a statement writes it."""
        path = self._path_of(self.new_path(parts))
        if path is None and len(parts) == 1:
            path = self._paths.get(self.rules.table_key(parts[0]))
        return self._tables.get(path) if path else None

    def drop(self, parts: Sequence[str]) -> None:
        """Forget a table; one that is not there is passed over."""
        if table := self.find(parts):
            del self._tables[Path(table.name, table.db, table.catalog)]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables in the order of their making."""
        return tuple(self._tables.values())

    def _path_of(self, path: Path) -> Path | None:
        known = self._paths.get(self._key(path))
        return known if known in self._tables else None

    def _key(self, path: Path) -> str:
        parts = (path.catalog, path.db, path.name)
        return ".".join(self.rules.table_key(part) if part else "" for part in parts)
