"""Questions to a collector's admin port."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError, InputError, ResponseError
from sqlobs.responses import ACCEPTED, body_of

if TYPE_CHECKING:
    import httpx

ADMIN_VARIABLE: Final = "SQLOBS_COLLECTOR_ADMIN"
DEFAULT_ADMIN: Final = "http://127.0.0.1:4319"
_TIMEOUT_S: Final = 10.0
_READ_S: Final = 60.0
_MOST_BYTES: Final = 64 * 1024 * 1024
"""No collector answers with more at a time; another server may stream for ever."""
_BAD_REQUEST: Final = 400
_UNAUTHORISED: Final = 401


def default_admin() -> str:
    """Return the address of the variable, else of a collector on this machine."""
    return os.environ.get(ADMIN_VARIABLE, DEFAULT_ADMIN)


def ask(admin: str, path: str, *, token: str | None = None) -> Any:  # noqa: ANN401 - the document that the collector answers with
    """Return what a collector answers.

    Args:
        admin: The address of its admin port.
        path: What to ask, beginning with `/v1/`.
        token: For the header `Authorization`; None = the headers of SQLOBS_COLLECTOR_HEADERS.

    Raises:
        InputError: Nobody answers, or not as a collector does.
        ConfigError: The collector wants a token, or another one.
    """
    import httpx

    login = _headers() if token is None else {"Authorization": f"Bearer {token}"}
    try:
        with httpx.stream(
            "GET", f"{admin.rstrip('/')}{path}", headers={**ACCEPTED, **login}, timeout=_TIMEOUT_S
        ) as response:
            content = _content(response)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
        raise InputError(
            f"no collector answers at {admin} ({error}): start one, or name its admin address "
            "with --admin"
        ) from error
    return _document(response, content, admin)


def ask_list(admin: str, path: str, name: str) -> list[Any]:
    """Return a list that a collector's answer holds under a name.

    Raises:
        InputError: Nobody answers, or not as a collector does.
        ConfigError: The collector wants a token, or another one.
    """
    found = ask(admin, path).get(name)
    if not isinstance(found, list):
        raise InputError(f"{admin} gives no {name}: is it a collector's admin port?")
    return found


def _content(response: httpx.Response) -> bytes:
    try:
        return body_of(response, most_bytes=_MOST_BYTES, within_s=_READ_S)
    except ResponseError:
        return b""


def _headers() -> dict[str, str]:
    from sqlobs.config import load_settings

    headers = load_settings().collector_headers
    return {name: secret.get_secret_value() for name, secret in headers.items()}


def _document(response: httpx.Response, content: bytes, admin: str) -> Any:  # noqa: ANN401 - as `ask`
    if response.status_code == _UNAUTHORISED:
        is_sent = "authorization" in response.request.headers
        raise ConfigError(
            f"the collector at {admin} {'knows no such' if is_sent else 'wants a'} token: set "
            "SQLOBS_COLLECTOR_HEADERS to authorization=Bearer%20TOKEN"
        )
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if response.status_code == _BAD_REQUEST and isinstance(document, dict) and "error" in document:
        raise InputError(document["error"])
    if not response.is_success or not isinstance(document, dict):
        raise InputError(
            f"{admin} answered {response.status_code}, but not as a collector does: is it a "
            "collector's admin port?"
        )
    return document
