"""Sessions of the console: what a browser may do, by the value of its cookie.

They end with the process, as the collector's own token does.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs_collector.receiver.credentials import Grant

Kept = TypeVar("Kept")
SESSION_S: Final = 8 * 3600
"""A working day; then one logs in again."""
CODE_S: Final = 60
_MOST: Final = 1000
"""Sessions or codes at a time; beyond it, the oldest end."""
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that logged in."""

    grants: tuple[Grant, ...]
    """What it may do; each workspace is in one of them."""
    workspace: str
    """The one that is shown."""

    @property
    def grant(self) -> Grant:
        """What it may do in the workspace that is shown."""
        shown = next(one for one in self.grants if self.workspace in one.workspaces)
        names = tuple(name for one in self.grants for name in one.workspaces)
        return replace(shown, workspaces=names)


class Sessions:
    """Logs in and out; safe to use from several threads."""

    def __init__(self, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._sessions = SecretKeyed[Session](SESSION_S, most=_MOST, clock_s=clock_s)
        self._codes = SecretKeyed[Session](CODE_S, most=_MOST, clock_s=clock_s)
        self._key = secrets.token_bytes(_BYTES)

    def open(self, *grants: Grant) -> str:
        """Return the cookie of a new session, which nobody knew before the login."""
        return self._sessions.add(Session(grants, grants[0].workspaces[0]))

    def get(self, cookie: str) -> Session | None:
        """Return a session; None = unknown or ended."""
        return self._sessions.get(cookie)

    def choose(self, cookie: str, workspace: str) -> None:
        """Show another workspace; one that the session may not see is ignored."""
        session = self._sessions.get(cookie)
        if session is not None and workspace in session.grant.workspaces:
            self._sessions.replace(cookie, replace(session, workspace=workspace))

    def close(self, cookie: str) -> None:
        """Log out; idempotent."""
        self._sessions.pop(cookie)

    def make_code(self, grant: Grant) -> str:
        """Return a code that logs in once within a minute."""
        return self._codes.add(Session((grant,), grant.workspaces[0]))

    def spend_code(self, code: str) -> Grant | None:
        """Return what a code stands for and forget it; None = unknown, used or expired."""
        found = self._codes.pop(code)
        return None if found is None else found.grant

    def csrf_token(self, cookie: str) -> str:
        """Return what a form must send along: other pages know neither the cookie nor the key."""
        return hmac.new(self._key, cookie.encode(), hashlib.sha256).hexdigest()

    def is_csrf_token(self, cookie: str, given: str) -> bool:
        """Return whether a form was made for this cookie."""
        return hmac.compare_digest(self.csrf_token(cookie).encode(), given.encode())


def new_cookie() -> str:
    """Return a random cookie; no session has it."""
    return secrets.token_urlsafe(_BYTES)


class SecretKeyed(Generic[Kept]):
    """Values by a secret, of which only the digest is kept, until they expire; thread-safe.

    Args:
        life_s: How long a value is kept.
        most: How many at a time; beyond it, the oldest end.
        clock_s: The time.
    """

    def __init__(self, life_s: float, *, most: int, clock_s: Callable[[], float]) -> None:
        self._life_s = life_s
        self._most = most
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._kept: dict[bytes, tuple[float, Kept]] = {}  # by age: each expires later

    def add(self, value: Kept) -> str:
        """Keep a value; return its secret."""
        secret = new_cookie()
        with self._lock:
            self._expire()
            while len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
            self._kept[_digest(secret)] = (self._clock_s() + self._life_s, value)
        return secret

    def get(self, secret: str) -> Kept | None:
        """Return a value; None = unknown or expired."""
        with self._lock:
            self._expire()
            found = self._kept.get(_digest(secret))
        return None if found is None else found[1]

    def replace(self, secret: str, value: Kept) -> None:
        """Keep another value under a secret, until the same time."""
        with self._lock:
            if (found := self._kept.get(_digest(secret))) is not None:
                self._kept[_digest(secret)] = (found[0], value)

    def pop(self, secret: str) -> Kept | None:
        """Return a value and forget it; None = unknown or expired."""
        with self._lock:
            self._expire()
            found = self._kept.pop(_digest(secret), None)
        return None if found is None else found[1]

    def _expire(self) -> None:
        now_s = self._clock_s()
        ended = [key for key, (until_s, _) in self._kept.items() if until_s <= now_s]
        for key in ended:
            del self._kept[key]


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
