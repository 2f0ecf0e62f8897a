"""JSON requests to a collector's admin port."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlobs.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask_admin, default_admin
from sqlobs.errors import InputError

__all__ = ["ADMIN_VARIABLE", "DEFAULT_ADMIN", "ask", "ask_list", "default_admin"]

_OK: Final = 200
_REFUSED: Final = frozenset({400, 404, 421})
"""Error statuses whose response body says what to do."""


def ask(
    admin: str,
    path: str,
    *,
    token: str | None = None,
    patience_s: float = 10.0,
    method: str = "GET",
    body: object = None,
) -> Any:  # noqa: ANN401 - the document that the collector answers with
    """Return the collector's JSON response.

    Args:
        admin: The address of its admin port.
        path: Path with query, starting with `/v1/`.
        token: The admin token; None = that of SQLOBS_COLLECTOR_ADMIN_TOKEN, else the token of this
        user's own collector.
        patience_s: How long the collector may think before it responds.
        method: The method of the request.
        body: What to send as JSON; None = nothing.

    Raises:
        InputError: Nothing answers, or something other than a collector.
        ConfigError: The token is missing or is rejected.
    """
    answer = ask_admin(
        admin,
        path,
        token=token,
        accept="application/json",
        patience_s=patience_s,
        method=method,
        body=body,
    )
    try:
        document = json.loads(answer.content)
    except (ValueError, RecursionError):
        document = None
    if answer.status in _REFUSED and isinstance(document, dict) and "error" in document:
        raise InputError(document["error"])
    if answer.status != _OK or not isinstance(document, dict):
        raise InputError(
            f"{admin} returned status {answer.status} and no collector response. Is it a"
            " collector's admin port?"
        )
    return document


def ask_list(admin: str, path: str, name: str) -> list[Any]:
    """Return the list under a name in a collector's response.

    Raises:
        InputError: Nothing answers, or something other than a collector.
        ConfigError: The token is missing or is rejected.
    """
    found = ask(admin, path).get(name)
    if not isinstance(found, list):
        raise InputError(f"{admin} did not return {name}. Is it a collector's admin port?")
    return found
