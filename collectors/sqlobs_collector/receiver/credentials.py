"""From a credential to a workspace."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from sqlobs_collector.errors import UnauthenticatedError
from sqlobs_collector.secrets import token_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs_collector.secrets import Secret

DEFAULT_WORKSPACE: Final = "default"
_SCHEME: Final = "bearer "


class Credentials:
    """The tokens that may send and ask, each of one workspace; kept as digests only."""

    def __init__(self, tokens: Mapping[str, Sequence[Secret]]) -> None:
        self._workspaces = [
            (token_digest(token), workspace)
            for workspace, secrets in tokens.items()
            for token in secrets
        ]

    def workspace(self, authorization: str | None) -> str:
        """Return the workspace that an `Authorization` header belongs to.

        Without configured tokens everything is one workspace.

        Raises:
            UnauthenticatedError: The header is missing, or its token is unknown.
        """
        if not self._workspaces:
            return DEFAULT_WORKSPACE
        if not authorization or authorization[: len(_SCHEME)].lower() != _SCHEME:
            raise UnauthenticatedError("send the header `Authorization: Bearer TOKEN`")
        digest = hashlib.sha256(authorization[len(_SCHEME) :].strip().encode()).digest()
        found = None
        for known, workspace in self._workspaces:  # all are compared: time tells nothing
            if hmac.compare_digest(known, digest):
                found = workspace
        if found is None:
            raise UnauthenticatedError("the token belongs to no workspace")
        return found
