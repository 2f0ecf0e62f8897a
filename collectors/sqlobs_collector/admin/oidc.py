"""Login with an identity provider: the authorization code flow of OpenID Connect, with PKCE.

Authlib makes and checks state, nonce, code verifier, signature and claims. What an attempt needs
until the browser comes back is kept here, under a secret that only that browser has.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs_collector.admin.sessions import SecretKeyed
from sqlobs_collector.receiver.credentials import Grant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from sqlobs_collector.settings.oidc import Oidc

ATTEMPT_S: Final = 600
"""How long a browser may take at the provider."""
_MOST: Final = 10_000
"""Attempts at a time; beyond it, the oldest end."""
_TIMEOUT_S: Final = 10
_CLOCKS_S: Final = 60
"""How far the clocks of the provider and this machine may be apart."""
_NAMES: Final = ("email", "preferred_username", "sub")
"""Claims that name a user, the best first."""
_UNSIGNED: Final = "none"


class OidcError(Exception):
    """A login did not succeed; the message is for the person who tried."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A browser that is sent to the provider."""

    url: str
    secret: str
    """For its cookie: who comes back with it is the same browser."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A browser that came back, and whom the provider says it belongs to."""

    grants: tuple[Grant, ...]
    """One by workspace."""
    next: str
    """Where it wanted to go."""


class OidcLogin:
    """Sends browsers to the provider and checks those that come back."""

    def __init__(self, settings: Oidc, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        from authlib.integrations.starlette_client import OAuth

        self._settings = settings
        self._attempts = SecretKeyed[dict[str, Any]](ATTEMPT_S, most=_MOST, clock_s=clock_s)
        self._issuer = str(settings.issuer).rstrip("/")
        secret = settings.client_secret
        self._provider = OAuth().register(
            "oidc",
            client_id=settings.client_id,
            client_secret=None if secret is None else secret.reveal(),
            server_metadata_url=f"{self._issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": " ".join(settings.scopes),
                "code_challenge_method": "S256",
                "timeout": _TIMEOUT_S,
                **({"token_endpoint_auth_method": "none"} if secret is None else {}),
            },
        )

    async def depart(self, request: Request, target: str) -> Departure:
        """Begin an attempt.

        Raises:
            OidcError: The provider cannot be reached, or is not the configured one.
        """
        from httpx2 import HTTPError

        attempt: dict[str, Any] = {}
        request.scope["session"] = attempt  # where Authlib keeps state, nonce and code verifier
        try:
            await self._known_provider()
            answer = await self._provider.authorize_redirect(request, self._settings.redirect_uri)
        except (HTTPError, ValueError) as error:
            raise OidcError(f"The identity provider does not respond: {_told(error)}.") from error
        attempt["next"] = target
        return Departure(answer.headers["location"], self._attempts.add(attempt))

    async def arrive(self, request: Request, secret: str) -> Arrival:
        """Check a browser that came back; its attempt ends, whatever comes of it.

        Raises:
            OidcError: It is not the browser of an attempt, the provider's answer is not valid, or
                the user has no rights here.
        """
        from authlib.common.errors import AuthlibBaseError
        from httpx2 import HTTPError
        from joserfc.errors import JoseError

        attempt = self._attempts.pop(secret)
        if attempt is None:
            raise OidcError("This login took more than ten minutes, or was begun elsewhere.")
        request.scope["session"] = attempt
        target = str(attempt.pop("next"))
        try:
            await self._known_provider()
            token = await self._provider.authorize_access_token(
                request,
                leeway=_CLOCKS_S,
                claims_options={
                    "iss": {"essential": True, "value": self._provider.server_metadata["issuer"]},
                    "aud": {"essential": True, "value": self._settings.client_id},
                },
            )
        except (AuthlibBaseError, JoseError, HTTPError, ValueError) as error:
            raise OidcError(
                f"The identity provider's answer is not valid: {_told(error)}."
            ) from error
        claims = token.get("userinfo")
        if not claims:
            raise OidcError("The identity provider sent no ID token.")
        return Arrival(self._grants(claims), target)

    async def _known_provider(self) -> None:
        """Read the provider's metadata, once.

        Raises:
            OidcError: They are those of another issuer.
        """
        metadata = await self._provider.load_server_metadata()
        found = str(metadata.get("issuer", ""))
        if found.rstrip("/") != self._issuer:
            raise OidcError(f"The identity provider calls itself {found}, not {self._issuer}.")
        signed = metadata.get("id_token_signing_alg_values_supported", ())
        metadata["id_token_signing_alg_values_supported"] = [
            name for name in signed if name.lower() != _UNSIGNED
        ]

    def _grants(self, claims: Mapping[str, object]) -> tuple[Grant, ...]:
        name = next(str(claims[one]) for one in _NAMES if claims.get(one))
        granted = self._settings.granted(_groups(claims.get(self._settings.claim)))
        if not granted:
            raise OidcError(
                f"{name} has no rights here: oidc.grants names none of the groups in the claim"
                f" {self._settings.claim}."
            )
        return tuple(
            Grant((workspace,), rights, name=name) for workspace, rights in granted.items()
        )


def _groups(claim: object) -> frozenset[str]:
    """Return the groups of a claim: a name, a list of names, or names with what is said of each."""
    if isinstance(claim, str):
        return frozenset({claim})
    return frozenset(map(str, claim)) if isinstance(claim, list | dict) else frozenset()


def _told(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__
