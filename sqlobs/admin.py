"""Questions to a collector's admin port, with the token that they need.

A collector without configured tokens responds to anyone who can read the token in its data
directory.
It links that file below the user's state directory, where the commands of the same user find it:
on one's own machine nothing is to be set.

Tests: `tests/collector/test_admin_access.py`.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sqlobs.client_tls import client_context
from sqlobs.errors import ConfigError, InputError, ResponseError
from sqlobs.responses import ACCEPTED, body_of
from sqlobs.semconv.collector import OTLP_PORT

ADMIN_VARIABLE: Final = "SQLOBS_COLLECTOR_ADMIN"
TOKEN_VARIABLE: Final = "SQLOBS_COLLECTOR_ADMIN_TOKEN"  # noqa: S105 - a variable's name
DEFAULT_ADMIN: Final = "http://127.0.0.1:4319"
_LOOPBACK: Final = ("127.0.0.1", "::1")
"""What `localhost` may stand for, in the order in which a link is looked for."""
_TIMEOUT_S: Final = 10.0
_READ_S: Final = 60.0
_MOST_BYTES: Final = 64 * 1024 * 1024
"""No collector answers with more at a time; another server may stream forever."""
_MOST_TOKEN_BYTES: Final = 100
_TOKEN: Final = re.compile(rb"([A-Za-z0-9_-]{43})\n")
"""What a collector writes: 32 random bytes in base64. Whatever else a link leads to, perhaps a
private key of the user's, is sent to nobody."""
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403


@dataclass(frozen=True, slots=True)
class Access:
    """Where a question goes, and what it shows to be let in."""

    url: str
    token: str | None = None
    is_own: bool = False
    """The token is that of a collector on this machine: it goes to no proxy."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an admin port answers."""

    status: int
    content: bytes


def default_admin() -> str:
    """Return the address of the variable, else of a collector on this machine."""
    return os.environ.get(ADMIN_VARIABLE) or DEFAULT_ADMIN


def link_of(host: str, port: int) -> Path:
    """Return where a collector that listens on a loopback address links its token.

    Raises:
        RuntimeError: The user has no home directory.
    """
    state = os.environ.get("XDG_STATE_HOME")
    base = Path(state) if state else Path.home() / ".local" / "state"
    return base / "sqlobs" / f"admin-{host.replace(':', '_')}-{port}.token"


def access_to(admin: str, *, token: str | None = None) -> Access:
    """Return how to ask an admin address.

    Args:
        admin: The address, as in `http://127.0.0.1:4319`.
        token: The token to show; None = that of SQLOBS_COLLECTOR_ADMIN_TOKEN, else that of the
            collector which this user runs at the address, if it is one of the loopback.
    """
    url = admin.rstrip("/")
    given = token or os.environ.get(TOKEN_VARIABLE)
    return Access(url, given) if given else _own_access(url) or Access(url)


def ask_admin(
    admin: str,
    path: str,
    *,
    token: str | None = None,
    accept: str = "*/*",
    patience_s: float = _TIMEOUT_S,
    method: str = "GET",
    body: object = None,
) -> Answer:
    """Return what an admin port answers.

    Args:
        admin: The address of the port.
        path: What to ask, beginning with `/`.
        token: The token to show; None = as `access_to` finds it.
        accept: The media type that is wanted.
        patience_s: How long the collector may think before it responds.
        method: The method of the request.
        body: What to send as JSON; None = nothing.

    Raises:
        InputError: Nobody answers, or without end.
        ConfigError: The token is missing or is rejected.
    """
    import httpx

    access = access_to(admin, token=token)
    timeout = httpx.Timeout(_TIMEOUT_S, read=patience_s)
    verify = client_context() if access.url.startswith("https:") else True
    headers = {"Accept": accept, **ACCEPTED}
    if access.token is not None:
        headers["Authorization"] = f"Bearer {access.token}"
    try:
        with (
            httpx.Client(timeout=timeout, trust_env=not access.is_own, verify=verify) as client,
            client.stream(method, access.url + path, headers=headers, json=body) as response,
        ):
            content = body_of(response, most_bytes=_MOST_BYTES, within_s=_READ_S)
            answer = Answer(response.status_code, content)
    except ResponseError as error:
        raise InputError(
            f"{admin} did not respond like a collector ({error}). Is it a collector's admin port?"
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
        raise InputError(
            f"no collector responds at {admin} ({error}); start one, or give its admin address"
            " with --admin"
        ) from error
    if OTLP_PORT.encode() in answer.content:
        raise InputError(f"{admin}: {OTLP_PORT}")
    _refuse(answer.status, admin, is_shown=access.token is not None)
    return answer


def _refuse(status: int, admin: str, *, is_shown: bool) -> None:
    if status == _FORBIDDEN and is_shown:
        raise ConfigError(
            f"the collector at {admin} does not allow this token to read; set {TOKEN_VARIABLE} to"
            " one of its auth.tokens.WORKSPACE.read"
        )
    if status == _UNAUTHORIZED:
        problem = "does not accept this" if is_shown else "requires a"
        raise ConfigError(
            f"the collector at {admin} {problem} token: set {TOKEN_VARIABLE} to one of its"
            " auth.tokens.WORKSPACE.read, or to the content of admin.token in its data directory"
        )


def _own_access(url: str) -> Access | None:
    """Return the access to a collector of this user on the loopback, if there is one.

    The address is that of the link, as a number: `localhost` could lead to somebody else who
    listens on the other loopback address.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if port is None or parts.username is not None:
        return None
    for address in _loopback_addresses(host):
        token = _own_token(address, port)
        if token is not None:
            shown = f"[{address}]" if ":" in address else address
            return Access(f"{parts.scheme}://{shown}:{port}{parts.path}", token, is_own=True)
    return None


def _loopback_addresses(host: str) -> tuple[str, ...]:
    if host == "localhost":
        return _LOOPBACK
    try:
        return (host,) if ip_address(host).is_loopback else ()
    except ValueError:
        return ()


def _own_token(address: str, port: int) -> str | None:
    """Return the token that is linked for an address, if the file is this user's alone."""
    try:
        descriptor = os.open(link_of(address, port), os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, RuntimeError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        is_private = stat.S_ISREG(status.st_mode) and not status.st_mode & 0o077
        if not is_private or status.st_uid != os.geteuid():
            return None
        content = file.read(_MOST_TOKEN_BYTES)
    found = _TOKEN.fullmatch(content)
    return None if found is None else found[1].decode()
