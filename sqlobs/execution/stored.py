"""Executions as bytes, and back: with every cell exactly as the worker sent it.

Read with the unpickler of the worker's messages: it knows the classes of cells and of what is in an
execution, and calls nothing else.
"""

from __future__ import annotations

import zlib
from dataclasses import fields
from operator import attrgetter
from typing import Final

from sqlobs.execution.messages import ProtocolError, Reader, known_classes, pickled
from sqlobs.execution.outcome import Execution
from sqlobs.metrics.digest import TableDigest
from sqlobs.types import ExecutionOutcome, ResultTable

_LEVEL: Final = 1
_COMPRESSED_FROM: Final = 4_096
"""Bytes: for fewer, starting the compression costs more than it saves."""
_COMPRESSED: Final = b"\x78"
"""How zlib begins; a pickle begins with 0x80."""
_KNOWN: Final = known_classes(TableDigest)
_OUTCOME: Final = tuple(f.name for f in fields(ExecutionOutcome) if f.name != "table")
_EXECUTION: Final = tuple(f.name for f in fields(Execution) if f.name != "outcome")
_of_outcome: Final = attrgetter(*_OUTCOME)
_of_execution: Final = attrgetter(*_EXECUTION)


def execution_bytes(execution: Execution) -> bytes:
    """Return an execution as bytes, compressed where there are many."""
    outcome = execution.outcome
    table = outcome.table
    held = None if table is None else (table.columns, tuple(table.rows), table.truncated)
    body = pickled((_of_execution(execution), _of_outcome(outcome), held))
    return body if len(body) < _COMPRESSED_FROM else zlib.compress(body, _LEVEL)


def execution_of(body: bytes) -> Execution:
    """Return the execution that `execution_bytes` wrote.

    Raises:
        ProtocolError: the bytes are no execution.
    """
    try:
        plain = zlib.decompress(body) if body.startswith(_COMPRESSED) else body
        of_execution, of_outcome, held = Reader(plain, _KNOWN).load()
        table = None if held is None else ResultTable.of(held[0], held[1], truncated=held[2])
        outcome = ExecutionOutcome(table=table, **dict(zip(_OUTCOME, of_outcome, strict=True)))
        return Execution(outcome=outcome, **dict(zip(_EXECUTION, of_execution, strict=True)))
    except ProtocolError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise ProtocolError("a stored result cannot be read") from error
