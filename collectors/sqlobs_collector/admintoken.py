"""The collector's own token: anyone who can read its file may ask the admin port.

It is made again at each start, so that a token which a stranger got to hear (on the port of a
collector that had ended, say) opens nothing.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.admin import link_of
from sqlobs.errors import ConfigError
from sqlobs_collector.secrets import Secret

if TYPE_CHECKING:
    from sqlobs_collector.addresses import Address

_log = logging.getLogger(__name__)

FILE_NAME: Final = "admin.token"
"""The file in the data directory: the token and a line feed, mode 0600."""
_BYTES: Final = 32


class OwnToken:
    """A token in a file, linked from where the user's own commands look for it."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir.absolute() / FILE_NAME
        self._link: Path | None = None

    def make(self) -> Secret:
        """Write a new token in place of what an earlier process left, and return it.

        Raises:
            ConfigError: The file cannot be written.
        """
        token = secrets.token_urlsafe(_BYTES)
        try:
            _replace(self._path, token + "\n")
        except OSError as error:
            raise ConfigError(f"cannot write {self._path} ({error.strerror})") from error
        return Secret(token)

    def link(self, address: Address) -> None:
        """Link the file under the loopback address at which commands of this user ask."""
        loopback = address.loopback
        if loopback is None:
            return
        try:
            link = link_of(loopback, address.port)
            link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _relink(link, self._path)
            _forget_ended(link.parent)
        except (OSError, RuntimeError) as error:
            _log.warning(
                "cannot link the admin token %s for this user's commands (%s): set"
                " SQLOBS_COLLECTOR_ADMIN_TOKEN to its content",
                self._path,
                error,
            )
            return
        self._link = link

    def remove(self) -> None:
        """Remove the file, and the link if it still leads here; idempotent."""
        link, self._link = self._link, None
        with suppress(OSError):
            if link is not None and link.readlink() == self._path:
                link.unlink()
        with suppress(OSError):
            self._path.unlink()


def _forget_ended(directory: Path) -> None:
    """Remove the links of collectors that were killed: their tokens are gone with their data."""
    for link in directory.glob("admin-*.token"):
        if link.is_symlink() and not link.exists():
            link.unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    """Write a file for its owner only, whole or not at all."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _relink(link: Path, target: Path) -> None:
    """Put a symbolic link in the place of another, at once."""
    new = link.with_name(f".{link.name}.{secrets.token_hex(8)}")
    new.symlink_to(target)
    try:
        new.replace(link)
    except OSError:
        new.unlink(missing_ok=True)
        raise
