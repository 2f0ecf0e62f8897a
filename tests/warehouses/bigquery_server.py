"""BigQuery's REST interface: tokens, dry runs, jobs, results and cancellation, as documented.

Answers have the fields that BigQuery's API reference gives for `jobs.insert`,
`jobs.getQueryResults`, `jobs.get` and `jobs.cancel`; nothing computes a result.
"""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from tests.warehouses.local_server import LocalServer

PROJECT = "shop-project"
_NAMES = {
    "fields": [
        {"name": "name", "type": "STRING", "mode": "NULLABLE"},
        {"name": "total", "type": "NUMERIC", "mode": "NULLABLE"},
    ]
}
RESULTS: dict[str, dict[str, Any]] = {
    "SELECT 1": {"bytes": 0},
    "SELECT name, total FROM sales.orders": {"bytes": 4096},
    "SELECT name, total FROM sales.archive": {"bytes": 50_000_000_000},
    "SELECT name, total FROM sales.slow": {"bytes": 4096, "is_endless": True},
    "SELECT name, total FROM sales.grown": {
        "bytes": 4096,
        "job_error": {
            "reason": "bytesBilledLimitExceeded",
            "message": "Query exceeded limit for bytes billed: 100000000. 104857600 or higher"
            " required.",
        },
    },
    "SELECT name, total FROM sales.late": {
        "bytes": 4096,
        "job_error": {
            "reason": "stopped",
            "message": "Job execution was cancelled: Job timed out after 1s",
        },
    },
    "SELECT name FROM sales.written": {"bytes": 0, "type": "MERGE"},
}
ERRORS: dict[str, tuple[int, str, str]] = {
    "SELECT nam FROM sales.orders": (
        *(400, "invalidQuery"),
        "Unrecognized name: nam; Did you mean name? at [1:8]",
    ),
    "SELECT o.nam FROM sales.orders AS o": (
        *(400, "invalidQuery"),
        "Name nam not found inside o at [1:10]",
    ),
    "SELECT name FROM sales.order_lines": (
        *(404, "notFound"),
        f"Not found: Table {PROJECT}:sales.order_lines was not found in location EU",
    ),
    "SELECT frobnicate(name) FROM sales.orders": (
        *(400, "invalidQuery"),
        "Function not found: frobnicate at [1:8]",
    ),
    "SELECT name, COUNT(*) FROM sales.orders": (
        *(400, "invalidQuery"),
        (
            "SELECT list expression references column name which is neither grouped nor aggregated at"
            " [1:8]"
        ),
    ),
    "SELECT name + 1 FROM sales.orders": (
        *(400, "invalidQuery"),
        (
            "No matching signature for operator + for argument types: STRING, INT64. Supported"
            " signatures: INT64 + INT64 at [1:8]"
        ),
    ),
    "SELECT CAST(name AS FLOT) FROM sales.orders": (
        *(400, "invalidQuery"),
        "Type not found: FLOT at [1:21]",
    ),
    "SELECT name FROM sales.secret": (
        *(403, "accessDenied"),
        f"Access Denied: Table {PROJECT}:sales.secret: User does not have permission to query it",
    ),
    "SELECT name FROM sales.busy": (
        *(403, "quotaExceeded"),
        "Quota exceeded: Your project exceeded quota for concurrent queries.",
    ),
}


class BigQueryServer(LocalServer):
    """Serves documented answers on a free port of loopback."""

    def __init__(self) -> None:
        self.inserted: list[dict[str, Any]] = []
        """Configurations of jobs, dry runs included."""
        self.canceled: list[str] = []
        self.logins = 0
        super().__init__(_Handler)

    @property
    def address(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}"

    def insert(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer `jobs.insert`."""
        self.inserted.append(body["configuration"])
        query = body["configuration"]["query"]["query"]
        if query in ERRORS:
            status, reason, message = ERRORS[query]
            error = {"reason": reason, "message": message, "domain": "global"}
            return status, {"error": {"code": status, "message": message, "errors": [error]}}
        return 200, self._job(body["jobReference"]["jobId"], body["configuration"])

    def job(self, job_id: str) -> tuple[int, dict[str, Any]]:
        """Answer `jobs.get`."""
        return 200, self._job(job_id, self._configuration(job_id))

    def results(self, job_id: str) -> tuple[int, dict[str, Any]]:
        """Answer `jobs.getQueryResults`."""
        known = RESULTS[self._configuration(job_id)["query"]["query"]]
        reference = {"projectId": PROJECT, "jobId": job_id, "location": "EU"}
        if "job_error" in known:
            error = known["job_error"]
            return 400, {"error": {"code": 400, "message": error["message"], "errors": [error]}}
        if known.get("is_endless") and job_id not in self.canceled:
            return 200, {"jobComplete": False, "jobReference": reference}
        rows = [{"f": [{"v": "Ann"}, {"v": "12.50"}]}, {"f": [{"v": "Bob"}, {"v": None}]}]
        return 200, {
            "jobComplete": True,
            "jobReference": reference,
            "schema": _NAMES,
            "rows": rows,
            "totalRows": "2",
        }

    def cancel(self, job_id: str) -> tuple[int, dict[str, Any]]:
        """Answer `jobs.cancel`."""
        self.canceled.append(job_id)
        return 200, {"job": self._job(job_id, self._configuration(job_id))}

    def _configuration(self, job_id: str) -> dict[str, Any]:
        return next(one for one in self.inserted if one["jobId"] == job_id)

    def _job(self, job_id: str, configuration: dict[str, Any]) -> dict[str, Any]:
        configuration["jobId"] = job_id
        known = RESULTS[configuration["query"]["query"]]
        is_done = not known.get("is_endless") or configuration.get("dryRun")
        return {
            "jobReference": {"projectId": PROJECT, "jobId": job_id, "location": "EU"},
            "configuration": configuration,
            "status": {"state": "DONE" if is_done else "RUNNING"},
            "statistics": {
                "totalBytesProcessed": str(known["bytes"]),
                "query": {
                    "statementType": known.get("type", "SELECT"),
                    "totalBytesProcessed": str(known["bytes"]),
                    "totalBytesBilled": str(10_485_760 if known["bytes"] else 0),
                },
            },
        }


class _Handler(BaseHTTPRequestHandler):
    server_of: BigQueryServer

    def do_POST(self) -> None:
        """Answer a login, a job, or its cancellation."""
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        if path == "/token":
            self.server_of.logins += 1
            self._answer(200, {"access_token": "t", "expires_in": 3600, "token_type": "Bearer"})
        elif found := re.fullmatch(r".*/jobs/([\w-]+)/cancel", path):
            self._answer(*self.server_of.cancel(found[1]))
        else:
            self._answer(*self.server_of.insert(json.loads(content)))

    def do_GET(self) -> None:
        """Answer the state of a job, or its rows."""
        path = urlsplit(self.path).path
        job_id = path.rpartition("/")[2]
        wanted = self.server_of.results if "/queries/" in path else self.server_of.job
        self._answer(*wanted(job_id))

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""
