"""Undelivered requests, kept in a directory for this process or another.

One file for each request, readable by its owner only. Its name contains the time, the number of
records, the capture level and a hash of the collector's URL:

    01763856000123456789-512-raw-3f2a9c41d0e7-4711-2.units

A process locks a file while it sends it; the lock ends with the process. Files are not synced to
the disk: a crash of the machine may lose them. Tests: `tests/telemetry/test_spool.py`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count as counter
from typing import TYPE_CHECKING, Final, Self

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # looked at before its use

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.config import CollectorCapture

_logger = logging.getLogger("sqlobs")

_NAME: Final = re.compile(
    r"(?P<ns>\d{20})-(?P<count>\d+)-(?P<capture>raw|masked|none)-(?P<place>[0-9a-f]{12})"
    r"-(?P<pid>\d+)-\d+\.units"
)
"""As `01763856000123456789-512-raw-3f2a9c41d0e7-4711-2.units`."""
_LOCK_NAME: Final = ".lock"
_PART: Final = ".part"
_OWNER_ONLY: Final = 0o600
_OTHERS: Final = 0o077
_MOST_BYTES: Final = 64 * 1024 * 1024
"""Limit of one file; ours are far smaller."""
_TEXTS: Final[dict[str, int]] = {"none": 0, "masked": 1, "raw": 2}
"""Capture levels: a process never sends a file of a higher level than its own."""


class Spool:
    """A directory of requests; several processes may share it."""

    def __init__(
        self,
        directory: Path,
        *,
        most_bytes: int,
        most_age_s: float,
        endpoint: str,
        capture: CollectorCapture,
    ) -> None:
        self.directory = directory
        self._most_bytes = most_bytes
        self._most_age_s = most_age_s
        self._place = hashlib.sha256(endpoint.encode()).hexdigest()[:12]
        self._capture: CollectorCapture = capture
        self._numbers = counter()
        self._own: dict[str, int] = {}
        self._has_complained = False

    @property
    def pending(self) -> int:
        """Records of this process in the directory, unless another process sent them."""
        return sum(tuple(self._own.values()))

    def keep(self, payload: bytes, count: int) -> bool:
        """Write a request with `count` records; False without room, or if it cannot be written."""
        try:
            with self._locked():
                if self._size() + len(payload) > self._most_bytes:
                    return False
                name = self._write(payload, count)
        except OSError as error:
            self._complain(error)
            return False
        self._own[name] = count
        return True

    def claim(self) -> Claim | None:
        """Lock and read the oldest request that this process may send, or return None."""
        names = self._names()
        for gone in self._own.keys() - set(names):  # sent by another process
            self._own.pop(gone, None)
        for claim in self._claims(names):
            claim.read()
            return claim
        return None

    def expire(self) -> int:
        """Delete expired files; return the number of their records."""
        oldest_ns = time.time_ns() - round(self._most_age_s * 1e9)
        old = [name for name in self._names() if name < f"{oldest_ns:020d}"]
        lost = 0
        for claim in self._claims(old):
            with claim:
                claim.is_done = True
            lost += claim.count
        for name in old:
            if name.endswith(_PART):  # of a process that was killed while it wrote
                (self.directory / name).unlink(missing_ok=True)
        return lost

    def _names(self) -> list[str]:
        """Return the names of all files, oldest first."""
        try:
            return sorted(entry.name for entry in os.scandir(self.directory))
        except OSError:  # there is no directory yet
            return []

    def _claims(self, names: Iterable[str]) -> Iterator[Claim]:
        """Yield the files that this process may send, locked, one at a time."""
        for name in names:
            found = _NAME.fullmatch(name)
            if found is None or not self._is_for_us(found):
                continue
            with suppress(OSError):
                descriptor = _opened(self.directory / name)
                if descriptor is not None:
                    yield Claim(self, name, int(found["count"]), descriptor)

    def _is_for_us(self, found: re.Match[str]) -> bool:
        """Return whether a file is for our collector, and within our capture level."""
        is_agreed = _TEXTS[found["capture"]] <= _TEXTS[self._capture]
        return found["place"] == self._place and is_agreed

    def forget(self, name: str) -> None:
        """Record that a request has been sent."""
        self._own.pop(name, None)

    def _write(self, payload: bytes, count: int) -> str:
        name = (
            f"{time.time_ns():020d}-{count}-{self._capture}-{self._place}"
            f"-{os.getpid()}-{next(self._numbers)}.units"
        )
        part = self.directory / (name + _PART)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            with os.fdopen(os.open(part, flags, _OWNER_ONLY), "wb") as file:
                file.write(payload)
            part.rename(self.directory / name)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        return name

    def _size(self) -> int:
        sizes = 0
        for entry in os.scandir(self.directory):
            with suppress(OSError):  # sent meanwhile
                sizes += entry.stat(follow_symlinks=False).st_size
        return sizes

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the directory, so that all processes together observe the limits."""
        self._prepare()
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.directory / _LOCK_NAME, flags, _OWNER_ONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _prepare(self) -> None:
        if fcntl is None:
            raise OSError("this system does not support POSIX file locks")
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.directory.stat()
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError("other users may write to it")

    def _complain(self, error: OSError) -> None:
        if not self._has_complained:
            self._has_complained = True
            _logger.warning(
                "sqlobs: units cannot be kept in %s: %s (logged once; they stay in memory)",
                self.directory,
                error.strerror or error,
            )


class Claim:
    """A locked request, and a context manager that deletes or unlocks it."""

    def __init__(self, spool: Spool, name: str, count: int, descriptor: int) -> None:
        self.payload = b""
        self.count = count
        self.is_done = False
        """Set to True to delete the request: it needs no retry."""
        self._spool = spool
        self._name = name
        self._descriptor = descriptor

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_done:
            with suppress(OSError):
                (self._spool.directory / self._name).unlink()
            self._spool.forget(self._name)
        # A forked child holds the same lock, until it is taken back for all
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)

    def read(self) -> None:
        """Read the request."""
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            self.payload = file.read(_MOST_BYTES)


def _opened(path: Path) -> int | None:
    """Open and lock one of our files; None for a file of another user or process."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        is_ours = found.st_uid == os.geteuid() and not found.st_mode & _OTHERS
        if is_ours and stat.S_ISREG(found.st_mode) and found.st_nlink:
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
