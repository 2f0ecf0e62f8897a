"""An HTTP server on a free port of loopback, in a thread of this process."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LocalServer:
    """Serves from its start to `stop`; its handlers know it as `server_of`."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        bound = type("Handler", (handler,), {"server_of": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), bound)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        """The port."""
        return self._http.server_port

    def stop(self) -> None:
        """End."""
        self._http.shutdown()
        self._http.server_close()
