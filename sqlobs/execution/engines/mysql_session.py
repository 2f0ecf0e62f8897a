"""How a session on MySQL or MariaDB begins: where it connects, and what its set-up lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pymysql.constants import CLIENT

if TYPE_CHECKING:
    from pymysql.cursors import Cursor

_CONNECT_S: Final = 5
_READ_S: Final = 300
_PORT: Final = 3306
_CONNECTIONS: Final = "SELECT @@SESSION.max_user_connections"
_NO_CONNECTION_LIMIT: Final = (
    "its login may open any number of connections: ALTER USER … WITH MAX_USER_CONNECTIONS 10"
)


def arguments_of(url: str) -> dict[str, Any]:
    """Return what the driver connects with."""
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    found: dict[str, Any] = {
        "host": parts.hostname or "localhost",
        "port": parts.port or _PORT,
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path.lstrip("/")) or None,
        "charset": "utf8mb4",
        "autocommit": True,
        "connect_timeout": _CONNECT_S,
        "read_timeout": _READ_S,
        "local_infile": False,
        "client_flag": CLIENT.MULTI_RESULTS,
    }
    if "unix_socket" in options:
        found["unix_socket"] = options["unix_socket"]
    return found


def warnings_of(cursor: Cursor) -> tuple[str, ...]:
    """Return what the login's set-up lacks."""
    cursor.execute(_CONNECTIONS)
    row = cursor.fetchone()
    is_limited = row is None or bool(row[0])
    return () if is_limited else (_NO_CONNECTION_LIMIT,)
