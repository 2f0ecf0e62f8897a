"""Executions as bytes, and back: with every cell exactly as the worker sent it.

Rows that Arrow holds are written by Arrow, which needs no tuple of them. All else is read with the
unpickler of the worker's messages: it knows the classes of cells and of what is in an execution,
and calls nothing else.
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from sqlobs.execution.messages import (
    ProtocolError,
    Reader,
    flat_ordering,
    flat_shape,
    known_classes,
    shape_of,
)
from sqlobs.execution.outcome import Execution
from sqlobs.metrics.digest import TableDigest
from sqlobs.metrics.ordering import Ordering
from sqlobs.types import ExecutionOutcome, ResultTable

if TYPE_CHECKING:
    from sqlobs.types import Row

_LEVEL: Final = 1
_COMPRESSED_FROM: Final = 4_096
"""Bytes: for fewer, starting the compression costs more than it saves."""
_COMPRESSED: Final = b"\x78"
"""How zlib begins; a pickle begins with 0x80."""
_KNOWN: Final = known_classes(TableDigest)
_OUTCOME: Final = tuple(f.name for f in fields(ExecutionOutcome) if f.name != "table")
_EXECUTION: Final = tuple(
    f.name for f in fields(Execution) if f.name not in {"outcome", "ordering", "shape"}
)
_of_outcome: Final = attrgetter(*_OUTCOME)
_of_execution: Final = attrgetter(*_EXECUTION)


def execution_bytes(execution: Execution) -> bytes:
    """Return an execution as bytes, compressed where there are many."""
    table = execution.outcome.table
    held = None if table is None else (table.columns, _held_rows(table), table.truncated)
    ordering, shape = flat_ordering(execution.ordering), flat_shape(execution.shape)
    every = (_of_execution(execution), _of_outcome(execution.outcome), held, ordering, shape)
    body = pickle.dumps(every, protocol=5)
    is_compressed = table is not None and table.arrow is not None
    return body if is_compressed or len(body) < _COMPRESSED_FROM else zlib.compress(body, _LEVEL)


def execution_of(body: bytes) -> Execution:
    """Return the execution that `execution_bytes` wrote.

    Raises:
        ProtocolError: the bytes are no execution.
    """
    try:
        plain = zlib.decompress(body) if body.startswith(_COMPRESSED) else body
        of_execution, of_outcome, held, ordering, shape = Reader(plain, _KNOWN).load()
        table = None if held is None else _table(*held)
        outcome = ExecutionOutcome(table=table, **dict(zip(_OUTCOME, of_outcome, strict=True)))
        return Execution(
            outcome=outcome,
            ordering=Ordering(*ordering),
            shape=shape_of(shape),
            **dict(zip(_EXECUTION, of_execution, strict=True)),
        )
    except ProtocolError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise ProtocolError("a stored result cannot be read") from error


def _table(
    columns: tuple[str, ...],
    rows: bytes | tuple[Row, ...],
    is_truncated: bool,  # noqa: FBT001
) -> ResultTable:
    if isinstance(rows, bytes):
        import pyarrow as pa

        with pa.ipc.open_stream(rows) as reader:
            table = reader.read_all()
        table.validate(full=True)  # a file from somebody else may say that cells are anywhere
        return ResultTable.from_arrow(table, truncated=is_truncated)
    return ResultTable.of(columns, rows, truncated=is_truncated)


def _held_rows(table: ResultTable) -> bytes | tuple[Row, ...]:
    if (arrow := table.arrow) is None:
        return tuple(table.rows)
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    compression = "zstd" if pa.Codec.is_available("zstd") else None
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, arrow.schema, options=options) as writer:
        writer.write_table(arrow)
    return bytes(sink.getvalue())
