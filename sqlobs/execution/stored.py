"""Executions as bytes, and back: with every cell exactly as the worker sent it.

Read with the unpickler of the worker's messages: it knows the classes of an execution and of cells,
and calls nothing else.
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace
from typing import Final

from sqlobs.execution.messages import ProtocolError, Reader, known_classes
from sqlobs.execution.outcome import Execution
from sqlobs.metrics.digest import TableDigest
from sqlobs.types import ExecutionOutcome, ResultTable

_LEVEL: Final = 1
_KNOWN: Final = known_classes(Execution, ExecutionOutcome, ResultTable, TableDigest)


def execution_bytes(execution: Execution) -> bytes:
    """Return an execution as compressed bytes."""
    table = execution.outcome.table
    if table is not None and table.arrow is not None:
        plain = replace(table, rows=tuple(table.rows))
        execution = replace(execution, outcome=replace(execution.outcome, table=plain))
    return zlib.compress(pickle.dumps(execution, protocol=5), _LEVEL)


def execution_of(body: bytes) -> Execution:
    """Return the execution that `execution_bytes` wrote.

    Raises:
        ProtocolError: the bytes are no execution.
    """
    try:
        found = Reader(zlib.decompress(body), _KNOWN).load()
    except ProtocolError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise ProtocolError("a stored result cannot be read") from error
    if not isinstance(found, Execution):
        raise ProtocolError("a stored result has another form")
    table = found.outcome.table
    if table is None:
        return found
    held = ResultTable.of(table.columns, table.rows, truncated=table.truncated)
    return replace(found, outcome=replace(found.outcome, table=held))
