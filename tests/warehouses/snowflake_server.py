"""Snowflake's HTTP interface as its Python driver speaks it: logins, queries, cancellation.

Answers have the fields that the driver reads, with numbers and messages of errors as Snowflake's
documentation gives them; nothing computes a result.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from tests.warehouses.local_server import LocalServer

_COLUMNS = [
    {"name": "NAME", "type": "text", "nullable": True, "length": 40, "byteLength": 160},
    {"name": "TOTAL", "type": "fixed", "nullable": True, "precision": 12, "scale": 2},
]
_ROWS = [["Ann", "12.50"], ["Bob", None]]
BYTES = {
    "SELECT name, total FROM orders": 4096,
    "SELECT name, total FROM archive": 50_000_000_000,
    "SELECT name, total FROM slow": 4096,
}
ERRORS: dict[str, tuple[str, str, str]] = {
    "SELECT nam FROM orders": (
        *("000904", "42000"),
        "SQL compilation error: error line 1 at position 7\ninvalid identifier 'NAM'",
    ),
    "SELECT name FROM order_lines": (
        *("002003", "42S02"),
        "SQL compilation error:\nObject 'ORDER_LINES' does not exist or not authorized.",
    ),
    "SELECT frobnicate(name) FROM orders": (
        *("002140", "42601"),
        "SQL compilation error:\nUnknown function FROBNICATE",
    ),
    "SELECT abs(total, 1, 2) FROM orders": (
        *("000939", "22023"),
        (
            "SQL compilation error: error line 1 at position 7\n"
            "too many arguments for function [ABS(ORDERS.TOTAL, 1, 2)] expected 1, got 3"
        ),
    ),
    "SELECT name + placed FROM orders": (
        *("001044", "42P13"),
        (
            "SQL compilation error: error line 1 at position 12\n"
            "Invalid argument types for function '+': (VARCHAR(40), DATE)"
        ),
    ),
    "SELECT name, count(*) FROM orders": (
        *("000979", "42601"),
        "SQL compilation error:\n[ORDERS.NAME] is not a valid group by expression",
    ),
    "SELECT id FROM orders, customers": (
        *("002028", "42601"),
        "SQL compilation error:\nambiguous column name 'ID'",
    ),
    "SELECT CAST(name AS flot) FROM orders": (
        *("002040", "42601"),
        "SQL compilation error:\nUnsupported data type 'FLOT'.",
    ),
    "SELECT name FROM secrets": (
        *("003001", "42501"),
        "SQL access control error:\nInsufficient privileges to operate on table 'SECRETS'",
    ),
    "SELECT 1 / 0": ("100051", "22012", "Division by zero"),
    "SELECT name FROM late": (
        *("000630", "57014"),
        "Statement reached its statement or warehouse timeout of 1 second(s) and was canceled.",
    ),
    "SELECT name FROM suspended": (
        *("000606", "57P03"),
        (
            "No active warehouse selected in the current session.  Select an active warehouse with"
            " the 'use warehouse' command."
        ),
    ),
}


class SnowflakeServer(LocalServer):
    """Serves documented answers on a free port of loopback."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """Texts of queries."""
        self.logins: list[dict[str, Any]] = []
        self.canceled: list[int] = []
        """Sessions whose queries were canceled."""
        self._sessions = count(1_065_153_872_298)
        self._canceled = threading.Condition()
        super().__init__(_Handler)

    @property
    def connect_args(self) -> dict[str, object]:
        """Arguments of the driver that lead here."""
        here = {"protocol": "http", "host": "127.0.0.1", "port": self.port}
        return {**here, "login_timeout": 10, "platform_detection_timeout_seconds": 0}

    def log_in(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a login; only the password `secret` is right."""
        self.logins.append(body["data"])
        if body["data"].get("PASSWORD") != "secret":
            message = "Incorrect username or password was specified."
            data = {"nextAction": "RETRY_LOGIN"}
            return {"data": data, "success": False, "code": "390100", "message": message}
        session = next(self._sessions)
        names = ("databaseName", "schemaName", "warehouseName", "roleName")
        info = dict(zip(names, ("SALES", "PUBLIC", "SMALL", "READER"), strict=True))
        tokens = {"token": f"session-{session}", "masterToken": "master"}
        times = {"validityInSeconds": 3600, "masterValidityInSeconds": 14400}
        data = {**tokens, **times, "sessionId": session, "sessionInfo": info, "parameters": []}
        return {"data": data, "success": True, "code": None, "message": None}

    def query(self, sql: str, session: int) -> dict[str, Any]:
        """Answer a query."""
        self.asked.append(sql)
        explained = re.fullmatch(r"EXPLAIN USING JSON (.*)", sql, re.DOTALL)
        statement = explained[1] if explained else sql
        if statement in ERRORS and not (explained and ERRORS[statement][0][0] != "0"):
            return _error(*ERRORS[statement])
        if explained:
            assigned = {"bytesAssigned": BYTES.get(statement, 0)}
            plan = {"GlobalStats": {"partitionsTotal": 1, "partitionsAssigned": 1, **assigned}}
            return _table(["content"], [[json.dumps(plan)]])
        if found := re.fullmatch(r"SELECT SYSTEM\$CANCEL_ALL_QUERIES\((\d+)\)", sql):
            with self._canceled:
                self.canceled.append(int(found[1]))
                self._canceled.notify_all()
            return _table(["answer"], [["1 cancelled."]])
        if sql.endswith("FROM slow"):
            with self._canceled:
                self._canceled.wait_for(lambda: session in self.canceled, timeout=30)
            return _error("000604", "57014", "SQL execution canceled")
        if sql in BYTES:
            return _answer(_COLUMNS, _ROWS)
        if sql.lower().startswith("select current_database(), current_schema()"):
            return _table(["database", "schema"], [["SALES", "PUBLIC"]])
        version = sql == "SELECT CURRENT_VERSION()"
        return _table(["answer"], [["9.30.1" if version else "Statement executed successfully."]])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: SnowflakeServer

    def do_POST(self) -> None:
        """Answer a login, a query, or what needs no more than success."""
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        path = urlsplit(self.path).path
        answer: dict[str, Any] = {"data": None, "success": True, "code": None, "message": None}
        if path == "/session/v1/login-request":
            answer = self.server_of.log_in(json.loads(content))
        elif path == "/queries/v1/query-request":
            token = re.search(r'Token="session-(\d+)"', self.headers["Authorization"])
            assert token
            answer = self.server_of.query(json.loads(content)["sqlText"], int(token[1]))
        body = json.dumps(answer).encode()
        with suppress(OSError):  # the client was killed
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    do_GET = do_POST  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


def _table(names: list[str], rows: list[list[str]]) -> dict[str, Any]:
    return _answer([{"name": name, "type": "text", "nullable": True} for name in names], rows)


def _answer(columns: list[dict[str, Any]], rows: list[Any]) -> dict[str, Any]:
    counts = {"total": len(rows), "returned": len(rows)}
    kind = {"statementTypeId": 4096, "queryResultFormat": "json", "parameters": []}
    data = {"rowtype": columns, "rowset": rows, **counts, **kind, "queryId": _QUERY_ID}
    return {"data": data, "success": True, "code": None, "message": None}


def _error(code: str, state: str, message: str) -> dict[str, Any]:
    data = {"errorCode": code, "sqlState": state, "queryId": _QUERY_ID, "internalError": False}
    return {"data": data, "success": False, "code": code, "message": message}


_QUERY_ID = "01b2c3d4-0000-0000-0000-000000000001"
