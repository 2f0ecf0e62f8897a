"""Questions to a collector's admin port."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError, InputError

if TYPE_CHECKING:
    import httpx

ADMIN_VARIABLE: Final = "SQLOBS_COLLECTOR_ADMIN"
DEFAULT_ADMIN: Final = "http://127.0.0.1:4319"
_TIMEOUT_S: Final = 10.0
_BAD_REQUEST: Final = 400
_UNAUTHORISED: Final = 401


def default_admin() -> str:
    """Return the address of the variable, else of a collector on this machine."""
    return os.environ.get(ADMIN_VARIABLE, DEFAULT_ADMIN)


def ask(admin: str, path: str) -> Any:  # noqa: ANN401 - the document that the collector answers with
    """Return what a collector answers.

    Args:
        admin: The address of its admin port.
        path: What to ask, beginning with `/v1/`.

    Raises:
        InputError: Nobody answers, or not as a collector does.
        ConfigError: The collector wants a token.
    """
    import httpx

    try:
        response = httpx.get(f"{admin.rstrip('/')}{path}", headers=_headers(), timeout=_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise InputError(
            f"no collector answers at {admin} ({error}): start one, or name its admin address "
            "with --admin"
        ) from error
    _check(response, admin)
    return response.json()


def _headers() -> dict[str, str]:
    from sqlobs.config import load_settings

    headers = load_settings().collector_headers
    return {name: secret.get_secret_value() for name, secret in headers.items()}


def _check(response: httpx.Response, admin: str) -> None:
    if response.status_code == _BAD_REQUEST:
        raise InputError(response.json()["error"])
    if response.status_code == _UNAUTHORISED:
        raise ConfigError(
            f"the collector at {admin} wants a token: set SQLOBS_COLLECTOR_HEADERS to "
            "authorization=Bearer%20TOKEN"
        )
    if not response.is_success:
        raise InputError(
            f"{admin} answered {response.status_code}: is it a collector's admin port?"
        )
