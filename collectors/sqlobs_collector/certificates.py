"""The certificate of a listener, read again when its files change.

A certificate that is renewed while the collector runs serves the connections that begin after it;
files that do not fit together, perhaps half written, change nothing.
"""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

_log = logging.getLogger(__name__)

_OLDEST: Final = ssl.TLSVersion.TLSv1_2


class Pems(NamedTuple):
    """The content of a listener's files."""

    chain: bytes
    key: bytes
    client_ca: bytes | None


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where a listener's certificate is."""

    chain: Path
    key: Path
    client_ca: Path | None = None
    """The CAs that must have signed the certificates of clients; None: clients need none."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files."""
        return tuple(path for path in (self.chain, self.key, self.client_ca) if path is not None)

    def context(self) -> ssl.SSLContext:
        """Return a server's context with what the files hold now.

        Raises:
            OSError: A file cannot be read, or the files do not match.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = _OLDEST
        context.load_cert_chain(self.chain, self.key, password=_no_password)
        if self.client_ca is not None:
            context.load_verify_locations(self.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def pems(self) -> Pems:
        """Return what the files hold now.

        Raises:
            OSError: A file cannot be read.
        """
        client_ca = None if self.client_ca is None else self.client_ca.read_bytes()
        return Pems(self.chain.read_bytes(), self.key.read_bytes(), client_ca)


class Certificate:
    """What a listener presents to its clients, and asks of them."""

    def __init__(self, files: CertificateFiles) -> None:
        """Read the files.

        Raises:
            ConfigError: They cannot be read, or do not match.
        """
        self._files = files
        self._seen = _states(files)
        try:
            self._context = self._current = files.context()
            self._pems = files.pems()
        except OSError as error:
            raise ConfigError(f"tls: {_problem(files, error)}") from error
        self._context.sni_callback = self._offer

    @property
    def context(self) -> ssl.SSLContext:
        """The context of a listener; each connection gets the certificate of its time."""
        return self._context

    @property
    def asks_clients(self) -> bool:
        """Whether clients must present a certificate, too."""
        return self._files.client_ca is not None

    def pems(self) -> Pems:
        """Return the newest content of the files that fits together."""
        self._refresh()
        return self._pems

    def _offer(self, connection: ssl.SSLObject, _name: str | None, _: ssl.SSLContext) -> None:
        self._refresh()
        connection.context = self._current

    def _refresh(self) -> None:
        states = _states(self._files)
        if states == self._seen:
            return
        self._seen = states
        try:
            context, pems = self._files.context(), self._files.pems()
        except OSError as error:
            _log.warning("the certificate stays as it was: %s", _problem(self._files, error))
            return
        self._current, self._pems = context, pems
        _log.info("the certificate was read again from %s", self._files.chain)


def _states(files: CertificateFiles) -> tuple[tuple[int, int, int] | None, ...]:
    """Return what tells that a file was written or replaced; None for one that is missing."""
    return tuple(map(_state, files.paths))


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _problem(files: CertificateFiles, error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        named = " and ".join(map(str, files.paths))
        return f"{named} do not match or are not PEM ({error.reason or error})"
    missing = next((path for path in files.paths if _state(path) is None), files.chain)
    return f"cannot read {error.filename or missing}: {error.strerror}"


def _no_password() -> str:
    """Answer instead of the terminal, which would be asked."""
    raise ssl.SSLError(ssl.SSL_ERROR_SSL, "the key has a password")
