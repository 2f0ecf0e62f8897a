"""A schema from what dbt writes: `manifest.json`, and `catalog.json` with what the database has.

Tests of the project tell keys: `unique`, `not_null`, `relationships`; `accepted_values` samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_name, dialect_of, identifier_rules
from sqlobs.errors import SchemaError
from sqlobs.schema.content import Column, ForeignKey, SchemaContent, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.dialects.identifiers import IdentifierRules

Node = Mapping[str, object]

_RELATIONS: Final = frozenset({"model", "seed", "snapshot", "source"})
_REFERENCE: Final = re.compile(
    r"(?:ref|source)\(.*?['\"]([^'\"]+)['\"]\s*(?:,\s*v(?:ersion)?=.*)?\)$"
)


def read_manifest(manifest: str | bytes, *, catalog: str | bytes | None = None) -> SchemaContent:
    """Read the relations of a dbt project.

    Args:
        manifest: The content of `target/manifest.json`.
        catalog: The content of `target/catalog.json` (`dbt docs generate`): columns and types as
            the database has them. Without it the documented columns count as all of them, and a
            relation without any as one whose columns are unknown.

    Raises:
        SchemaError: A text is no such document.
        DialectError: The project's adapter is of no known dialect.
    """
    content = _document(manifest, "manifest", "nodes")
    metadata = _mapping(content.get("metadata"))
    dialect = dialect_name(str(metadata.get("adapter_type") or ""))
    rules = identifier_rules(dialect)
    found = _mapping(_document(catalog, "catalog", "nodes")) if catalog is not None else {}
    resolution = dialect_of(dialect).resolution
    reads_fields = resolution is not None and resolution.fields_by_dot
    reader = _Project(content, found, rules, _facts_of_tests(content), reads_fields)
    return SchemaContent(tuple(reader.tables()), dialect=dialect)


@dataclass(slots=True)
class _Facts:
    """What the tests of a project say about one relation, by lower-case column."""

    unique: set[str] = field(default_factory=set)
    not_null: set[str] = field(default_factory=set)
    samples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    references: list[tuple[str, str, str]] = field(default_factory=list)
    """Column, relation referred to, its column."""


@dataclass(frozen=True, slots=True)
class _Project:
    """The nodes of a manifest, beside those of a catalog."""

    manifest: Node
    catalog: Node
    rules: IdentifierRules
    facts: Mapping[str, _Facts]
    reads_fields: bool
    """`a.b` is a field of the column `a`, for the engine as for dbt."""

    def tables(self) -> Iterator[Table]:
        """Yield the relations that exist in the database."""
        for group in ("nodes", "sources"):
            described = _mapping(self.catalog.get(group))
            for key, value in _mapping(self.manifest.get(group)).items():
                node = _mapping(value)
                config = _mapping(node.get("config"))
                if node.get("resource_type") not in _RELATIONS:
                    continue
                if config.get("materialized") != "ephemeral":
                    yield self._table(key, node, _mapping(described.get(key)))

    def _table(self, key: str, node: Node, live: Node) -> Table:
        facts = self.facts.get(key, _Facts())
        documented = {name.lower(): _mapping(value) for name, value in _columns(node)}
        columns = [self._live_column(name, value, documented) for name, value in _columns(live)]
        if not columns:
            columns = [self._documented_column(name, value) for name, value in _columns(node)]
        if self.reads_fields and not self.rules.nested_by_dot:
            columns = _with_fields(columns)
        spelling = {column.name.lower(): column.name for column in columns}
        metadata = _mapping(live.get("metadata"))
        name = str(node.get("identifier") or node.get("alias") or node.get("name") or "")
        kinds = (str(_mapping(node.get("config")).get("materialized")), str(metadata.get("type")))
        return Table(
            str(metadata.get("name") or self._relation(name)),
            tuple(_with_facts(column, facts) for column in columns),
            db=_optional(metadata.get("schema") or self._relation(_text(node, "schema"))),
            catalog=_optional(metadata.get("database") or self._relation(_text(node, "database"))),
            primary_key=_primary_key(node, spelling),
            foreign_keys=tuple(
                ForeignKey((spelling.get(own.lower(), own),), self._relation(to), (other,))
                for own, to, other in facts.references
            ),
            kind="view" if any("view" in kind.lower() for kind in kinds) else "table",
            description=_optional(node.get("description")),
        )

    def _relation(self, name: str) -> str:
        """Return a relation's name as dbt makes it: quoted, but on Snowflake and Oracle."""
        return self.rules.stored(name, quoted=self.rules.unquoted != "upper")

    def _documented_column(self, name: str, value: object) -> Column:
        column = _mapping(value)
        stored = self.rules.stored(name, quoted=bool(column.get("quote")))
        described = _optional(column.get("description"))
        return Column(stored, _optional(column.get("data_type")), description=described)

    @staticmethod
    def _live_column(name: str, value: object, documented: Mapping[str, Node]) -> Column:
        column, own = _mapping(value), documented.get(name.lower(), {})
        description = own.get("description") or column.get("comment")
        return Column(name, _optional(column.get("type")), description=_optional(description))


def _with_fields(columns: list[Column]) -> list[Column]:
    """Return the columns with those that are named like fields (`customer.name`) inside theirs.

    A column whose type does not list its fields gets it from theirs, if all of them have one.
    """
    found = {column.name: column for column in columns if "." not in column.name}
    nested: dict[str, list[Column]] = {}
    for column in columns:
        root, dot, path = column.name.partition(".")
        if dot:
            found.setdefault(root, Column(root))
            nested.setdefault(root, []).append(replace(column, name=path))
    for root, fields in nested.items():
        column = found[root]
        known = column.declared_type
        described = [(one.name, one.description) for one in fields if one.description]
        if known is None or known.structure is None:
            column = replace(column, type=_structure(column.type, fields))
        found[root] = replace(column, field_descriptions=tuple(described))
    return list(found.values())


def _structure(own: str | None, fields: list[Column]) -> str | None:
    """Return the type of a column with these fields; None: a field has no type.

    As in dbt, the column's own type tells whether it is an array of structures.
    """
    inner = _with_fields(fields)
    if not all(one.type for one in inner):
        return None
    listed = ", ".join(f"{one.name} {one.type}" for one in inner)
    is_list = (own or "").lower().startswith("array")
    return f"ARRAY<STRUCT<{listed}>>" if is_list else f"STRUCT<{listed}>"


def _with_facts(column: Column, facts: _Facts) -> Column:
    name = column.name.lower()
    return replace(
        column,
        unique=name in facts.unique,
        nullable=False if name in facts.not_null else None,
        sample_values=facts.samples.get(name, ()),
    )


def _primary_key(node: Node, spelling: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the key that a constraint of the model or of a column declares; None if none does."""
    for constraint in map(_mapping, _list(node.get("constraints"))):
        if constraint.get("type") == "primary_key" and constraint.get("columns"):
            names = map(str, _list(constraint.get("columns")))
            return tuple(spelling.get(name.lower(), name) for name in names)
    own = tuple(
        spelling.get(name.lower(), name)
        for name, column in _columns(node)
        for constraint in map(_mapping, _list(_mapping(column).get("constraints")))
        if constraint.get("type") == "primary_key"
    )
    return own or None


def _facts_of_tests(manifest: Node) -> dict[str, _Facts]:
    found: dict[str, _Facts] = {}
    for value in _mapping(manifest.get("nodes")).values():
        node = _mapping(value)
        test = _mapping(node.get("test_metadata"))
        if node.get("resource_type") == "test" and test:
            facts = found.setdefault(_tested(node), _Facts())
            _add_fact(facts, str(test.get("name")), _mapping(test.get("kwargs")))
    return found


def _tested(node: Node) -> str:
    """Return the relation a test is about: the one it is attached to, else the last it needs."""
    needed = _list(_mapping(node.get("depends_on")).get("nodes"))
    return str(node.get("attached_node") or (needed[-1] if needed else ""))


def _add_fact(facts: _Facts, test: str, arguments: Node) -> None:
    own = str(arguments.get("column_name") or "").strip('"`').lower()
    values = _mapping(arguments.get("arguments")) or arguments
    if not own:
        return
    if test == "unique":
        facts.unique.add(own)
    elif test == "not_null":
        facts.not_null.add(own)
    elif test == "accepted_values":
        facts.samples[own] = tuple(map(str, _list(values.get("values"))))
    elif test == "relationships":
        reference = _REFERENCE.search(str(values.get("to") or "").strip())
        if reference:
            facts.references.append((own, reference[1], str(values.get("field") or "")))


def _document(text: str | bytes, name: str, key: str) -> Node:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"the dbt {name} is not JSON: {error}.") from None
    if not isinstance(content, dict) or not isinstance(content.get(key), dict):
        raise SchemaError(f'the dbt {name} does not have the key "{key}".')
    return content


def _columns(node: Node) -> list[tuple[str, object]]:
    columns = _mapping(node.get("columns"))
    return [(str(_mapping(value).get("name") or name), value) for name, value in columns.items()]


def _mapping(value: object) -> Node:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(node: Node, name: str) -> str:
    return str(node.get(name) or "")


def _optional(value: object) -> str | None:
    return str(value) if value else None
