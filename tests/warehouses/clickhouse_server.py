"""ClickHouse's HTTP interface in front of chDB: the engine is real, the server is a stand-in.

Each statement runs in a chDB process. `KILL QUERY` ends that process, as chDB cannot interrupt
itself; `system.processes` counts what runs. Everything else is ClickHouse's own answer.

Run as a program, the module is one of these processes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.warehouses.local_server import LocalServer

if TYPE_CHECKING:
    from pathlib import Path

_TRANSPORT = {"query_id", "database", "query", "default_format", "session_id", "wait_end_of_query"}
_OTHERS = {"send_progress_in_http_headers", "enable_http_compression", "client_protocol_version"}
_KILL = re.compile(r"KILL QUERY WHERE query_id = '([\w-]+)'")
_RUNNING = re.compile(r"SELECT count\(\) FROM system\.processes WHERE query_id = '([\w-]+)'")


class Engine:
    """A chDB process with the tables of a script."""

    def __init__(self, directory: Path, script: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=directory,
        )
        for statement in filter(str.strip, script.split(";")):
            self.ask(statement, "TSV")

    def ask(self, sql: str, form: str) -> tuple[dict[str, Any], bytes]:
        """Run a statement; EOFError if the process was killed."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([sql, form]).encode() + b"\n")
        self._process.stdin.flush()
        header = self._process.stdout.readline()
        if not header:
            raise EOFError
        answer = json.loads(header)
        return answer, self._process.stdout.read(answer["bytes"])

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, if it still runs, and give up its pipes."""
        self.kill()
        assert self._process.stdin
        assert self._process.stdout
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()


class ClickHouseServer(LocalServer):
    """Serves statements over HTTP on a free port, one chDB process each."""

    def __init__(self, directory: Path, script: str) -> None:
        self._directory, self._script, self._count = directory, script, 0
        self._lock = threading.Lock()
        self._idle = [self._new(), self._new()]
        self.running: dict[str, Engine] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        """Statements with the parameters of their requests."""
        self.killed: list[str] = []
        self.read_bytes: int | None = None
        """What the server says that statements have read; None: what chDB says."""
        super().__init__(_Handler)

    @property
    def url(self) -> str:
        """The URL of a target."""
        return f"clickhousedb://reader:secret@127.0.0.1:{self.port}/default"

    def _new(self) -> Engine:
        self._count += 1
        directory = self._directory / f"engine{self._count}"
        directory.mkdir()
        return Engine(directory, self._script)

    def answer(self, sql: str, given: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body for a statement."""
        bound = _bound(sql, given)
        self.seen.append((bound, given))
        if killed := _KILL.search(bound):
            return self._kill(killed[1])
        if asked := _RUNNING.search(bound):
            bound = _RUNNING.sub(f"SELECT {int(asked[1] in self.running)}", bound)
        with self._lock:
            engine = self._idle.pop() if self._idle else self._new()
        query_id = given.get("query_id", "")
        self.running[query_id] = engine
        try:
            answer, body = engine.ask(*_with_settings(bound, given))
        except EOFError:
            engine.close()
            text = b"Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)"
            return 500, {"X-ClickHouse-Exception-Code": "394"}, text
        finally:
            self.running.pop(query_id, None)
        with self._lock:
            self._idle.append(engine)
        if answer["error"]:
            code = re.search(r"Code: (\d+)", answer["error"])
            headers = {"X-ClickHouse-Exception-Code": code[1] if code else "1"}
            return 500, headers, answer["error"].encode()
        summary = {
            "read_rows": str(answer["rows"]),
            "read_bytes": str(self.read_bytes or answer["read"]),
        }
        return 200, {"X-ClickHouse-Summary": json.dumps(summary)}, body

    def _kill(self, query_id: str) -> tuple[int, dict[str, str], bytes]:
        self.killed.append(query_id)
        engine = self.running.pop(query_id, None)
        if engine is not None:
            engine.kill()
        return 200, {}, b""

    def stop(self) -> None:
        """End server and engines."""
        super().stop()
        for engine in (*self._idle, *self.running.values()):
            engine.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: ClickHouseServer

    def do_POST(self) -> None:
        """Run a statement from the body or the parameters."""
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        sql = "\n".join(filter(None, (given.get("query"), body)))
        status, headers, content = self.server_of.answer(sql, given)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(BrokenPipeError):  # the client was killed
            self.wfile.write(content)

    do_GET = do_POST  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


def _bound(sql: str, given: dict[str, str]) -> str:
    """Return a statement with its parameters as literals."""
    return re.sub(r"\{(\w+):String\}", lambda found: "'" + given[f"param_{found[1]}"] + "'", sql)


def _with_settings(sql: str, given: dict[str, str]) -> tuple[str, str]:
    names = given.keys() - _TRANSPORT - _OTHERS
    ours = ("param_", "SQL_")  # a server allows settings of its users by a prefix; chDB has none
    settings = {name: given[name] for name in sorted(names) if not name.startswith(ours)}
    form = re.search(r"\s+FORMAT\s+(\w+)\s*;?\s*$", sql)
    text = sql[: form.start()] if form else sql
    if settings:
        pairs = ", ".join(f"{name} = '{value}'" for name, value in settings.items())
        joined = "," if re.search(r"\bSETTINGS\b", text, re.IGNORECASE) else " SETTINGS"
        text = f"{text}{joined} {pairs}"
    return text, form[1] if form else given.get("default_format", "TSV")


def _serve(directory: str) -> None:
    from chdb import session

    engine = session.Session(f"{directory}/data")
    for line in sys.stdin:
        sql, form = json.loads(line)
        body, error, rows, read = b"", "", 0, 0
        try:
            found = engine.query(sql, form)
            body, rows, read = found.bytes() or b"", found.rows_read(), found.bytes_read()
        except Exception as failure:  # noqa: BLE001 - chDB's errors are the answer
            error = str(failure)
        answer = {"bytes": len(body), "error": error, "rows": rows, "read": read}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + body)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve(sys.argv[1])
