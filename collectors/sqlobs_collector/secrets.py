"""Secrets of the configuration: written as references, never printed."""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sqlobs.urls import MASK

_SHA256: Final = "sha256:"
_TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Secret:
    """`env:NAME`, `file:PATH`, or a literal that every printed form masks."""

    reference: str = field(repr=False)

    def reveal(self) -> str:
        """Return the secret's text.

        Raises:
            ValueError: The variable is unset, or the file cannot be read.
        """
        scheme, separator, rest = self.reference.partition(":")
        if separator and scheme == "env":
            if rest not in os.environ:
                message = f"the environment variable {rest} is not set"
                raise ValueError(message)
            return os.environ[rest]
        if separator and scheme == "file":
            return _read(Path(rest))
        return self.reference

    def __str__(self) -> str:
        is_reference = self.reference.startswith(("env:", "file:", _SHA256))
        return self.reference if is_reference else MASK


def new_token() -> str:
    """Return a token that nobody can guess: 32 random bytes in base64, 43 characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def token_digest(token: Secret) -> bytes:
    """Return the SHA-256 of a token, which may be given as `sha256:HEX` already.

    Raises:
        ValueError: The reference cannot be resolved, or the digest is not one.
    """
    text = token.reveal()
    if not text.startswith(_SHA256):
        return hashlib.sha256(text.encode()).digest()
    digest = bytes.fromhex(text.removeprefix(_SHA256))
    if len(digest) != hashlib.sha256().digest_size:
        message = "a sha256: token must have 64 hex digits"
        raise ValueError(message)
    return digest


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        message = f"cannot read {path}: {error.strerror}"
        raise ValueError(message) from error
