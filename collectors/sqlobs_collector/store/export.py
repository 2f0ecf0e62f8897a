"""Export of units and evaluations as JSON Lines or Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_args

import orjson
from sqlalchemy import select

from sqlobs.errors import MissingExtraError
from sqlobs.execution.admission import Refusal
from sqlobs.failure_codes import CODES
from sqlobs_collector.store import payload
from sqlobs_collector.store.feedback import feedback_of
from sqlobs_collector.store.tables import EVALUATION, IN_ORDER, UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from sqlalchemy import Connection, Engine, RowMapping, Select
    from sqlalchemy.sql.elements import NamedColumn

    from sqlobs_collector.store.feedback import Utterance

_ROWS_PER_GROUP: Final = 10_000
_UNITS_AT_ONCE: Final = 200
_OF_EVALUATION: Final = tuple(
    column.label(f"evaluation_{column.name}")
    for column in EVALUATION.c
    if column.name not in {"unit_id", "emitted_ns"}
)
_OF_UNIT: Final = tuple(column for column in UNIT.c if column.name not in {"id", "payload"})
_PREFIX: Final = "evaluation_"
_OUR_WORDS: Final = frozenset({*CODES, *get_args(Refusal)})
"""Explanations that quote nothing: why the checker, the gate or an engine rejects a statement."""
_OUR_DETAILS: Final = frozenset(
    {
        *("equals_answer", "equals_reference", "execution", "failure_code", "kind", "record"),
        *("value", "verdict"),
        *("by", "codes", "empty", "engine_label", "reference", "rows", "truncated"),
        *("category_codes", "decided_by", "fingerprint", "input_tokens", "is_cached"),
        *("is_repaired", "model"),
        *("output_tokens", "prompt", "suspicious", "unsorted"),
    }
)
"""Details of an evaluation that are numbers, flags or names from sqlobs."""
OF_DOCUMENT: Final = (UNIT.c.id, *_OF_UNIT, UNIT.c.payload, *_OF_EVALUATION)
"""What `documents_of` reads: a row an evaluation, those of a unit one after the other."""


class ArchivedUnit(NamedTuple):
    """A request that has left the store, as rows of an export, and its feedback."""

    rows: list[dict[str, Any]]
    feedback: Sequence[Utterance]

    @property
    def occurred_ns(self) -> int:
        """When the request ended."""
        occurred_ns: int = self.rows[0]["occurred_ns"]
        return occurred_ns

    def document(self, *, has_texts: bool) -> dict[str, object]:
        """Return it as an export of the store has it; its texts have expired."""
        rows = [{**row, "payload": None} for row in self.rows] if has_texts else self.rows
        said = [one.document(has_texts=has_texts) for one in self.feedback]
        return _document(rows, has_texts=has_texts) | {"feedback": said}


Archived: TypeAlias = "Callable[[Connection], Iterable[ArchivedUnit]]"


def _nothing(_: Connection) -> tuple[ArchivedUnit, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which units: by the time of the request, both ends optional."""

    since_ns: int = 0
    until_ns: int = 2**63 - 1


def write_lines(
    engine: Engine,
    selection: Selection,
    *,
    file: BinaryIO,
    has_texts: bool,
    archived: Archived = _nothing,
) -> int:
    """Write one JSON object a unit, its evaluations inside; returns how many.

    Args:
        engine: The store.
        selection: Which units.
        file: Where to.
        has_texts: Whether words go along: the unit's attributes, question, SQL, reference and
            hints, and what judge and users say, which may quote them, or rows.
        archived: Returns units that have left the store, as the connection sees it; they come
            first.
    """
    columns = [column for column in OF_DOCUMENT if has_texts or column is not UNIT.c.payload]
    query = _selected(selection, columns).outerjoin(EVALUATION).order_by(*IN_ORDER)
    count = 0
    with engine.connect() as connection:
        for one in _from_archive(connection, archived):
            file.write(encoded(one.document(has_texts=has_texts)) + b"\n")
            count += 1
        rows = connection.execution_options(yield_per=_ROWS_PER_GROUP).execute(query).mappings()
        for document in documents_of(connection, rows, has_texts=has_texts):
            file.write(encoded(document) + b"\n")
            count += 1
    return count


def encoded(document: object) -> bytes:
    """Return a document as JSON; records may hold bytes, which become hex digits."""
    return orjson.dumps(document, default=bytes.hex)


def documents_of(
    connection: Connection, rows: Iterable[RowMapping], *, has_texts: bool
) -> Iterator[dict[str, object]]:
    """Yield each unit with its evaluations and its feedback inside, and with what it said.

    Args:
        connection: To the store: feedback is read from it.
        rows: An evaluation each, those of a unit one after the other.
        has_texts: Whether the words of users and the SQL that they corrected go along.
    """
    groups = ((key, list(group)) for key, group in groupby(rows, key=lambda row: row["id"]))
    while part := list(islice(groups, _UNITS_AT_ONCE)):
        said = feedback_of(connection, [key for key, _ in part], has_texts=has_texts)
        yield from (
            _document(group, has_texts=has_texts) | {"feedback": said.get(key, [])}
            for key, group in part
        )


def write_parquet(
    engine: Engine, selection: Selection, *, path: Path, archived: Archived = _nothing
) -> int:
    """Write one row an evaluation, its unit's columns beside it, without texts; returns how many.

    Args:
        engine: The store.
        selection: Which units.
        path: Where to.
        archived: Returns units that have left the store, as the connection sees it; they come
            first.

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
        units = _from_archive(connection, archived)
        cold = (row for one in units for row in one.rows if row["evaluation_metric"] is not None)
        while part := list(islice(cold, _ROWS_PER_GROUP)):
            writer.write_table(pa.Table.from_pylist([_wordless(row) for row in part], schema))
            count += len(part)
        query = _selected(selection, columns).join(EVALUATION).order_by(*IN_ORDER)
        rows = connection.execution_options(yield_per=_ROWS_PER_GROUP).execute(query).mappings()
        for group in rows.partitions():
            writer.write_table(pa.Table.from_pylist([_wordless(row) for row in group], schema))
            count += len(group)
    return count


def _from_archive(connection: Connection, archived: Archived) -> Iterator[ArchivedUnit]:
    """Yield archived units; what is moved meanwhile is still in the store for the connection."""
    connection.execute(select(UNIT.c.id).limit(1)).all()  # from now on, it sees one state
    yield from archived(connection)


def _document(rows: Sequence[RowMapping | dict[str, Any]], *, has_texts: bool) -> dict[str, object]:
    unit: dict[str, object] = {str(one.name): rows[0][one.name] for one in _OF_UNIT}
    if "payload" in rows[0]:
        packed = rows[0]["payload"]
        said = payload.Said({}, None) if packed is None else payload.unpack(packed)
        unit |= {"attributes": said.attributes, "texts": said.body}
    unit["evaluations"] = [
        _evaluation({**row} if has_texts else _wordless(row))
        for row in rows
        if row["evaluation_metric"] is not None
    ]
    return unit


def _evaluation(row: dict[str, object]) -> dict[str, object]:
    named = {str(one.name).removeprefix(_PREFIX): row[str(one.name)] for one in _OF_EVALUATION}
    detail = named["detail"]
    return {**named, "detail": None if detail is None else orjson.loads(str(detail))}


def _wordless(row: RowMapping | dict[str, Any]) -> dict[str, object]:
    """Return a row whose explanation and detail are ours: codes and counts, nobody's words."""
    explanation, detail = row[f"{_PREFIX}explanation"], row[f"{_PREFIX}detail"]
    known = {} if detail is None else orjson.loads(detail)
    kept = {name: value for name, value in known.items() if name in _OUR_DETAILS}
    return {
        **row,
        f"{_PREFIX}explanation": explanation if explanation in _OUR_WORDS else None,
        f"{_PREFIX}detail": orjson.dumps(kept).decode() if kept else None,
    }


def _selected(selection: Selection, columns: Sequence[NamedColumn[Any]]) -> Select[Any]:
    query: Select[Any] = select(*columns).select_from(UNIT)
    return query.where(
        UNIT.c.occurred_ns >= selection.since_ns, UNIT.c.occurred_ns < selection.until_ns
    ).order_by(UNIT.c.occurred_ns, UNIT.c.id)
