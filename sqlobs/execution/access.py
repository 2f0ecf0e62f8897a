"""How a target is reached, and what statements may cost there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from sqlobs.errors import ConfigError

Json: TypeAlias = Any
"""A value of JSON or TOML: `connect_args` may hold any."""

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETTING: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
"""As in `app.tenant_id`: names become part of a statement in some warehouses."""
_REQUIRED: Final = {"bytes": ("max_bytes", "daily_bytes"), "seconds": ("daily_seconds",)}
"""The limits that a warehouse needs, by what its vendor charges for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLimits:
    """Maximum costs on a warehouse; None = no limit. A day is a day in UTC."""

    max_bytes: int | None = None
    """Bytes that one statement may read, by the warehouse's own estimate or limit."""
    daily_bytes: int | None = None
    daily_seconds: float | None = None
    """Seconds that statements may run, all workers together."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"cost.{name} must be greater than 0")

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return any(getattr(self, name) is not None for name in self.__slots__)

    def missing(self, charges_by: str) -> tuple[str, ...]:
        """Return the limits to add where the vendor charges for `bytes` or for `seconds`."""
        return tuple(name for name in _REQUIRED[charges_by] if getattr(self, name) is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a connection needs besides its URL, and what may be spent over it."""

    connect_args: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Arguments of SQLAlchemy's `create_engine(connect_args=…)`; may hold credentials."""
    environment: tuple[str, ...] = ()
    """Names of the environment variables that the driver may read; it sees no others but `TZ`."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Session settings, the same for all statements."""
    connect_timeout_s: float | None = None
    """Time for a connection, the driver's import included; None = 7 seconds, for a warehouse 30."""
    cost: CostLimits = field(default_factory=CostLimits)

    def __post_init__(self) -> None:
        if self.connect_timeout_s is not None and not self.connect_timeout_s > 0:
            raise ConfigError("connect_timeout_s must be greater than 0")
        for name in self.environment:
            if not _VARIABLE.fullmatch(name):
                raise ConfigError(
                    f"environment: {name!r} is not a name of a variable, such as HOME"
                )
        for name in self.settings:
            require_setting(name)

    def require_environment(self) -> None:
        """Reject a declared variable that is not set.

        Raises:
            ConfigError: The message names it.
        """
        for name in self.environment:
            if name not in os.environ:
                raise ConfigError(f"environment: the variable {name} is not set")


def with_texts(value: Json, convert: Callable[[str], str]) -> Json:
    """Return JSON with all its texts converted, at any depth."""
    if isinstance(value, str):
        return convert(value)
    if isinstance(value, list):
        return [with_texts(one, convert) for one in value]
    if isinstance(value, dict):
        return {name: with_texts(one, convert) for name, one in value.items()}
    return value


def require_setting(name: str) -> None:
    """Reject what is not the name of a setting.

    Raises:
        ConfigError: It has characters other than letters, digits, underscores and dots.
    """
    if not _SETTING.fullmatch(name):
        raise ConfigError(
            f"{name!r} is not a valid name of a session setting: use letters, digits, _ and ."
        )
