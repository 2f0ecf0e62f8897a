"""A server of the Batch API for tests: files, batches, direct calls, over real HTTP."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from sqlobs.judge.envelope import opened
from sqlobs.judge.replay import completion


class BatchServer(ThreadingHTTPServer):
    """Does batches; what a test sets says what goes wrong."""

    daemon_threads = True

    def __init__(self):
        self.files, self.batches, self.paths = {}, {}, []
        self.waits = 1
        """How often a client finds a batch under way before it is done."""
        self.says = lambda fields: json.dumps({"reasoning": "Said.", "correct": True})
        """The text of an answer, by the data that is shown; a dict stands for the whole line."""
        self.direct = None
        """The same for direct calls, where another."""
        self.ends = ["completed"]
        """How one batch after the other ends; the last word holds for all later ones."""
        self.refuses = {}
        """Statuses by method and path, in place of an answer."""
        self.answers_first = None
        """Of a batch that is not completed, how many lines are answered."""
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request, client_address):
        """Stay silent: a killed client hangs up."""

    @property
    def base_url(self):
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def asked(self):
        """Return the ids of all lines of all batches."""
        return [line["custom_id"] for batch in self.batches.values() for line in batch["lines"]]

    def make(self, request):
        """Make a batch of a file."""
        number = len(self.batches)
        lines = [json.loads(line) for line in self.files[request["input_file_id"]].splitlines()]
        end = self.ends[min(number, len(self.ends) - 1)]
        batch = {"lines": lines, "end": end, "metadata": request.get("metadata"), "looks": 0}
        self.batches[f"batch-{number}"] = batch
        return self.show(f"batch-{number}")

    def show(self, name):
        """Return a batch as the protocol has it."""
        batch = self.batches[name]
        is_done = batch["looks"] > self.waits
        batch["looks"] += 1
        done = {"output_file_id": f"out-{name}"} if is_done and batch["end"] != "failed" else {}
        if is_done and batch["end"] == "failed":
            done = {"errors": {"object": "list", "data": [{"message": "the file has\ntoo many"}]}}
        return {"id": name, "object": "batch", "status": batch["end"] if is_done else "in_progress",
                "endpoint": "/v1/chat/completions", "input_file_id": "f", "created_at": 1,
                "completion_window": "24h", "metadata": batch["metadata"], **done}  # fmt: skip

    def output(self, name):
        """Return the file that a batch gives."""
        batch = self.batches[name]
        lines = batch["lines"]
        if batch["end"] != "completed":
            lines = lines[: self.answers_first]
        return "\n".join(map(self._line, lines))

    def _line(self, line):
        said = self.says(fields_of(line["body"]))
        if isinstance(said, str):
            body = completion(line["body"], said)
            return json.dumps({"custom_id": line["custom_id"], "response": {"body": body}})
        return (
            said["raw"] if "raw" in said else json.dumps({"custom_id": line["custom_id"], **said})
        )


def fields_of(body):
    """Return the data of a request."""
    return opened(body["messages"][1]["content"])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        """Stay silent."""

    def _begins(self):
        path = urlsplit(self.path).path
        self.server.paths.append(f"{self.command} {path}")
        status = self.server.refuses.get(f"{self.command} {path}")
        if status == 0:
            self.close_connection = True
        elif status is not None:
            self._send({"error": {"message": "no"}}, status=status)
        return None if status is not None else path

    def do_POST(self):
        """Take a file, a batch, or a direct call."""
        server, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        path = self._begins()
        if path == "/v1/files":
            head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n"
            parts = BytesParser().parsebytes(head + body).get_payload()
            name = f"file-{len(server.files)}"
            server.files[name] = next(p.get_payload(decode=True) for p in parts if p.get_filename())
            self._send({"id": name, "object": "file"})
        elif path == "/v1/batches":
            made = server.make(json.loads(body))
            status = server.refuses.get("answer of POST /v1/batches", 200)
            if status == 0:
                self.close_connection = True
                return
            self._send(made, status=status)
        elif path == "/v1/chat/completions":
            request = json.loads(body)
            says = server.direct or server.says
            self._send(completion(request, says(fields_of(request))))

    def do_GET(self):
        """Return how batches are doing, or what one gave."""
        server, path = self.server, self._begins()
        if path is None:
            return
        if path.startswith("/v1/files/"):
            self._send(None, body=server.output(path.split("/")[3].removeprefix("out-")).encode())
        elif path == "/v1/batches":
            listed = [server.show(name) for name in server.batches]
            self._send({"object": "list", "data": listed, "has_more": False})
        elif path.removeprefix("/v1/batches/") in server.batches:
            self._send(server.show(path.removeprefix("/v1/batches/")))
        else:
            self._send({"error": {"message": "unknown"}}, status=404)

    def _send(self, document, *, status=200, body=None):
        body = json.dumps(document).encode() if body is None else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def batching():
    """Serve from a thread within the block."""
    server = BatchServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
