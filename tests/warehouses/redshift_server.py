"""A real PostgreSQL as Redshift's driver wants it: a proxy adapts how a session starts.

Both speak PostgreSQL's protocol, but PostgreSQL rejects parameters of a start-up message that it
does not know (`client_protocol_version`, `driver_version`, `os_version`), and its version must be
Redshift's. A view has the columns of Redshift's `stv_sessions`.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg

from tests.servers import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total NUMERIC(10, 2), day DATE);
CREATE TABLE secrets (word VARCHAR(40));
INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', NULL);
INSERT INTO orders SELECT n, 1 + n % 2, n / 2.0, '2026-01-01' FROM generate_series(1, 1000) AS t(n);
CREATE VIEW stv_sessions AS
  SELECT backend_start::timestamp AS starttime, pid AS process, usename AS user_name,
         datname AS db_name, 0 AS timeout_sec
  FROM pg_stat_activity WHERE usename = session_user;
CREATE ROLE reader LOGIN;
GRANT SELECT ON customers, orders, stv_sessions TO reader;
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_city ON customers
  USING (coalesce(current_setting('app.city', true), '') IN ('', city));
"""
_STARTUP: bytes = struct.pack("!I", 196608)
_READY, _ERROR = b"Z", b"E"
_TIME, _NO_TIME = b" TO 1000\0", b" TO 0   \0"
_UNKNOWN = {
    b"client_protocol_version",
    b"driver_version",
    b"os_version",
    b"driver_discovery_version",
}


class RedshiftServer(PostgresServer):
    """PostgreSQL with the shop, and a proxy in front of it."""

    def __init__(self) -> None:
        super().__init__()
        self._proxy: _Proxy | None = None

    def open(self) -> RedshiftServer:
        """Start both."""
        self.start()
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        with psycopg.connect(self.url("shop")) as connection:
            connection.execute(SHOP)
        self._proxy = proxy = _Proxy(("127.0.0.1", 0), _Session)
        proxy.behind = ("127.0.0.1", self.port)
        threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        return self

    @property
    def redshift_url(self) -> str:
        """The URL of a target."""
        assert self._proxy is not None
        return f"redshift://reader@127.0.0.1:{self._proxy.server_address[1]}/shop"

    def ignore_time(self) -> None:
        """Do not limit the time of statements in sessions that start from now on."""
        assert self._proxy is not None
        self._proxy.ignores_time = True

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """Ask PostgreSQL itself, as its superuser."""
        with psycopg.connect(self.url("shop")) as connection:
            return connection.execute(sql).fetchall()

    def stop(self) -> None:
        """Stop both."""
        if self._proxy is not None:
            self._proxy.shutdown()
            self._proxy.server_close()
        super().stop()


class _Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    behind: tuple[str, int]
    ignores_time = False
    """Statements have no time limit, as if the server did not watch its clock."""


class _Session(socketserver.BaseRequestHandler):
    server: _Proxy

    def handle(self) -> None:
        """Rewrite the start-up message, and pass on everything else."""
        size = struct.unpack("!I", _exactly(self.request, 4))[0]
        content = _exactly(self.request, size - 4)
        if content.startswith(_STARTUP):
            content = _without(content, _UNKNOWN)
        with socket.create_connection(self.server.behind) as server:
            server.sendall(struct.pack("!I", len(content) + 4) + content)
            while (message := _message(server))[:1] != _READY:
                self.request.sendall(_with_version(message))
                if message[:1] == _ERROR:
                    return
            self.request.sendall(message)
            threading.Thread(target=_pass_on, args=(server, self.request), daemon=True).start()
            _pass_on(self.request, server, _NO_TIME if self.server.ignores_time else _TIME)


def _exactly(source: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        found += source.recv(count - len(found))
    return found


def _message(source: socket.socket) -> bytes:
    """Return a message of the server's: a letter, the size of the rest, the rest."""
    head = _exactly(source, 5)
    return head + _exactly(source, struct.unpack("!I", head[1:])[0] - 4)


def _with_version(message: bytes) -> bytes:
    if not message[5:].startswith(b"server_version\0"):
        return message
    content = b"server_version\0" + b"8.0.2\0"
    return message[:1] + struct.pack("!I", len(content) + 4) + content


def _without(content: bytes, names: set[bytes]) -> bytes:
    parts = content[4:].rstrip(b"\0").split(b"\0")
    given: Mapping[bytes, bytes] = dict(zip(parts[::2], parts[1::2], strict=True))
    kept = (name + b"\0" + value + b"\0" for name, value in given.items() if name not in names)
    return content[:4] + b"".join(kept) + b"\0"


def _pass_on(source: socket.socket, target: socket.socket, time: bytes = _TIME) -> None:
    with suppress(OSError):
        while block := source.recv(65536):
            target.sendall(block.replace(b"statement_timeout" + _TIME, b"statement_timeout" + time))
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
