"""Identifiers as the engine compares them: the keys of columns, tables, CTEs and aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.engine.engine_context import MOST_KNOWN

if TYPE_CHECKING:
    from sqlglot import exp

    from sqlobs.check.engine.engine_context import EngineContext
    from sqlobs.dialects.identifiers import Folding


class IdentifierKeys:
    """Folds the identifiers of one statement, and collects those that are reserved words."""

    __slots__ = (
        "_aliases",
        "_columns",
        "_ctes_ignore_case",
        "_known_aliases",
        "_known_columns",
        "_known_tables",
        "_reserved",
        "_stored",
        "_tables",
        "output_key",
        "reserved_names",
    )

    def __init__(self, context: EngineContext) -> None:
        self._columns, self._known_columns = context.column_folding, context.known_columns
        self._tables, self._known_tables = context.table_folding, context.known_tables
        self._aliases, self._known_aliases = context.alias_folding, context.known_aliases
        self._ctes_ignore_case = context.traits.ctes_ignore_case
        self._stored, self._reserved = context.stored, context.knowledge.reserved
        self.output_key = context.column_folding.quoted
        """Returns the folded form of a column's name that is already as the engine keeps it."""
        self.reserved_names: list[exp.Expr] = []
        """Names without quotes that are reserved words, in some place at least."""

    # Three copies of one lookup: another call would slow down each identifier of a statement.
    def column_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a column's name."""
        args = identifier.args
        known = self._known_columns.get(args.get("this"))
        if known is None or args.get("quoted"):
            return self._folded(identifier, self._columns, self._known_columns)
        return known

    def table_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a table's name."""
        args = identifier.args
        known = self._known_tables.get(args.get("this"))
        if known is None or args.get("quoted"):
            return self._folded(identifier, self._tables, self._known_tables)
        return known

    def cte_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of the name of a CTE."""
        key = self.table_key(identifier)
        return key.lower() if self._ctes_ignore_case else key

    def alias_key(self, identifier: exp.Expr) -> str:
        """Return the folded form of a relation's alias, or of a qualifier."""
        args = identifier.args
        known = self._known_aliases.get(args.get("this"))
        if known is None or args.get("quoted"):
            return self._folded(identifier, self._aliases, self._known_aliases)
        return known

    def _folded(self, identifier: exp.Expr, folding: Folding, known: dict[object, str]) -> str:
        """Fold a name; one without quotes that is no reserved word is known from then on."""
        name = identifier.name  # of `? -> id`, what looks like a lambda, the parameter is no text
        if identifier.args.get("quoted"):
            return folding.quoted(name)
        folded = folding.plain(name)
        if name.upper() in self._reserved:
            self.reserved_names.append(identifier)
        elif len(known) < MOST_KNOWN:
            known[name] = folded
        return folded

    def kept_name(self, identifier: exp.Expr) -> str:
        """Return a column's name as the engine keeps it: folded where the engine folds."""
        name = identifier.name
        return name if identifier.args.get("quoted") else self._stored(name)
