"""What runs in the process of an engine: it answers questions until the parent hangs up.

Messages are JSON over a socket, each with its length before it, as `multiprocessing` sends bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import asdict
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlobs.execution.analyzers.questions import DeclaredTable, NoVerdictError

if TYPE_CHECKING:
    from sqlobs.execution.analyzers.questions import Analyzer


def main() -> None:
    """Start the engine that the arguments name, and answer."""
    module, handle = sys.argv[1:3]
    connection = Connection(int(handle))
    try:
        engine: Analyzer = import_module(module).Analyzer()
        connection.send_bytes(json.dumps({"engine": engine.engine}).encode())
        while True:
            question = json.loads(connection.recv_bytes())
            connection.send_bytes(json.dumps(_answer(engine, question)).encode())
    except (EOFError, ConnectionError):
        shutil.rmtree(Path.cwd(), ignore_errors=True)
        os._exit(0)  # without waiting for the engine's threads


def _answer(engine: Analyzer, question: dict[str, Any]) -> dict[str, Any]:
    tables = [
        DeclaredTable(tuple(path), tuple((name, kind) for name, kind in columns))
        for path, columns in question["tables"]
    ]
    try:
        found = engine.rejection(question["sql"], tables)
    except NoVerdictError as error:
        return {"undecided": str(error)[:200]}
    return {"rejection": None if found is None else asdict(found)}
