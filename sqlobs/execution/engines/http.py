"""Executes by posting statements to a service: a data catalog, a gateway, a query API."""

from __future__ import annotations

import json
from time import perf_counter
from typing import TYPE_CHECKING, Final

import httpx

from sqlobs.errors import ResponseError, ResponseTimeoutError
from sqlobs.execution.engines import TargetUnavailableError
from sqlobs.execution.json_template import Json, at_path, filled
from sqlobs.execution.messages import Failed, Finished, Unavailable
from sqlobs.responses import ACCEPTED, body_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.engines import Emit
    from sqlobs.execution.target import HttpQuery, Limits, Target
    from sqlobs.types import Cell, Row

_CONNECT_S: Final = 5.0
_CHUNK_ROWS: Final = 1024
_MOST_BYTES: Final = 256 * 1024 * 1024
_NO_SUCH: Final = (401, 403, 404, 407)
_UNAVAILABLE: Final = (429, 502, 503, 504)
_SUCCESS: Final = 200
_LIMIT: Final = "{limit}"


class HttpEngine:
    """A service that runs statements. Each is a request; there is no snapshot."""

    warnings: tuple[str, ...] = ()

    def __init__(self, target: Target) -> None:
        if target.http is None:
            raise TargetUnavailableError("the target has no HTTP query configuration")
        self._query: HttpQuery = target.http
        self._url = target.url
        self._client = httpx.Client(
            auth=self._query.login,
            headers={**ACCEPTED, **dict(self._query.headers)},
            verify=self._query.verify_ssl,
        )

    def backend(self) -> None:
        """Nobody who could outlive us is known: a service is asked."""

    def begin(self, session: Mapping[str, str]) -> None:
        """Do nothing: a service has no transactions."""
        if session:
            raise TargetUnavailableError("an HTTP target binds no session settings")

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Unavailable:
        """Post the statement and read the rows of the answer."""
        started = perf_counter()
        try:
            status, content = self._post(admission.text, limits)
        except (httpx.TimeoutException, ResponseTimeoutError):
            elapsed_s = perf_counter() - started
            return _failed(
                "the service did not respond in time", status="timeout", elapsed_s=elapsed_s
            )
        except ResponseError as error:
            return Unavailable(f"the response of the service cannot be read: {error}")
        except (httpx.HTTPError, OSError) as error:
            return Unavailable(f"the service is unreachable ({type(error).__name__})")
        elapsed_s = perf_counter() - started
        if status in _UNAVAILABLE or status in _NO_SUCH:
            return Unavailable(f"the service returned HTTP status {status}")
        document = _document(content)
        message = self._message(status, document)
        if message is not None:
            return _failed(message, elapsed_s=elapsed_s, engine_class=str(status))
        return self._emitted(document, limits, emit, elapsed_s)

    def diagnose(self, sql: str) -> Failed | None:  # noqa: ARG002 - the protocol's signature
        """There is no way to have a text prepared without running it."""
        return None

    def end(self) -> None:
        """Do nothing: there is nothing to roll back."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, sql: str, limits: Limits) -> tuple[int, bytes]:
        timeout = httpx.Timeout(limits.timeout_s, connect=min(_CONNECT_S, limits.timeout_s))
        body = _limited(filled(_json(self._query.body), {"sql": sql}), limits.max_rows)
        with self._client.stream("POST", self._url, json=body, timeout=timeout) as response:
            content = body_of(response, most_bytes=_MOST_BYTES, within_s=limits.timeout_s)
            return response.status_code, content

    def _message(self, status: int, document: object) -> str | None:
        """Return what the service says against the statement; None if it ran."""
        path = self._query.error
        error_text = at_path(document, path) if path is not None else None
        if status // 100 * 100 == _SUCCESS and not error_text:
            return None
        detail = error_text or at_path(document, "detail") or at_path(document, "message")
        return detail if isinstance(detail, str) else f"HTTP {status}"

    def _emitted(
        self, document: object, limits: Limits, emit: Emit, elapsed_s: float
    ) -> Finished | Failed:
        found = at_path(document, self._query.rows)
        if found is None:
            found = []
        if not isinstance(found, list):
            return _failed(
                "the response has no list of rows at the configured path", elapsed_s=elapsed_s
            )
        columns, rows = self._table(document, found)
        is_cut = len(rows) > limits.max_rows
        bytes_left = limits.max_bytes
        for chunk in _chunks(rows[: limits.max_rows]):
            size = emit(chunk, bytes_left)
            if size > bytes_left:
                is_cut = True
                break
            bytes_left -= size
        return Finished(columns, is_cut, elapsed_s)

    def _table(self, document: object, found: list[object]) -> tuple[tuple[str, ...], list[Row]]:
        """Return names and rows, whichever of the usual forms the rows have."""
        listed = [self._cells(row) for row in found]
        if all(isinstance(row, dict) for row in listed):
            named = [row for row in listed if isinstance(row, dict)]
            columns = tuple(dict.fromkeys(str(name) for row in named for name in row))
            return columns, [tuple(_cell(row.get(name)) for name in columns) for row in named]
        rows = [tuple(map(_cell, row if isinstance(row, list) else [row])) for row in listed]
        width = max(map(len, rows), default=0)
        names = self._names(document, width)
        return names, [(*row, *(None,) * (width - len(row))) for row in rows]

    def _cells(self, row: object) -> object:
        """Return a row as an object by column, where its cells are objects themselves."""
        if self._query.cells is None:
            return row
        cells = at_path(row, self._query.cells)
        if not isinstance(cells, list):
            return row
        return {
            str(at_path(cell, self._query.cell_name)): at_path(cell, self._query.cell_value)
            for cell in cells
        }

    def _names(self, document: object, width: int) -> tuple[str, ...]:
        path = self._query.columns
        found = at_path(document, path) if path is not None else None
        listed = found if isinstance(found, list) else []
        names = [
            str(at_path(entry, self._query.cell_name) if isinstance(entry, dict) else entry)
            for entry in listed
        ]
        return (*names, *("" for _ in range(width - len(names))))


def _limited(body: Json, limit: int) -> Json:
    """Put the number of rows where the template asks for it: one more tells that there are more."""
    if body == _LIMIT:
        return limit + 1
    if isinstance(body, dict):
        return {key: _limited(entry, limit) for key, entry in body.items()}
    return [_limited(entry, limit) for entry in body] if isinstance(body, list) else body


def _json(body: object) -> Json:
    found: Json = json.loads(json.dumps(body))
    return found


def _document(content: bytes) -> object:
    try:
        found: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found


def _chunks(rows: Sequence[Row]) -> Iterator[list[Row]]:
    return (list(rows[at : at + _CHUNK_ROWS]) for at in range(0, len(rows), _CHUNK_ROWS))


def _cell(value: object) -> Cell:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _failed(
    message: str, *, elapsed_s: float, status: str = "error", engine_class: str = "http"
) -> Failed:
    return Failed(
        status="timeout" if status == "timeout" else "error",
        message=message,
        engine_class=engine_class,
        failure_code="execution.timeout" if status == "timeout" else "execution.engine_error",
        elapsed_s=elapsed_s,
    )
