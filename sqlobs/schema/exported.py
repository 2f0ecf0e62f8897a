"""A schema from what a warehouse's console exports: the rows of one query on its system catalog.

`sqlobs schema query DIALECT` prints the query. The rows may be CSV with a header, a JSON array or
JSON lines; names of their columns are those of `information_schema.columns`, in any case.
BigQuery's own description of a table (`bq show --format=prettyjson`) is read, too, also several as
an array, and its schema files (`bq show --schema`), which do not name their table.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import dialect_and_version
from sqlobs.errors import SchemaError
from sqlobs.schema.content import Column, SchemaContent, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Row = Mapping[str, object]

_NEEDED: Final = ("table_name", "column_name")
_SIZED: Final = frozenset({"NUMBER", "NUMERIC", "DECIMAL"})
"""Types whose precision and scale some catalogs keep in columns of their own."""
_API_TYPES: Final = {"RECORD": "STRUCT", "FLOAT": "FLOAT64", "INTEGER": "INT64", "BOOLEAN": "BOOL"}
"""BigQuery's API names some types otherwise than its SQL."""


def is_export(text: str) -> bool:
    """Return whether a text looks like exported rows, or like BigQuery's description of a table."""
    start = text.lstrip()
    head = start.partition("\n")[0].lower()
    if start.startswith("{"):
        is_described = '"tablereference"' in text.lower() or _FIELDS.match(start) is not None
        return is_described or all(f'"{name}"' in head for name in _NEEDED)
    return start.startswith("[") or set(_NEEDED) <= {name.strip(' "') for name in head.split(",")}


def read_export(text: str, *, dialect: str, table: str | None = None) -> SchemaContent:
    """Read exported rows.

    Args:
        text: CSV with a header, a JSON array of objects, or JSON lines.
        dialect: The warehouse's dialect, in any usual spelling.
        table: The table of a BigQuery schema file, `orders` or `shop.orders`.

    Raises:
        SchemaError: The text is none of these, or a row names no table or column.
        DialectError: The dialect is unknown.
    """
    return read_rows(_parsed(text), dialect=dialect, table=table)


def read_rows(rows: Iterable[Row], *, dialect: str, table: str | None = None) -> SchemaContent:
    """Read the rows of the query on a system catalog; their columns have names in any case.

    Raises:
        SchemaError: A row names no table or column, or there is none.
        DialectError: The dialect is unknown.
    """
    name, version = dialect_and_version(dialect)
    tables: dict[_Place, Table] = {}
    columns: dict[_Place, dict[str, Column]] = {}
    described: dict[tuple[_Place, str], list[tuple[str, str]]] = {}
    for number, row in enumerate(_uniform(rows, table), start=1):
        if missing := [needed for needed in _NEEDED if not row.get(needed)]:
            raise SchemaError(f"row {number} has no {missing[0]}; {_HOW}")
        own, column, path = _table(row), _column(row), _text(row.get("field_path"))
        place = (own.catalog, own.db, own.name)
        tables.setdefault(place, own)
        if path is None or path == column.name:
            columns.setdefault(place, {})[column.name] = column
        elif column.description:
            inner = path.removeprefix(f"{column.name}.")
            described.setdefault((place, column.name), []).append((inner, column.description))
    if not tables:
        raise SchemaError(f"there are no rows; {_HOW}")
    found = (
        replace(
            own,
            columns=tuple(
                replace(one, field_descriptions=tuple(described.get((place, one.name), ())))
                for one in columns.get(place, {}).values()
            ),
        )
        for place, own in tables.items()
    )
    return SchemaContent(tuple(found), dialect=name, engine_version=version)


_Place = tuple[str | None, str | None, str]
_FIELDS: Final = re.compile(r'\{\s*"fields"\s*:\s*\[')
_HOW: Final = (
    "export the rows that `sqlobs schema query DIALECT` selects, as CSV with a header or as JSON."
)


def _uniform(rows: Iterable[Row], table: str | None) -> Iterator[Row]:
    """Yield rows in the order of their positions, with names in lower case."""
    found = [{str(name).lower(): value for name, value in row.items()} for row in rows]
    if found and all(_is_field(row) for row in found):
        yield from _rows_of_fields(found, table)
    elif any("tablereference" in row for row in found):
        for row in found:
            yield from _described(row)
    else:
        yield from sorted(found, key=_position)


def _is_field(row: Row) -> bool:
    return isinstance(row.get("name"), str) and isinstance(row.get("type"), str)


def _rows_of_fields(fields: Iterable[Row], table: str | None) -> Iterator[Row]:
    if not table:
        raise SchemaError("a BigQuery schema file does not name its table; give its name.")
    path = (*reversed(table.split(".")), None, None)
    place = {"tableId": path[0], "datasetId": path[1], "projectId": path[2]}
    yield from _described({"tablereference": place, "schema": {"fields": list(fields)}})


def _parsed(text: str) -> Sequence[Row]:
    start = text.lstrip()
    if not start.startswith(("[", "{")):
        return [row for row in csv.DictReader(io.StringIO(start)) if None not in row]
    try:
        found = _json(start)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"the export is not JSON ({error}); {_HOW}") from None
    if not all(isinstance(row, Mapping) for row in found):
        raise SchemaError(f"the export is not a list of objects; {_HOW}")
    return found


def _json(text: str) -> list[Row]:
    """Return the objects of an array, of one document, or of lines."""
    try:
        found = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(found, dict) and isinstance(found.get("fields"), list):
        return list(found["fields"])
    return found if isinstance(found, list) else [found]


def _position(row: Row) -> int:
    position = str(row.get("ordinal_position") or "")
    return int(position) if position.isdecimal() else 0


def _table(row: Row) -> Table:
    return Table(
        str(row["table_name"]),
        (),
        db=_text(row.get("table_schema")),
        catalog=_text(row.get("table_catalog")),
        kind="view" if "VIEW" in str(row.get("table_type") or "").upper() else "table",
    )


def _column(row: Row) -> Column:
    return Column(
        str(row["column_name"]),
        _type(row),
        nullable=_nullable(row.get("is_nullable")),
        default=_text(row.get("column_default")),
        description=_text(row.get("comment") or row.get("description") or row.get("remarks")),
    )


def _type(row: Row) -> str | None:
    name = _text(row.get("full_data_type")) or _text(row.get("data_type"))
    precision, scale = _text(row.get("numeric_precision")), _text(row.get("numeric_scale"))
    if name is None or precision is None or name.upper() not in _SIZED:
        return name
    return f"{name}({precision},{scale or 0})"


def _nullable(value: object) -> bool | None:
    return {"YES": True, "TRUE": True, "NO": False, "FALSE": False}.get(str(value).upper())


def _text(value: object) -> str | None:
    """Return a value as text; None for none, and for NULL as exports write it."""
    return None if value is None or str(value) in {"", "NULL", "\\N"} else str(value)


def _described(row: Row) -> Iterator[Row]:
    """Yield the columns of BigQuery's description of a table as rows."""
    place, schema = row["tablereference"], row.get("schema")
    if not isinstance(place, Mapping) or not isinstance(schema, Mapping):
        raise SchemaError(f"BigQuery's description of a table has no schema; {_HOW}")
    for field in _fields(schema):
        column = {
            "table_catalog": place.get("projectId"),
            "table_schema": place.get("datasetId"),
            "table_name": place.get("tableId"),
            "table_type": row.get("type"),
            "column_name": field.get("name"),
        }
        yield {
            **column,
            "data_type": _field_type(field),
            "is_nullable": "NO" if field.get("mode") == "REQUIRED" else "YES",
            "column_default": field.get("defaultValueExpression"),
            "description": field.get("description"),
        }
        for path, inner in _nested(field, str(field.get("name"))):
            yield {**column, "field_path": path, "description": inner.get("description")}


def _nested(field: Row, path: str) -> Iterator[tuple[str, Row]]:
    """Yield the fields inside of one, each with its path."""
    for inner in _fields(field):
        yield (place := f"{path}.{inner.get('name')}"), inner
        yield from _nested(inner, place)


def _fields(holder: Row) -> Iterable[Row]:
    fields = holder.get("fields")
    return [one for one in fields if isinstance(one, Mapping)] if isinstance(fields, list) else []


def _field_type(field: Row) -> str:
    """Return a type as GoogleSQL writes it: `ARRAY<STRUCT<sku STRING, price NUMERIC(10, 2)>>`."""
    name = str(field.get("type") or "").upper()
    name = _API_TYPES.get(name, name)
    sizes = [str(field[size]) for size in ("precision", "scale", "maxLength") if field.get(size)]
    element = field.get("rangeElementType")
    if name == "STRUCT":
        inner = ", ".join(f"{one.get('name')} {_field_type(one)}" for one in _fields(field))
        name = f"STRUCT<{inner}>"
    elif isinstance(element, Mapping):
        name = f"{name}<{element.get('type')}>"
    elif sizes:
        name = f"{name}({', '.join(sizes)})"
    return f"ARRAY<{name}>" if field.get("mode") == "REPEATED" else name
