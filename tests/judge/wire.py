"""A server that sends bytes as they are, whatever HTTP says, for tests of what a client bears."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
import time
from contextlib import contextmanager


def completion(content, *, finish_reason="stop", message=None, **changes):
    """Return a completion with anything in any place."""
    message = {"role": "assistant", "content": content, **(message or {})}
    choices = [{"index": 0, "message": message, "finish_reason": finish_reason}]
    usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": choices, "usage": usage, **changes}  # fmt: skip


def answer(body, *, status="200 OK", headers=(), kind="application/json", length=None):
    """Return an HTTP answer; its length is what it says, or what it is."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", "Connection: close", f"Content-Type: {kind}", *headers]
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class WireServer(socketserver.ThreadingTCPServer):
    """Sends the same bytes to everybody."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, sent, pause_s):
        self.sent, self.pause_s, self.calls = sent, pause_s, 0
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def base_url(self):
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        """Read a request and send the bytes, one by one where they drip, endlessly where told."""
        length = 0
        for line in iter(self.rfile.readline, b"\r\n"):
            if not line:
                return
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        self.rfile.read(length)
        self.server.calls += 1
        with contextlib.suppress(OSError):
            for piece in self._pieces():
                self.wfile.write(piece)

    def _pieces(self):
        sent, pause_s = self.server.sent, self.server.pause_s
        if pause_s is None:
            yield sent
        while pause_s == 0:
            yield sent
        for byte in sent if pause_s else b"":
            time.sleep(pause_s)
            yield bytes([byte])


@contextmanager
def wired(sent, *, pause_s=None):
    """Serve bytes until the block ends.

    Args:
        sent: What every request is answered with.
        pause_s: Between two bytes; 0 = again and again without an end.
    """
    server = WireServer(sent, pause_s)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
