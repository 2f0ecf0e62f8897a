"""Maps a credential to a workspace and a right in it."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import ForbiddenError, UnauthenticatedError
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.secrets import token_digest
from sqlobs_collector.settings.receiving import RIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs_collector.secrets import Secret
    from sqlobs_collector.settings.receiving import Right
    from sqlobs_collector.store.tokens import TokenRow

_SCHEME: Final = "bearer "
_MISSING: Final = (
    "send the header `Authorization: Bearer TOKEN` with the token from the file admin.token in the"
    " collector's data directory; sqlobs commands find it automatically"
)
_SENDING: Final[Right] = "ingest"
_OWN: Final = "admin.token"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the holder of a token may do, and in which workspaces."""

    workspaces: tuple[str, ...]
    """One, except for the operator of a collector with several workspaces."""
    rights: frozenset[Right]
    is_operator: bool = False
    """Whether it is the collector's own token: its holder has access to the data directory."""
    name: str = ""
    """The setting that holds the token (`auth.tokens.sales.label`), or the id of a token of the
    store (`token 1f3a9c02`). Decisions are stored with it."""
    expires_ns: int | None = None
    """Unix time; None: never."""

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_ns is not None and self.expires_ns <= time.time_ns()

    def require(self, right: Right) -> None:
        """Check a right.

        Raises:
            ForbiddenError: The token does not have it.
        """
        if right not in self.rights:
            has = " and ".join(sorted(self.rights))
            raise ForbiddenError(
                f"the token has the right to {has}, not to {right}: use a token of"
                f" auth.tokens.WORKSPACE.{right}"
            )


class Credentials:
    """The configured tokens, each of one workspace with a set of rights; kept as digests only."""

    def __init__(
        self,
        tokens: Mapping[str, Mapping[Right, Sequence[Secret]]],
        *,
        own: Secret | None = None,
        workspaces: Sequence[str] = (),
    ) -> None:
        """Set up.

        Args:
            tokens: By workspace and right. A token that is listed under several rights has all
                of them.
            own: The collector's own token, which has every right but to send; None = there is
                none.
            workspaces: Those that may also have tokens in the store.
        """
        self._own = None if own is None else token_digest(own)
        self._stored_workspaces = frozenset(workspaces)
        named = tuple(dict.fromkeys((*tokens, *workspaces)))
        self._workspaces = named or (DEFAULT_WORKSPACE,)
        self._stored: Mapping[bytes, Grant] = {}
        self._grants: dict[bytes, Grant] = {}
        for workspace, by_right in tokens.items():
            for right, secrets in by_right.items():
                for number, digest in enumerate(map(token_digest, secrets)):
                    place = f"[{number}]" if len(secrets) > 1 else ""
                    name = f"auth.tokens.{workspace}.{right}{place}"
                    known = self._grants.get(digest, Grant((workspace,), frozenset(), name=name))
                    self._grants[digest] = replace(known, rights=known.rights | {right})

    @property
    def is_open(self) -> bool:
        """Whether nobody needs a token."""
        return not self._grants and not self._stored_workspaces

    def learn(self, rows: Iterable[TokenRow]) -> None:
        """Take the tokens of the store in place of those that were known from it."""
        self._stored = {
            row.digest: Grant(
                (row.workspace,),
                row.rights,
                name=f"token {row.id}",
                expires_ns=row.expires_ns,
            )
            for row in rows
            if row.revoked_ns is None and row.workspace in self._stored_workspaces
        }

    def is_valid(self, grant: Grant) -> bool:
        """Return whether a token that was known still is: it was not revoked, and has time left."""
        is_stored = grant.expires_ns is not None
        return not grant.has_expired and (not is_stored or grant in self._stored.values())

    @property
    def by_workspace(self) -> dict[str, list[frozenset[Right]]]:
        """The rights of each configured token, by workspace."""
        found: dict[str, list[frozenset[Right]]] = {}
        for grant in (*self._grants.values(), *self._stored.values()):
            found.setdefault(grant.workspaces[0], []).append(grant.rights)
        return found

    def ingesting(self, authorization: str | None) -> str:
        """Return the workspace that the sender of an `Authorization` header sends into.

        Without configured tokens everything is one workspace.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
            ForbiddenError: The token may not ingest.
        """
        if self.is_open:
            return DEFAULT_WORKSPACE
        grant = self._granted(bearer_token(authorization))
        grant.require(_SENDING)
        return grant.workspaces[0]

    def granted(self, authorization: str | None) -> Grant:
        """Return what the sender of an `Authorization` header may do on the admin port.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
        """
        if self.is_open and not authorization:
            raise UnauthenticatedError(_MISSING)
        return self.of_token(bearer_token(authorization))

    def of_token(self, token: str) -> Grant:
        """Return what the holder of a token may do on the admin port.

        Raises:
            UnauthenticatedError: The token is unknown.
        """
        digest = hashlib.sha256(token.encode()).digest()
        if self._own is not None and hmac.compare_digest(self._own, digest):
            return Grant(self._workspaces, RIGHTS - {_SENDING}, is_operator=True, name=_OWN)
        return self._granted(token)

    def _granted(self, token: str) -> Grant:
        digest = hashlib.sha256(token.encode()).digest()
        found = None
        for known, grant in chain(self._grants.items(), self._stored.items()):
            if hmac.compare_digest(known, digest):  # all, so that timing reveals nothing
                found = grant
        if found is None:
            raise UnauthenticatedError("unknown token: it does not belong to any workspace")
        if found.has_expired:
            raise UnauthenticatedError(
                "the token has expired: ask the operator for another one, by"
                " `sqlobs-collector token create`"
            )
        return found


def bearer_token(authorization: str | None) -> str:
    """Return the token of an `Authorization` header.

    Raises:
        UnauthenticatedError: There is none.
    """
    if not authorization or authorization[: len(_SCHEME)].lower() != _SCHEME:
        raise UnauthenticatedError("send the header `Authorization: Bearer TOKEN`")
    return authorization[len(_SCHEME) :].strip()
