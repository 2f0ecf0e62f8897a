"""The databases that SQL may run on, and how much a statement may use."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, cast
from urllib.parse import unquote, urlsplit

from sqlobs.check.policy import Policy
from sqlobs.dialects.registry import (
    by_scheme,
    by_sqlalchemy,
    by_system,
    dialect_and_version,
    dialect_of,
    schemes,
)
from sqlobs.errors import ConfigError
from sqlobs.execution.access import Access

if TYPE_CHECKING:
    from sqlobs.dialects.base import Connections

System = Literal[
    "sqlite",
    "postgresql",
    "mysql",
    "duckdb",
    "bigquery",
    "clickhouse",
    "aws.redshift",
    "snowflake",
    "sqlalchemy",
    "http",
]
"""An engine of its own each; `sqlalchemy` stands for every database that has a driver there."""

NO_DIALECT: Final = "none"
"""A language without a parser: statements are admitted by their leading keyword."""

_HTTP: Final = frozenset({"http", "https"})

MAX_CONNECTIONS: Final = 8
"""The default maximum of connections to a target."""

_OPEN_S: Final = 7.0
"""For a connection; the drivers give up earlier."""
_OPEN_WAREHOUSE_S: Final = 30.0
"""Drivers of warehouses are large, and logging in takes several requests."""

PARSING_S: Final = 2.0
"""Seconds of CPU for parsing one statement, which takes a millisecond."""
_GATE_S: Final = 30.0
"""For a worker that is stopped or waits for a processor: `PARSING_S` ends one that works."""
ANALYSIS_S: Final = 10.0
"""For a warehouse that is asked what it thinks of a statement."""

_GENERIC: Final = "sqlalchemy"
"""`sqlalchemy+sqlite:///…` asks for the general engine where there is one of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one statement: time, rows and bytes."""

    timeout_s: float = 30.0
    max_rows: int = 100_000
    """Further rows are not fetched: the table is `truncated`."""
    max_bytes: int = 64 * 1024 * 1024
    """The encoded size of all rows; what goes beyond is not fetched."""
    max_cell_bytes: int = 1024 * 1024
    """The largest value that SQLite may hold, results of functions included."""
    max_sql_bytes: int = 100_000
    """The size of the statement itself, in UTF-8."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ConfigError(f"the limit {name} must be greater than 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpQuery:
    """How a statement is posted to a service, and the path of the rows in the response."""

    body: object
    """JSON whose texts may hold `{sql}` and `{limit}`; a text that is only `{limit}` becomes the
    number."""
    rows: str = "rows"
    """The path to the list of rows: objects by column, or lists of cells."""
    columns: str | None = None
    """The path to the list of names, where rows are lists; entries may be objects with `name`."""
    cells: str | None = None
    """The path inside a row to its list of cells, where each is an object."""
    cell_name: str = "name"
    cell_value: str = "value"
    error: str | None = "error"
    """The path to a message that says that the statement failed."""
    login: tuple[str, str] | None = None
    """User and password for basic authentication."""
    headers: tuple[tuple[str, str], ...] = ()
    verify_ssl: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One database, known to telemetry by its alias only."""

    alias: str
    system: System
    url: str = field(repr=False)
    """Holds a password: it is in no repr, message, span or log."""
    policy: Policy = field(default_factory=Policy)
    session: tuple[str, ...] = ()
    """Settings that each request must bind, for row-level security (`app.tenant_id`)."""
    max_connections: int = MAX_CONNECTIONS
    """How many connections are kept at most; ending a statement may take one more."""
    spoken: str | None = None
    """The dialect, where the system does not say it."""
    http: HttpQuery | None = field(default=None, repr=False)
    """How a statement is posted; present exactly on HTTP targets."""
    access: Access = field(default_factory=Access)
    """What a connection needs besides its URL, and what statements may cost."""

    def __post_init__(self) -> None:
        if self.max_connections < 1:
            raise ConfigError(f"target {self.alias}: max_connections must be at least 1")

    @classmethod
    def from_url(
        cls,
        alias: str,
        url: str,
        *,
        dialect: str | None = None,
        policy: Policy | None = None,
        session: tuple[str, ...] = (),
        max_connections: int = MAX_CONNECTIONS,
        access: Access | None = None,
    ) -> Target:
        """Make a target from a URL as SQLAlchemy writes it.

        Args:
            alias: The name that requests use.
            url: `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://user@host/name`;
                `sqlalchemy+` before it asks for the general engine.
            dialect: What it speaks, where the URL names a driver of SQLAlchemy's that is unknown.
            policy: What statements may touch.
            session: Names of the settings that each request must bind.
            max_connections: How many connections are kept at most.
            access: What a connection needs besides its URL, and what statements may cost.

        Raises:
            ConfigError: The URL names no system that can execute, or no file; the dialect is
                another than the system's; or no connection is allowed.
        """
        scheme = _scheme(alias, url)
        system = _system_of(scheme)
        spoken = None if dialect is None else dialect_and_version(dialect)[0]
        if system is None:
            general = cls._general(alias, url, spoken, policy=policy or Policy())
            return replace(
                general,
                session=session,
                max_connections=max_connections,
                access=access or Access(),
            )
        if system == "http":
            raise ConfigError(
                f"target {alias}: an HTTP target needs an `HttpQuery`; create it"
                " with Target(..., http=...)"
            )
        target = cls(
            alias=alias,
            system=system,
            url=url,
            policy=policy or Policy(),
            session=session,
            max_connections=max_connections,
            access=access or Access(),
        )
        if _is_file(scheme) and not target.path:
            raise ConfigError(f"target {alias}: the URL has no file; write {scheme}:////path/to.db")
        _require_same(alias, given=spoken, known=target.dialect)
        return target

    @classmethod
    def _general(cls, alias: str, url: str, given: str | None, *, policy: Policy) -> Target:
        """Make a target for whatever SQLAlchemy has a driver for."""
        plain = url.removeprefix(f"{_GENERIC}+")
        name = _system_name(plain)
        found = by_sqlalchemy(name)
        dialect = given if found is None else found.grammar
        if dialect is None:
            known = ", ".join(sorted({*_HTTP, *schemes()}))
            raise ConfigError(
                f"target {alias}: cannot execute on {name!r} without its dialect; known are {known}"
            )
        if found is not None and _is_billed_by_its_own_engine(found.connections):
            raise ConfigError(
                f"target {alias}: {name} has an engine of its own, which limits its cost; remove"
                f" {_GENERIC}+ from the URL"
            )
        _require_same(alias, given=given, known=dialect)
        return cls(
            alias=alias,
            system="sqlalchemy",
            url=plain,
            policy=policy,
            spoken=dialect,
        )

    @property
    def dialect(self) -> str:
        """The dialect its statements are read in."""
        if self.spoken is not None:
            return self.spoken
        own = by_system(self.system)
        return NO_DIALECT if own is None else own.name

    @property
    def grammar(self) -> str | None:
        """The dialect's name in sqlglot; None where no parser reads it."""
        return None if self.dialect == NO_DIALECT else self.dialect

    @property
    def binds_settings(self) -> bool:
        """Whether a session may bind settings for row-level security."""
        own = by_system(self.system)
        return own is not None and own.execution.session_settings

    @property
    def charges_by(self) -> str | None:
        """What the vendor charges for, `bytes` or `seconds`; None: nothing for a statement."""
        return self._connections.charges_by

    @property
    def open_s(self) -> float:
        """Seconds that opening a connection may take."""
        usual = _OPEN_S if self.charges_by is None else _OPEN_WAREHOUSE_S
        return self.access.connect_timeout_s or usual

    @property
    def read_s(self) -> float:
        """Seconds that a worker may be silent before a statement runs."""
        return _GATE_S if self.charges_by is None else _GATE_S + ANALYSIS_S

    def require_executable(self) -> None:
        """Reject a warehouse without limits of its cost, and options that an engine cannot use.

        Raises:
            ConfigError: The message names what to add or to remove.
        """
        access, by = self.access, self.charges_by
        if access.settings and (by is None or self.system == _GENERIC):
            raise ConfigError(
                f"target {self.alias}: settings are for BigQuery, ClickHouse, Redshift and"
                " Snowflake; use the URL or connect_args"
            )
        if by is None and self.system != _GENERIC and access.connect_args:
            raise ConfigError(
                f"target {self.alias}: connect_args are for warehouses and other databases of"
                f" SQLAlchemy; put the options of {self.system} into its URL"
            )
        costs = access.cost
        if by is not None and (missing := costs.missing(by)):
            raise ConfigError(
                f"target {self.alias}: {self.dialect} charges for {_CHARGES[by]}: set"
                f" {' and '.join(f'cost.{name}' for name in missing)}"
            )
        if (costs.max_bytes or costs.daily_bytes) and not self._connections.counts_bytes:
            raise ConfigError(
                f"target {self.alias}: the bytes that a statement reads are unknown on"
                f" {self.dialect}: use cost.daily_seconds"
            )

    @property
    def _connections(self) -> Connections:
        """What is known about connections to its system, or to that which SQLAlchemy connects."""
        known = by_system(self.system) or dialect_of(self.spoken)
        return known.connections

    @property
    def path(self) -> str:
        """The file of a SQLite or DuckDB target."""
        return unquote(self.url.partition("://")[2].partition("?")[0]).removeprefix("/")

    @property
    def dsn(self) -> str:
        """The connection string for libpq: the URL without SQLAlchemy's driver name."""
        return "postgresql://" + self.url.partition("://")[2]


_CHARGES: Final = {"bytes": "the bytes that a statement reads", "seconds": "the time that it runs"}


def _system_of(scheme: str) -> System | None:
    """Return the execution engine that a URL's scheme asks for; None: SQLAlchemy's general one."""
    if scheme in _HTTP:
        return "http"
    known = by_scheme(scheme)
    return None if known is None else cast("System | None", known.connections.engine)


def _is_file(scheme: str) -> bool:
    known = by_scheme(scheme)
    return known is not None and known.connections.is_file


def _require_same(alias: str, *, given: str | None, known: str) -> None:
    """Refuse to read statements otherwise than the database does: that could hide things."""
    if given is not None and given != known:
        raise ConfigError(f"target {alias}: the database speaks {known}, not {given}")


def _is_billed_by_its_own_engine(connections: Connections) -> bool:
    """Return whether only the warehouse's own engine limits what a statement costs."""
    return connections.charges_by is not None and connections.engine is not None


def _system_name(url: str) -> str:
    """Return the name before a driver; `urlsplit` rejects the `_` in `redshift_connector`."""
    return url.partition(":")[0].partition("+")[0].lower()


def _scheme(alias: str, url: str) -> str:
    """Return the system's name in a URL whose host and port can be read.

    Raises:
        ConfigError: It is no URL of a database.
    """
    try:
        parts = urlsplit(url)
        scheme = _system_name(url)
        known = by_scheme(scheme)
        if known is not None and known.connections.one_host:
            _ = parts.port
    except ValueError:
        raise ConfigError(
            f"target {alias}: the URL is invalid; check host and port, and percent-encode special"
            " characters in the password (%2F)"
        ) from None
    if "://" not in url:
        raise ConfigError(
            f"target {alias}: not a database URL; write it as sqlite:///shop.db, postgresql://…"
        )
    return scheme
