"""How PostgreSQL's values become cells: what Python's own types cannot hold stays text."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from psycopg.adapt import Loader
from psycopg.types.datetime import (
    DateLoader,
    IntervalLoader,
    TimeLoader,
    TimestampLoader,
    TimestamptzLoader,
    TimetzLoader,
)
from psycopg.types.json import JsonbLoader, JsonLoader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from psycopg import Connection
    from psycopg.abc import Buffer

_AS_TEXT: Final = (
    *("cidr", "inet", "macaddr", "record", "hstore"),
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange"),
    *("datemultirange", "tsmultirange", "tstzmultirange"),
)
"""Types whose Python values are classes of the driver's own."""

_TEXTS: Final = ("text", "varchar", "bpchar", "name", '"char"')
_LENIENT: Final = {
    "date": DateLoader,
    "interval": IntervalLoader,
    "json": JsonLoader,
    "jsonb": JsonbLoader,
    "time": TimeLoader,
    "timetz": TimetzLoader,
    "timestamp": TimestampLoader,
    "timestamptz": TimestamptzLoader,
}
"""Types with values beyond Python's: infinity, years before 1 and after 9999, deep JSON."""
_MOST_LEVELS: Final = 200
"""Of a JSON value. Python parses more than it can pickle or compare; limits differ by version."""


class TextLoader(Loader):
    """Read text; what is no UTF-8 (in a database without an encoding) stays bytes."""

    def load(self, data: Buffer) -> str | bytes:
        """Return the text of a cell."""
        try:
            return bytes(data).decode()
        except UnicodeDecodeError:
            return bytes(data)


def register_loaders(connection: Connection[Any]) -> None:
    """Make a connection give cells that compare, pickle and print everywhere."""
    adapters = connection.adapters
    for name in _AS_TEXT:
        if adapters.types.get(name) is not None:
            adapters.register_loader(name, TextLoader)
    for name, loader in _LENIENT.items():
        adapters.register_loader(name, _lenient(loader))  # type: ignore[type-abstract]  # all listed are concrete
    if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
        for name in _TEXTS:
            adapters.register_loader(name, TextLoader)


def _lenient(strict: type[Loader]) -> type[Loader]:
    """Return a loader that gives the text of values that the strict one cannot read."""

    class Lenient(strict):  # type: ignore[misc, valid-type]  # a class made for each strict one
        def load(self, data: Buffer) -> object:
            try:
                cell = super().load(data)
            except Exception:  # noqa: BLE001 - infinity, deep JSON: each raises as it likes
                return bytes(data).decode(errors="replace")
            if isinstance(cell, dict | list) and _is_too_deep(cell, bytes(data)):
                return bytes(data).decode(errors="replace")
            return _in_utc(cell) if isinstance(cell, dt.datetime) and cell.tzinfo else cell

    return Lenient


def _is_too_deep(value: object, text: bytes) -> bool:
    """Look level by level, without recursion; most texts have fewer brackets than that."""
    if text.count(b"[") + text.count(b"{") < _MOST_LEVELS:
        return False
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _in_utc(moment: dt.datetime) -> dt.datetime:
    """Return the same instant with a zone that needs no name to be sent."""
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:
        return moment.replace(tzinfo=dt.timezone(moment.utcoffset() or dt.timedelta()))
