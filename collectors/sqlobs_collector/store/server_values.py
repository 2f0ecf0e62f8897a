"""Values as they come from PostgreSQL and go to it: the same as with SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.adapt import Loader
from psycopg.types.string import StrDumperUnknown

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer
    from sqlalchemy.pool import ConnectionPoolEntry

_REPLACEMENT = "\ufffd"


class _Text(StrDumperUnknown):
    """A text without NUL, which PostgreSQL cannot store: one such answer must not stop others."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", _REPLACEMENT))


class _Sum(Loader):
    """A sum: `sum(bigint)` is numeric, and a whole number."""

    def load(self, data: Buffer) -> int | float:
        digits = bytes(data).decode()
        return int(digits) if digits.lstrip("-").isdigit() else float(digits)


def adapt(connection: Connection, _: ConnectionPoolEntry) -> None:
    """Set up a new connection."""
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_loader("numeric", _Sum)
