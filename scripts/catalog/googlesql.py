"""Asks Google's GoogleSQL analyzer, configured as BigQuery, about statements over a schema.

Needs the package `zetasql` (extra `bigquery-native`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one
from zetasql.core.exceptions import ServerError
from zetasql.wasi._pb2.zetasql.public import type_pb2

from sqlobs.execution.analyzers import googlesql
from sqlobs.execution.analyzers.googlesql import KINDS, VERSION, add_table, fill

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["KINDS", "VERSION", "GoogleSql", "fill", "shown"]

_NAMES = {f"TYPE_{kind}": name for name, kind in KINDS.items()}


class GoogleSql(googlesql.GoogleSql):
    """Databases without rows, and what the analyzer says of statements over them."""

    def __init__(self, listed: Collection[str] | None = None) -> None:
        """Start without databases; of the functions, only the listed ones are known."""
        super().__init__()
        self._databases: dict[str, int] = {}
        self._hidden = [] if listed is None else self.unlisted(listed)

    def prepare(self, name: str, ddl: list[str], custom: tuple[Any, ...] = ()) -> None:
        """Make an empty database of a name."""
        root = self.root()
        root.builtin_function_options.exclude_function_ids.extend(self._hidden)
        root.custom_function.extend(custom)
        namespaces: dict[tuple[str, ...], Any] = {(): root}
        for statement in ddl:
            definition = parse_one(statement, dialect="bigquery").this
            path = [part for name in definition.this.parts for part in name.name.split(".")]
            columns = [one for one in definition.expressions if isinstance(one, exp.ColumnDef)]
            add_table(namespaces, path, [(one.name, one.args["kind"]) for one in columns])
        self._databases[name] = self.register(root)

    def type_of(self, name: str, query: str) -> str | None:
        """Return the type of a query's first column; None: the query is rejected."""
        try:
            answer = self.analyzed(self._databases[name], query)
        except ServerError:
            return None
        found = answer.resolved_statement.resolved_query_stmt_node
        return shown(found.output_column_list[0].column.type)

    def refusal(self, name: str, sql: str) -> str | None:
        """Return the analyzer's error; None: it accepts the statement."""
        try:
            self.analyzed(self._databases[name], sql)
        except ServerError as error:
            return str(error)
        return None

    def close(self) -> None:
        """End."""


def shown(kind: Any) -> str:
    """Return the name that the catalog gives a type."""
    word = type_pb2.TypeKind.Name(kind.type_kind)
    if word == "TYPE_ARRAY":
        return f"{shown(kind.array_type.element_type)}[]"
    if word == "TYPE_STRUCT":
        fields = (f"{one.field_name} {shown(one.field_type)}" for one in kind.struct_type.field)
        return f"STRUCT({', '.join(fields)})"
    return _NAMES.get(word, word.removeprefix("TYPE_"))
