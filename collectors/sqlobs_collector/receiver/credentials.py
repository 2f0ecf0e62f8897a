"""From a credential to a workspace and the right to do something in it."""

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


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token may do, and in which workspace."""

    workspace: str
    rights: frozenset[Right]


class Credentials:
    """The configured tokens, each of one workspace with a set of rights; kept as digests only."""

    def __init__(self, tokens: Mapping[str, Mapping[Right, Sequence[Secret]]]) -> None:
        """Set up.

        Args:
            tokens: By workspace and right. A token that is listed under several rights has all
                of them.
        """
        self._grants: dict[bytes, Grant] = {}
        for workspace, by_right in tokens.items():
            for right, secrets in by_right.items():
                for digest in map(token_digest, secrets):
                    known = self._grants.get(digest, Grant(workspace, frozenset()))
                    self._grants[digest] = Grant(workspace, known.rights | {right})

    @property
    def is_open(self) -> bool:
        """True when no token is configured."""
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
        return self._granted(authorization, "ingest")

    def reading(self, authorization: str | None) -> str:
        """Return the workspace that the sender of an `Authorization` header may ask about.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
            ForbiddenError: The token may not read.
        """
        if self.is_open:
            return DEFAULT_WORKSPACE
        return self._granted(authorization, "read")

    def _granted(self, authorization: str | None, right: Right) -> str:
        grant = self._grant(bearer_token(authorization))
        if grant is None:
            raise UnauthenticatedError("the token belongs to no workspace")
        if right not in grant.rights:
            has = " and ".join(sorted(grant.rights))
            raise ForbiddenError(
                f"the token may {has}, not {right}: use one of auth.tokens.WORKSPACE.{right}"
            )
        return grant.workspace

    def _grant(self, token: str) -> Grant | None:
        digest = hashlib.sha256(token.encode()).digest()
        found = None
        for known, grant in self._grants.items():  # all are compared: time tells nothing
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
