"""Which relations a statement reads, as the engine sees them: a CTE hides a table in its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYSTEM_SCHEMAS: Final = {
    "postgres": ("pg_", "information_schema"),
    "sqlite": ("temp",),
}
_SYSTEM_NAMES: Final = {
    "postgres": ("pg_",),
    "sqlite": ("sqlite_", "pragma_", "dbstat", "bytecode", "tables_used", "fsdir", "fts"),
}
"""How names of the engine's own relations begin."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view by name, lower case; `schema` is empty where none is written."""

    schema: str
    name: str

    @property
    def written(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def is_among(self, tables: frozenset[str]) -> bool:
        """Say whether a list of allowed tables names it."""
        return self.written in tables


def relations_in(tree: exp.Expr) -> Iterator[Relation]:
    """Yield the relations of a statement that are not CTEs where they stand."""
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) or not table.name:
            continue
        relation = Relation(schema=table.text("db").lower(), name=table.name.lower())
        if relation.schema or relation.name not in _visible_ctes(table):
            yield relation


def is_system_relation(relation: Relation, dialect: str) -> bool:
    """Say whether a relation is the engine's own: catalogue, statistics, settings."""
    if relation.schema:
        prefixes = _SYSTEM_SCHEMAS.get(dialect, ())
        if relation.schema.startswith(prefixes):
            return True
    return relation.name.startswith(_SYSTEM_NAMES.get(dialect, ()))


def _visible_ctes(node: exp.Expr) -> set[str]:
    """Return the names of CTEs in scope at a node, lower case.

    Inside a WITH a CTE sees those before it; under RECURSIVE it sees itself and all others.
    """
    names: set[str] = set()
    child, parent = node, node.parent
    while parent is not None:
        if isinstance(parent, exp.With):
            ctes = parent.expressions
            seen = ctes if parent.args.get("recursive") else ctes[: _index(ctes, child)]
            names.update(cte.alias.lower() for cte in seen)
        else:
            clause = parent.args.get("with_")
            if clause is not None and clause is not child:
                names.update(cte.alias.lower() for cte in clause.expressions)
        child, parent = parent, parent.parent
    return names


def _index(ctes: list[exp.Expr], wanted: exp.Expr) -> int:
    return next(index for index, cte in enumerate(ctes) if cte is wanted)
