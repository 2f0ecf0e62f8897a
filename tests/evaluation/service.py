"""A text-to-SQL service over HTTP that is slow, fails, and keeps a log of its own."""

from __future__ import annotations

import json
import random
import threading
import time
from base64 import b64encode
from collections import defaultdict
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STAGES = ("sql_execution_time", "vector_store_search_time", "llm_time", "total_execution_time")
LOGIN = "Basic " + b64encode(b"ann:secret").decode()


class Service:
    """What the service did: its log of times by question, and how often each was asked."""

    def __init__(self, *, delay_s: float = 0.0) -> None:
        self.delay_s = delay_s
        self.log: dict[str, list[dict[str, float]]] = defaultdict(list)
        self.asked: list[str] = []
        self.bodies: list[dict[str, object]] = []
        self.url = ""
        self._random = random.Random(7)
        self._lock = threading.Lock()

    def answer(self, body: dict[str, object]) -> tuple[int, bytes]:
        """Answer one question by what its number says."""
        question = str(body["question"])
        number = int(question.rsplit(maxsplit=1)[-1])
        with self._lock:
            self.asked.append(question)
            self.bodies.append(body)
            times = {name: round(self._random.uniform(0.01, 9), 4) for name in STAGES}
        time.sleep(self.delay_s)
        if number % 10 == 3:
            return 500, b'{"detail": "no model"}'
        if number % 10 == 4:
            return 200, b"<html>not JSON</html>"
        self.log[question].append(times)
        sql = "" if number % 10 == 5 else f"SELECT {number}\n-- as asked\nAS n"
        return 200, json.dumps(
            {
                "sql_query": sql,
                "llm_model": "m",
                "tokens": {"input_tokens": 7, "output_tokens": number},
                **times,
            }
        ).encode()


@contextmanager
def serving(service: Service):
    """Serve on a free port of the loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers["Authorization"] != LOGIN:
                status, content = 401, b"who are you?"
            else:
                status, content = service.answer(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}/answerDataQuestion"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
