"""The collector's own token: anyone who can read its file may use the admin port.

It is generated at each start, so that a token that leaked (for example to another program on the
port of a stopped collector) is useless.
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
from sqlobs_collector.secrets import Secret, new_token

if TYPE_CHECKING:
    from sqlobs_collector.addresses import Address

_log = logging.getLogger(__name__)

FILE_NAME: Final = "admin.token"
"""The file in the data directory: the token and a line feed, mode 0600."""


class OwnToken:
    """A token in a file, with a link where the user's own commands look for it."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir.absolute() / FILE_NAME
        self._link: Path | None = None

    def make(self) -> Secret:
        """Generate a token, replace the file of an earlier process, and return the token.

        Raises:
            ConfigError: The file cannot be written.
        """
        token = new_token()
        try:
            _replace(self._path, token + "\n")
        except OSError as error:
            raise ConfigError(f"cannot write {self._path} ({error.strerror})") from error
        return Secret(token)

    def link(self, address: Address) -> None:
        """Link the file under the loopback address that commands of this user connect to."""
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
        """Remove the file, and the link if it still points to it; idempotent."""
        link, self._link = self._link, None
        with suppress(OSError):
            if link is not None and link.readlink() == self._path:
                link.unlink()
        with suppress(OSError):
            self._path.unlink()


def _forget_ended(directory: Path) -> None:
    """Remove dangling links of collectors that were killed."""
    for link in directory.glob("admin-*.token"):
        if link.is_symlink() and not link.exists():
            link.unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    """Write a file atomically, readable for its owner only."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _relink(link: Path, target: Path) -> None:
    """Replace a symbolic link atomically."""
    new = link.with_name(f".{link.name}.{secrets.token_hex(8)}")
    new.symlink_to(target)
    try:
        new.replace(link)
    except OSError:
        new.unlink(missing_ok=True)
        raise
