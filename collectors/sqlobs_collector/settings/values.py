"""The kinds of values that settings have, checked where they are read."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
)

from sqlobs.urls import shown_url
from sqlobs_collector.addresses import Address
from sqlobs_collector.secrets import Secret, token_digest

MIB: Final = 1024**2
GIB: Final = 1024**3
_CENTURY_S: Final = 100 * 366 * 86_400
"""Upper limit of durations, so that they fit into nanosecond timestamps."""


def _address(value: object) -> object:
    return Address.parse(value) if isinstance(value, str) else value


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


def _resolvable(token: Secret) -> Secret:
    token_digest(token)
    if not token.reveal().strip():
        raise ValueError("the token is empty")
    return token


def _revealable(secret: Secret) -> Secret:
    secret.reveal()
    return secret


ListenAddress = Annotated[Address, BeforeValidator(_address), PlainSerializer(str)]
HiddenText = Annotated[Secret, BeforeValidator(_secret), PlainSerializer(str)]
Token = Annotated[HiddenText, AfterValidator(_resolvable)]
KnownSecret = Annotated[HiddenText, AfterValidator(_revealable)]
Count = Annotated[int, Field(ge=0)]
Age = Annotated[int, Field(le=_CENTURY_S)]
Calibration = tuple[tuple[Count, Count], tuple[Count, Count]]
Url = Annotated[AnyHttpUrl, PlainSerializer(shown_url)]
ShownText = Annotated[str, PlainSerializer(shown_url)]
"""An address that others check."""


class Section(BaseModel):
    """A section of the configuration; unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    entry: ClassVar[str] = "alias"
    """What documentation calls the key of a section that stands in a mapping."""
