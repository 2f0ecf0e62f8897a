"""Settings: which stages a process runs."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, PlainSerializer

Role: TypeAlias = Literal["receive", "evaluate", "judge", "emit", "console", "singleton"]
"""A part of the collector's work; `collectors/README.md` says what each does."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)


def _split(value: object) -> object:
    """Return the roles of a flag, as in `receive,judge`; lists stay as they are."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _in_order(roles: frozenset[Role]) -> list[Role]:
    return [role for role in ROLES if role in roles]


Roles = Annotated[
    frozenset[Role], BeforeValidator(_split), Field(min_length=1), PlainSerializer(_in_order)
]
