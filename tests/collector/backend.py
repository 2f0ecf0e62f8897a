"""An OTLP backend on loopback that keeps what it is sent and answers as configured."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Backend:
    """`answers` are used up one by one, then everything is 200."""

    def __init__(self) -> None:
        backend = self
        self.received: list[tuple[str, bytes, dict[str, str]]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.arrived = threading.Condition()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with backend.arrived:
                    backend.received.append((self.path, body, dict(self.headers)))
                    status, headers = backend.answers.pop(0) if backend.answers else (200, {})
                    backend.arrived.notify_all()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def wait_for(self, count: int) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.received) >= count, timeout=20)

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
