"""The data directory: created if missing, used by one collector at a time."""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


OWNER_ONLY: Final = 0o600
"""The mode of all files in it."""
JOURNAL: Final = "journal"
"""The directory of the journal, inside the data directory."""
_KEY_BYTES: Final = 32


def make_directory(directory: Path) -> None:
    """Create a directory that only its owner can access, with its parents.

    Raises:
        ConfigError: It cannot be created.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"cannot create {directory} ({error.strerror}): set data_dir to a directory that the"
            " collector can write to"
        ) from error


def make_durable(path: Path | str) -> None:
    """Write the content of a file, or the names in a directory, through to the disk.

    Raises:
        OSError: There is none at the path, or the disk fails.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kept_key(path: Path) -> bytes:
    """Return the key in a file; generates one if the file does not exist.

    Raises:
        ConfigError: The file cannot be read or written.
    """
    try:
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot store a key in {path} ({error.strerror})") from error


class DirectoryLock:
    """A lock on a data directory against a second collector, for the process' lifetime."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Acquire the lock.

        Raises:
            ConfigError: Another collector holds it, or the directory is not writable.
        """
        if not self.take():
            raise ConfigError(
                f"another collector is using {self._directory}: stop it, or set data_dir to"
                " another directory"
            )

    def take(self) -> bool:
        """Acquire the lock unless another collector holds it; return whether it was free.

        Raises:
            ConfigError: The directory is not writable.
        """
        make_directory(self._directory)
        try:
            descriptor = os.open(self._directory / "lock", os.O_CREAT | os.O_RDWR, OWNER_ONLY)
        except OSError as error:
            raise ConfigError(
                f"cannot write {self._directory} ({error.strerror}): set data_dir to a directory"
                " that the collector can write to"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Release the lock; idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
