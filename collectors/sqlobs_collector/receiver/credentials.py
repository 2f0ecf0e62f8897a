"""Maps a credential to a workspace and a right in it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import ForbiddenError, UnauthenticatedError
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.secrets import token_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs_collector.secrets import Secret
    from sqlobs_collector.settings.receiving import Right

_SCHEME: Final = "bearer "
_MISSING: Final = (
    "send the header `Authorization: Bearer TOKEN` with the token from the file admin.token in the"
    " collector's data directory; sqlobs commands find it automatically"
)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token may do, and in which workspace."""

    workspace: str
    rights: frozenset[Right]


@dataclass(frozen=True, slots=True)
class Reader:
    """A client of the admin port."""

    workspace: str | None
    """The workspace that it may read; None = not determined."""
    is_operator: bool = False
    """Whether it has the collector's own token, and thus access to the data directory."""


class Credentials:
    """The configured tokens, each of one workspace with a set of rights; kept as digests only."""

    def __init__(
        self,
        tokens: Mapping[str, Mapping[Right, Sequence[Secret]]],
        *,
        own: Secret | None = None,
    ) -> None:
        """Set up.

        Args:
            tokens: By workspace and right. A token that is listed under several rights has all
                of them.
            own: The collector's own token, which reads everything; None = there is none.
        """
        self._own = None if own is None else token_digest(own)
        self._workspaces = tuple(tokens) or (DEFAULT_WORKSPACE,)
        self._grants: dict[bytes, Grant] = {}
        for workspace, by_right in tokens.items():
            for right, secrets in by_right.items():
                for digest in map(token_digest, secrets):
                    known = self._grants.get(digest, Grant(workspace, frozenset()))
                    self._grants[digest] = Grant(workspace, known.rights | {right})

    @property
    def is_open(self) -> bool:
        """Whether no token is configured."""
        return not self._grants

    def ingesting(self, authorization: str | None) -> str:
        """Return the workspace that the sender of an `Authorization` header sends into.

        Without configured tokens everything is one workspace.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
            ForbiddenError: The token may not ingest.
        """
        if self.is_open:
            return DEFAULT_WORKSPACE
        return self._granted(bearer_token(authorization), "ingest")

    def reader(self, authorization: str | None) -> Reader:
        """Return who the sender of an `Authorization` header is to the admin port.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
            ForbiddenError: The token may not read.
        """
        if self.is_open and not authorization:
            raise UnauthenticatedError(_MISSING)
        token = bearer_token(authorization)
        digest = hashlib.sha256(token.encode()).digest()
        if self._own is not None and hmac.compare_digest(self._own, digest):
            only = self._workspaces[0] if len(self._workspaces) == 1 else None
            return Reader(only, is_operator=True)
        return Reader(self._granted(token, "read"))

    def _granted(self, token: str, right: Right) -> str:
        grant = self._grant(token)
        if grant is None:
            raise UnauthenticatedError("unknown token: it does not belong to any workspace")
        if right not in grant.rights:
            has = " and ".join(sorted(grant.rights))
            raise ForbiddenError(
                f"the token has the right to {has}, not to {right}: use a token of"
                f" auth.tokens.WORKSPACE.{right}"
            )
        return grant.workspace

    def _grant(self, token: str) -> Grant | None:
        digest = hashlib.sha256(token.encode()).digest()
        found = None
        for (
            known,
            grant,
        ) in self._grants.items():  # all are compared, so that timing reveals nothing
            if hmac.compare_digest(known, digest):
                found = grant
        return found


def bearer_token(authorization: str | None) -> str:
    """Return the token of an `Authorization` header.

    Raises:
        UnauthenticatedError: There is none.
    """
    if not authorization or authorization[: len(_SCHEME)].lower() != _SCHEME:
        raise UnauthenticatedError("send the header `Authorization: Bearer TOKEN`")
    return authorization[len(_SCHEME) :].strip()
