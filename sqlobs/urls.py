"""Addresses as they may be printed and logged.

Tests: `tests/collector/test_config.py`.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

MASK: Final = "***"

_VERSION: Final = re.compile(r"v[0-9]{1,2}((alpha|beta)[0-9]?)?")
"""Such as `v1` or `v1beta`."""
_HARMLESS: Final = frozenset(
    {
        *("anthropic", "api", "chat", "collector", "completions", "compatible-mode", "gateway"),
        *("inference", "ingest", "insert", "llm", "logs", "metrics", "mistral", "model", "models"),
        *("ollama", "openai", "opentelemetry", "otel", "otlp", "public", "schemas", "traces"),
    }
)
"""Path segments that are not keys, on any server."""


def is_http_url(url: str) -> bool:
    """Return whether an address is `http://HOST…` or `https://HOST…`; `http://[x` is not."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def shown_url(url: object) -> str:
    """Return an address with its scheme, host and port, and the rest masked unless it is harmless.

    A key may stand as user, password, query (`?key=…`) or part of the path (`/ingest/KEY/v1`), and
    looks like a name where it is one; so only what is known is shown.
    """
    try:
        parts = urlsplit(str(url))
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return MASK
    if not parts.scheme or parts.hostname is None:
        return MASK
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    user = f"{MASK}@" if "@" in parts.netloc else ""
    query = f"?{MASK}" if parts.query or parts.fragment else ""
    path = "/".join(_shown_part(part) for part in parts.path.split("/"))
    return f"{parts.scheme}://{user}{host}{port}{path}{query}"


def _shown_part(part: str) -> str:
    is_harmless = not part or part in _HARMLESS or _VERSION.fullmatch(part)
    return part if is_harmless else MASK
