"""The state of one walk over a statement: what it may look up, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.check.analysis.facts import Facts

if TYPE_CHECKING:
    from sqlglot import exp

    from sqlobs.check.prepared import PreparedSchema
    from sqlobs.check.traits import Traits
    from sqlobs.schema.identifiers import IdentifierRules


@dataclass(slots=True)
class Walk:
    """Made anew for each check: nothing is shared between calls."""

    sql: str
    traits: Traits
    names: IdentifierRules
    schema: PreparedSchema | None
    """None: no schema was given, every table is taken as it comes."""
    facts: Facts = field(default_factory=Facts)

    def column_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a column's name."""
        return self.names.column_key(identifier.name, quoted=_is_quoted(identifier))

    def table_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a table's name."""
        return self.names.table_key(identifier.name, quoted=_is_quoted(identifier))

    def alias_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a relation's alias, or of a qualifier."""
        if self.traits.alias_ignores_case:
            return identifier.name.lower()
        return self.names.table_key(identifier.name, quoted=_is_quoted(identifier))

    def kept_name(self, identifier: exp.Expr) -> str:
        """Return a column's name as the engine keeps it: folded where the engine folds."""
        return self.names.stored(identifier.name, quoted=_is_quoted(identifier))

    def output_key(self, name: str) -> str:
        """Return the folded form of a name that is already as the engine keeps it."""
        return self.names.column_key(name)

    def is_double_quoted(self, identifier: exp.Expr) -> bool:
        """Say whether an identifier was written as `"x"`, not as `[x]` or with backticks."""
        start = identifier.meta.get("start") if identifier.args.get("quoted") else None
        return start is not None and self.sql[start : start + 1] == '"'


def _is_quoted(identifier: exp.Expr) -> bool:
    return bool(identifier.args.get("quoted"))
