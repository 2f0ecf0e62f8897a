"""How a target is reached, and what statements may cost there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlobs.errors import ConfigError

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SETTING: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
"""As in `app.tenant_id`: names become part of a statement in some warehouses."""


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

    @property
    def missing_for_bytes(self) -> tuple[str, ...]:
        """The limits to add where the vendor charges for bytes."""
        wanted = {"max_bytes": self.max_bytes, "daily_bytes": self.daily_bytes}
        return tuple(name for name, value in wanted.items() if value is None)

    @property
    def missing_for_seconds(self) -> tuple[str, ...]:
        """The limits to add where the vendor charges for time."""
        return () if self.daily_seconds is not None else ("daily_seconds",)


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


def require_setting(name: str) -> None:
    """Reject what is not the name of a setting.

    Raises:
        ConfigError: It has characters other than letters, digits, underscores and dots.
    """
    if not _SETTING.fullmatch(name):
        raise ConfigError(
            f"{name!r} is not a valid name of a session setting: use letters, digits, _ and ."
        )
