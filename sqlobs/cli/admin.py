"""Questions to a collector's admin port, answered with JSON."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlobs.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask_admin, default_admin
from sqlobs.errors import InputError

__all__ = ["ADMIN_VARIABLE", "DEFAULT_ADMIN", "ask", "ask_list", "default_admin"]

_OK: Final = 200
_REFUSED: Final = frozenset({400, 421})
"""Answers whose sentence says what to do."""


def ask(admin: str, path: str, *, token: str | None = None) -> Any:  # noqa: ANN401 - the document that the collector answers with
    """Return what a collector answers.

    Args:
        admin: The address of its admin port.
        path: What to ask, beginning with `/v1/`.
        token: The token to show; None = that of SQLOBS_COLLECTOR_ADMIN_TOKEN, else that of this
            user's own collector.

    Raises:
        InputError: Nobody answers, or not as a collector does.
        ConfigError: The collector wants a token, or another one.
    """
    answer = ask_admin(admin, path, token=token, accept="application/json")
    try:
        document = json.loads(answer.content)
    except (ValueError, RecursionError):
        document = None
    if answer.status in _REFUSED and isinstance(document, dict) and "error" in document:
        raise InputError(document["error"])
    if answer.status != _OK or not isinstance(document, dict):
        raise InputError(
            f"{admin} returned {answer.status} without a collector's answer. Is it a collector's"
            " admin port?"
        )
    return document


def ask_list(admin: str, path: str, name: str) -> list[Any]:
    """Return a list that a collector's answer holds under a name.

    Raises:
        InputError: Nobody answers, or not as a collector does.
        ConfigError: The collector wants a token, or another one.
    """
    found = ask(admin, path).get(name)
    if not isinstance(found, list):
        raise InputError(f"{admin} did not return {name}. Is it a collector's admin port?")
    return found
