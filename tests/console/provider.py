"""An identity provider that signs whatever a test wants it to say."""

from __future__ import annotations

import json
import threading
import time
from base64 import urlsafe_b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT_ID = "console"


class Provider:
    """Its next ID token is `claims`, signed by `key` with `algorithm`."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self._published = RSAKey.generate_key(2048, parameters={"kid": "one"})
        self.behave()

    def behave(self) -> None:
        """Be an honest provider again."""
        self.calls_itself = self.issuer
        self.key: RSAKey | OctKey = self._published
        self.algorithm = "RS256"
        self.unsigned = False
        self.asked: list[dict[str, str]] = []
        """The forms that were sent to the token endpoint."""
        self.says()

    def says(self, **claims: object) -> None:
        """Set the claims of a valid ID token, with changes."""
        now = time.time_ns() // 10**9
        usual = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "1", "email": "ada@example.com"}
        self.claims: dict[str, object] = {
            **usual,
            "iat": now,
            "exp": now + 300,
            "groups": ["analysts"],
            **claims,
        }

    def answer(self, path: str, form: dict[str, str]) -> dict[str, object]:
        if path == "/jwks":
            return KeySet([self._published]).as_dict(private=False)
        if path == "/token":
            self.asked.append(form)
            return {"access_token": "a", "token_type": "Bearer", "id_token": self._token()}
        return {
            "issuer": self.calls_itself,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256", "none"],
        }

    def _token(self) -> str:
        if self.unsigned:
            parts = ({"alg": "none"}, self.claims)
            return (
                ".".join(
                    urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
                    for part in parts
                )
                + "."
            )
        header = {"alg": self.algorithm, "kid": "one"}
        return jwt.encode(header, self.claims, self.key, algorithms=[self.algorithm])


@contextmanager
def providing() -> Iterator[Provider]:
    """Run a provider on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            content = json.dumps(provider.answer(self.path, form)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
