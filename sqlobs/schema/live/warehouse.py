"""A schema from the system catalog of a warehouse, by the query that its users run in a console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.dialects.documents import columns_query
from sqlobs.dialects.registry import by_sqlalchemy
from sqlobs.errors import SchemaUnavailableError
from sqlobs.schema.content import SchemaContent
from sqlobs.schema.exported import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection

    from sqlobs.dialects.base import Dialect

_NAMESPACE: Final = "my_dataset"
"""Where a query is written for one namespace: BigQuery has a system catalog in each dataset."""


def read_warehouse(connection: Connection, namespaces: list[str] | None) -> SchemaContent | None:
    """Read the columns of a warehouse; None: the engine is none.

    Args:
        connection: An open connection.
        namespaces: The namespaces to read; without them that of the URL, or all if it has none.

    Raises:
        SchemaUnavailableError: BigQuery's URL names no dataset, and no namespace is given.
    """
    known = by_sqlalchemy(connection.dialect.name)
    query = None if known is None else columns_query(known.name)
    if known is None or query is None:
        return None
    in_each = _NAMESPACE in query
    own = connection.engine.url.database if in_each else connection.dialect.default_schema_name
    wanted = namespaces or ([own] if own else [])
    rows = list(_rows(connection, query, wanted, known))
    return read_rows(rows, dialect=known.name) if rows else SchemaContent((), dialect=known.name)


def _rows(
    connection: Connection, query: str, wanted: list[str], known: Dialect
) -> Iterator[Mapping[str, object]]:
    if _NAMESPACE not in query:
        names = {name.lower() for name in wanted}  # drivers write Snowflake's in lower case
        for row in _selected(connection, query):
            if not names or str(row.get("table_schema")).lower() in names:
                yield row
        return
    if not wanted:
        raise SchemaUnavailableError(
            "the URL names no dataset: write bigquery://project/dataset, or give namespaces."
        )
    for namespace in wanted:
        yield from _selected(connection, query.replace(_NAMESPACE, known.quoted(namespace)))


def _selected(connection: Connection, query: str) -> Iterator[Mapping[str, object]]:
    """Yield rows with names in lower case."""
    found = connection.exec_driver_sql(query)
    names = [str(name).lower() for name in found.keys()]  # noqa: SIM118 - no mapping
    for row in found:
        yield dict(zip(names, row, strict=True))
