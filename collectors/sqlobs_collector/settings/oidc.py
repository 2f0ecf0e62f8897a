"""The section of the login with an identity provider (OpenID Connect)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from pydantic import Field, model_validator

from sqlobs.errors import MissingExtraError
from sqlobs_collector.addresses import Address
from sqlobs_collector.settings import values
from sqlobs_collector.settings.receiving import Right  # noqa: TC001 - pydantic reads it

CALLBACK: Final = "/login/oidc/callback"
"""The path of the redirect URI."""
EVERYBODY: Final = "*"
"""The key of the grants of everyone who can log in at the provider."""


class Oidc(values.Section):
    """Login of people to the console and the admin API with an identity provider."""

    entry = "group"

    issuer: values.Url | None = Field(
        default=None,
        description="Issuer, as its `/.well-known/openid-configuration` names it; unset: tokens"
        " only. Needs the extra `oidc`.",
    )
    client_id: str = Field(default="", description="Client id of the console at the provider.")
    client_secret: values.KnownSecret | None = Field(
        default=None, description="Client secret: `env:NAME`; unset: a public client (PKCE)."
    )
    console_url: values.Url | None = Field(
        default=None,
        description="Address of the console as browsers see it. The redirect URI to register is"
        f" this address and `{CALLBACK}`.",
    )
    scopes: list[str] = Field(
        default=["openid", "profile", "email"],
        description="Scopes to ask for; `openid` is one of them.",
    )
    claim: str = Field(
        default="groups", description="Claim of the ID token with the groups of a user."
    )
    grants: dict[str, dict[str, list[Right]]] = Field(
        default_factory=dict,
        description="By group, the rights in workspaces: `analysts: {sales: [read, label]}`."
        f" `{EVERYBODY}`: everyone who can log in at the provider.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Oidc:
        if self.issuer is None:
            return self
        if not self.client_id or self.console_url is None or not self.grants:
            raise ValueError("set client_id, console_url and grants, too")
        if self.issuer.scheme != "https" and not Address(self.issuer.host or "", 0).is_loopback:
            raise ValueError(
                "issuer: only https is allowed, because a login depends on its answers"
            )
        if "openid" not in self.scopes:
            raise ValueError("scopes: add openid; without it the provider sends no ID token")
        if any("ingest" in rights for some in self.grants.values() for rights in some.values()):
            raise ValueError("grants: people cannot ingest; applications send with a token")
        if find_spec("authlib") is None:
            raise ValueError(str(MissingExtraError("A login with OIDC", extra="oidc")))
        return self

    @property
    def redirect_uri(self) -> str:
        """Where the provider sends browsers back to."""
        return str(self.console_url).rstrip("/") + CALLBACK

    def granted(self, groups: frozenset[str]) -> dict[str, frozenset[Right]]:
        """Return the rights of a user by workspace, those of all groups together."""
        found: dict[str, frozenset[Right]] = {}
        for group in (EVERYBODY, *sorted(groups - {EVERYBODY})):
            for workspace, rights in self.grants.get(group, {}).items():
                found[workspace] = found.get(workspace, frozenset()) | frozenset(rights)
        return {workspace: rights for workspace, rights in found.items() if rights}
