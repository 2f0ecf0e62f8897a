"""A schema made ready for one profile: indexed by folded names, immutable, built once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.check.traits import names_of
from sqlobs.check.types.systems import types_of

if TYPE_CHECKING:
    from sqlobs.check.profile import Profile
    from sqlobs.check.types.system import TypeSystem
    from sqlobs.schema.identifiers import IdentifierRules
    from sqlobs.schema.model import Schema, Table


@dataclass(frozen=True, slots=True)
class PreparedColumn:
    """A column, with the relation it belongs to."""

    name: str
    """As the schema spells it; empty for a nameless output."""
    owner: str | None
    """The table as the schema spells it; None for a derived column."""
    type: str | None = None
    """In the engine's own name of it; None: not known."""


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """A table with its columns by folded name."""

    name: str
    columns: dict[str, PreparedColumn]
    key: frozenset[str] | None
    """The folded columns of the primary key; None: keys are not known."""
    db: str | None = None


class PreparedSchema:
    """What the resolver looks names up in. Holds no reference to the `Schema` it came from."""

    __slots__ = (
        "columns",
        "has_keys",
        "has_types",
        "names",
        "qualified",
        "tables",
        "types",
        "version",
    )

    def __init__(self, schema: Schema, *, names: IdentifierRules, types: TypeSystem | None) -> None:
        self.version = schema.version
        self.names = names
        self.types = types
        self.tables: dict[str, PreparedTable] = {}
        """By folded name; of several namespaces the first of the search path."""
        self.qualified: dict[tuple[str, str], PreparedTable] = {}
        """By folded namespace and name."""
        self.columns: dict[str, tuple[str, ...]] = {}
        """Folded column to the tables that have it."""
        self.has_types = any(column.type for table in schema.tables for column in table.columns)
        self.has_keys = any(table.primary_key is not None for table in schema.tables)
        self._index(schema)

    def _index(self, schema: Schema) -> None:
        owners: dict[str, list[str]] = {}
        for table in _by_search_path(schema):
            prepared = _prepare_table(table, self.names, self.types)
            name = self.names.table_key(table.name)
            self.tables.setdefault(name, prepared)
            if table.db is not None:
                namespace = self.names.table_key(table.db)
                self.qualified[namespace, name] = prepared
            for column in prepared.columns:
                owners.setdefault(column, []).append(table.name)
        self.columns = {column: tuple(tables) for column, tables in owners.items()}

    def table(self, name: str, db: str | None) -> PreparedTable | None:
        """Return the table of a folded name, or None."""
        if db is not None and (found := self.qualified.get((db, name))):
            return found
        found = self.tables.get(name)
        if found is None or db is None or found.db is None:
            return found
        return None

    def knows(self, name: str) -> bool:
        """Say whether a table or column has this name in any case; nothing new is told by it."""
        spellings = {name, self.names.stored(name, quoted=False), name.lower()}
        return any(one in self.columns or one in self.tables for one in spellings)

    def knows_namespace(self, db: str) -> bool:
        """Say whether any table is declared in a namespace."""
        return not self.qualified or any(namespace == db for namespace, _ in self.qualified)


def _by_search_path(schema: Schema) -> list[Table]:
    places = {name: place for place, name in enumerate(schema.search_path)}
    return sorted(schema.tables, key=lambda table: places.get(table.db or "", len(places)))


def _prepare_table(table: Table, names: IdentifierRules, types: TypeSystem | None) -> PreparedTable:
    declared = types.declared if types is not None else lambda _: None
    columns = {
        names.column_key(column.name): PreparedColumn(
            column.name, table.name, declared(column.type)
        )
        for column in table.columns
    }
    key = table.primary_key
    folded = None if key is None else frozenset(map(names.column_key, key))
    return PreparedTable(table.name, columns, folded, table.db)


_CAPACITY: Final = 512
_lock = threading.Lock()  # guards the order of _prepared; a schema is built outside it
_prepared: OrderedDict[tuple[str, Profile], PreparedSchema] = OrderedDict()


def prepare(schema: Schema, profile: Profile) -> PreparedSchema:
    """Return the schema prepared for a profile; built at the first call, then kept."""
    key = (schema.version, profile)
    with _lock:
        if found := _prepared.get(key):
            _prepared.move_to_end(key)
            return found
    built = PreparedSchema(schema, names=names_of(profile), types=types_of(profile))
    with _lock:
        _prepared[key] = built
        while len(_prepared) > _CAPACITY:
            _prepared.popitem(last=False)
    return built


def is_prepared(schema: Schema, profile: Profile) -> bool:
    """Say whether `prepare` would return at once."""
    return (schema.version, profile) in _prepared
