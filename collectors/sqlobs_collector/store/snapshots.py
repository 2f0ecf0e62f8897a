"""Connections for readers, which may share one: a page then shows one state of the store.

Tests: `tests/collector/test_snapshots.py`.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine


class Connects(Protocol):
    """What readers read with: an engine, or `Snapshots`."""

    def connect(self) -> AbstractContextManager[Connection]:
        """Return a connection for a `with` block."""


class Snapshots:
    """Gives out connections of an engine that reads.

    Args:
        engine: Each of its transactions sees one state of the store.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shared: ContextVar[Connection | None] = ContextVar("shared", default=None)

    def connect(self) -> AbstractContextManager[Connection]:
        """Return a connection: the shared one within `snapshot`."""
        shared = self._shared.get()
        return self._engine.connect() if shared is None else nullcontext(shared)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let the reads of the `with` block share a transaction; other threads have their own.

        A transaction more costs as much as a short statement.
        """
        with self._engine.connect() as connection:
            token = self._shared.set(connection)
            try:
                yield
            finally:
                self._shared.reset(token)
