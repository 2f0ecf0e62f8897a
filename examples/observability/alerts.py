"""Prints the alerts that Alertmanager sends: the place of a pager in this example."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Printer(BaseHTTPRequestHandler):
    """Prints each alert of a notification on a line."""

    def do_POST(self) -> None:
        """Take a notification; its path is the severity."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for alert in json.loads(body)["alerts"]:
            print(f"{self.path[1:]:6} {alert['status']:8} {alert['annotations']['summary']}")
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        """Print alerts only."""


if __name__ == "__main__":
    HTTPServer(("", 9095), Printer).serve_forever()
