"""Units and evaluations leaving the store: as JSON lines, or as a Parquet file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

import orjson
from sqlalchemy import select

from sqlobs.errors import MissingExtraError
from sqlobs_collector.store import payload
from sqlobs_collector.store.tables import EVALUATION, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any, BinaryIO

    from sqlalchemy import Engine, RowMapping, Select
    from sqlalchemy.sql.elements import NamedColumn

_ROWS_PER_GROUP: Final = 10_000
_OF_EVALUATION: Final = tuple(
    column.label(f"evaluation_{column.name}")
    for column in EVALUATION.c
    if column.name not in {"unit_id", "emitted_ns"}
)
_OF_UNIT: Final = tuple(column for column in UNIT.c if column.name not in {"id", "payload"})
_PREFIX: Final = "evaluation_"
OF_DOCUMENT: Final = (UNIT.c.id, *_OF_UNIT, UNIT.c.payload, *_OF_EVALUATION)
"""What `documents_of` reads: a row an evaluation, those of a unit one after the other."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which units: by the time of the request, both ends optional."""

    since_ns: int = 0
    until_ns: int = 2**63 - 1


def write_lines(engine: Engine, selection: Selection, *, file: BinaryIO, has_texts: bool) -> int:
    """Write one JSON object a unit, its evaluations inside; returns how many.

    Args:
        engine: The store.
        selection: Which units.
        file: Where to.
        has_texts: Whether what the unit said goes along: its attributes, and question, SQL,
            reference and hints.
    """
    columns = [column for column in OF_DOCUMENT if has_texts or column is not UNIT.c.payload]
    query = _selected(selection, columns).outerjoin(EVALUATION)
    count = 0
    with engine.connect() as connection:
        rows = connection.execution_options(yield_per=_ROWS_PER_GROUP).execute(query).mappings()
        for document in documents_of(rows):
            file.write(encoded(document) + b"\n")
            count += 1
    return count


def encoded(document: object) -> bytes:
    """Return a document as JSON; records may hold bytes, which become hex digits."""
    return orjson.dumps(document, default=bytes.hex)


def documents_of(rows: Iterable[RowMapping]) -> Iterator[dict[str, object]]:
    """Yield each unit with its evaluations inside, and with what it said where it was read."""
    for _, group in groupby(rows, key=lambda row: row["id"]):
        yield _document(list(group))


def write_parquet(engine: Engine, selection: Selection, *, path: Path) -> int:
    """Write one row an evaluation, its unit's columns beside it; returns how many.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("Parquet", extra="metrics") from error
    columns = (*_OF_UNIT, *_OF_EVALUATION)
    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    schema = pa.schema([(one.name, types[one.type.python_type]) for one in columns])
    count = 0
    with engine.connect() as connection, pq.ParquetWriter(path, schema) as writer:
        query = _selected(selection, columns).join(EVALUATION)
        rows = connection.execution_options(yield_per=_ROWS_PER_GROUP).execute(query).mappings()
        for group in rows.partitions():
            writer.write_table(pa.Table.from_pylist([dict(row) for row in group], schema))
            count += len(group)
    return count


def _document(rows: list[RowMapping]) -> dict[str, object]:
    unit: dict[str, object] = {str(one.name): rows[0][one.name] for one in _OF_UNIT}
    if "payload" in rows[0]:
        packed = rows[0]["payload"]
        said = payload.Said({}, None) if packed is None else payload.unpack(packed)
        unit |= {"attributes": said.attributes, "texts": said.body}
    unit["evaluations"] = [
        _evaluation({**row}) for row in rows if row["evaluation_metric"] is not None
    ]
    return unit


def _evaluation(row: dict[str, object]) -> dict[str, object]:
    named = {str(one.name).removeprefix(_PREFIX): row[str(one.name)] for one in _OF_EVALUATION}
    detail = named["detail"]
    return {**named, "detail": None if detail is None else orjson.loads(str(detail))}


def _selected(selection: Selection, columns: Sequence[NamedColumn[Any]]) -> Select[Any]:
    query: Select[Any] = select(*columns).select_from(UNIT)
    return query.where(
        UNIT.c.occurred_ns >= selection.since_ns, UNIT.c.occurred_ns < selection.until_ns
    ).order_by(UNIT.c.occurred_ns, UNIT.c.id)
