"""The databases that SQL may run on, and how much a statement may use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from sqlobs.errors import ConfigError

System = Literal["sqlite", "postgresql"]

DIALECTS: Final[dict[System, str]] = {"sqlite": "sqlite", "postgresql": "postgres"}
"""The dialect of each system that has an engine."""

_SCHEMES: Final[dict[str, System]] = {
    "sqlite": "sqlite",
    "postgres": "postgresql",
    "postgresql": "postgresql",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one statement may use before it is stopped."""

    timeout_s: float = 30.0
    max_rows: int = 100_000
    """Further rows are not fetched: the table is `truncated`."""
    max_bytes: int = 64 * 1024 * 1024
    """The encoded size of all rows; what goes beyond is not fetched."""
    max_cell_bytes: int = 1024 * 1024
    """The largest value that SQLite may hold, results of functions included."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ConfigError(f"the limit {name} must be greater than 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a target's statements may touch, beyond what the gate lets no statement do."""

    functions: frozenset[str] = frozenset()
    """Functions allowed besides the dialect's own list; without schema, lower case."""
    tables: frozenset[str] | None = None
    """The only relations that may be read, as stored: `table` where the statement names no
    schema, `schema.table` where it does; all lower case on SQLite."""
    max_sql_bytes: int = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One database, known to telemetry by its alias only."""

    alias: str
    system: System
    url: str = field(repr=False)
    """Holds a password: it is in no repr, message, span or log."""
    policy: Policy = Policy()
    session: tuple[str, ...] = ()
    """Settings that each request must bind, for row-level security (`app.tenant_id`)."""

    @classmethod
    def from_url(
        cls,
        alias: str,
        url: str,
        *,
        policy: Policy | None = None,
        session: tuple[str, ...] = (),
    ) -> Target:
        """Make a target from a URL as SQLAlchemy writes it.

        Args:
            alias: The name that requests use.
            url: `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://user@host/name`.
            policy: What statements may touch.
            session: Names of the settings that each request must bind.

        Raises:
            ConfigError: The URL names no system that has an engine, or no SQLite file.
        """
        scheme = urlsplit(url).scheme.partition("+")[0]
        system = _SCHEMES.get(scheme)
        if system is None:
            known = ", ".join(sorted(DIALECTS))
            raise ConfigError(f"target {alias}: cannot execute on {scheme!r}; known are {known}")
        target = cls(
            alias=alias, system=system, url=url, policy=policy or Policy(), session=session
        )
        if system == "sqlite" and not target.path:
            raise ConfigError(f"target {alias}: the URL names no file (sqlite:////path/to.db)")
        return target

    @property
    def dialect(self) -> str:
        """The dialect its statements are read in."""
        return DIALECTS[self.system]

    @property
    def path(self) -> str:
        """The file of a SQLite target."""
        return unquote(self.url.partition("://")[2].partition("?")[0]).removeprefix("/")

    @property
    def dsn(self) -> str:
        """The connection string for libpq: the URL without SQLAlchemy's driver name."""
        return "postgresql://" + self.url.partition("://")[2]
