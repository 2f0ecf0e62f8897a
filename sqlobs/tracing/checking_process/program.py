"""What runs in the checking process: it answers questions until the application hangs up."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import OrderedDict
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

from sqlobs.check.engine.profile import profile_of
from sqlobs.check.parsing.stack import start_on_big_stack
from sqlobs.schema.model import Schema
from sqlobs.tracing.checking import PARSER, Checker
from sqlobs.tracing.checking_process.messages import (
    LACKS_SCHEMA,
    Terms,
    decode,
    encode,
    read_dialect,
    report_document,
)
from sqlobs.tracing.options.option_layer import UNRESOLVED, Resolved
from sqlobs.tracing.records.record import CallContext

MOST_SCHEMAS: Final = 64
"""Schemas that are kept; the one unused for longest is sent again when it is needed."""
YOUNG_OBJECTS: Final = 10_000
"""Objects between two collections: about those of three checks."""
LONGEST_S: Final = 60
"""Ends a check that the application, which waits for a shorter time, did not live to end."""


def main() -> None:
    """Answer on a thread with a big stack: no check needs another one."""
    connection = Connection(int(sys.argv[1]))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    start_on_big_stack(lambda: _serve(connection), name="sqlobs-checks").join()
    os._exit(0)


def _serve(connection: Connection) -> None:
    try:
        answers = Answers(Terms.read(decode(connection.recv_bytes())))
        _load()
        connection.send_bytes(encode("ready"))
        while True:
            question = decode(connection.recv_bytes())
            signal.alarm(LONGEST_S)
            answer = answers.to(question)
            signal.alarm(0)
            connection.send_bytes(encode(answer))
    except (EOFError, ConnectionError):
        return


def _load() -> None:
    """Load the parser, and have garbage be collected as suits checks: a fifth of their time."""
    PARSER.load()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


class Answers:
    """Answers questions on the terms of one application."""

    def __init__(self, terms: Terms) -> None:
        self._checker = Checker(
            native=terms.native,
            strict=terms.strict,
            policy=terms.policy,
            max_bytes=terms.max_bytes,
        )
        self._schemas: OrderedDict[str, Schema] = OrderedDict()

    def to(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the document of a report, or that the schema is not known."""
        schema = None
        if question["schema"] is not None:
            schema = self._schema(question["schema"], question.get("document"))
            if schema is None:
                return LACKS_SCHEMA
        resolved = _resolved(schema, read_dialect(question["dialect"]))
        return report_document(self._checker.check(question["text"], resolved))

    def _schema(self, version: str, document: str | None) -> Schema | None:
        if document is not None:
            self._schemas[version] = Schema.from_json(document)
            while len(self._schemas) > MOST_SCHEMAS:
                self._schemas.popitem(last=False)
        if version in self._schemas:
            self._schemas.move_to_end(version)
        return self._schemas.get(version)


def _resolved(schema: Schema | None, dialect: Any) -> Resolved:  # noqa: ANN401 - see messages
    profile = profile_of(schema, dialect)
    context = CallContext(dialect=None if profile is None else profile.dialect)
    return replace(UNRESOLVED, schema=schema, dialect=dialect, context=context)
