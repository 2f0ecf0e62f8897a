"""The store in a PostgreSQL database, which several collectors may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs.urls import shown_url

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_PATIENCE: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Seconds, and one number of milliseconds, after which a path to the server counts as broken: by
default, a system waits for a quarter of an hour where packets get lost, and for ever where none are
sent."""
_NO_JIT: Final = "-c jit=off"
"""PostgreSQL compiles a statement that it expects to take long, each time that it runs: adding up
an hour of a store of 10 million units took 2 s instead of 0.1 s."""
_FEW_PARALLEL: Final = "-c parallel_setup_cost=10000"
"""By default, PostgreSQL starts processes for a statement of 5 ms: that alone takes 20 ms."""
_WRITERS: Final = 8
_READERS: Final = 4
_POOLED: Final = "pgbouncer"
"""A parameter of the address, as other clients have it."""
_MIGRATION_LOCK: Final = 0x5900


class StoreUnavailableError(ConfigError):
    """The server does not let this process in: it may be down, or the address may be wrong."""


class ServerStore:
    """A database of its own, or a schema of its own that the role's `search_path` begins with.

    Args:
        url: `postgresql://user:password@host:port/database`; with `?pgbouncer=true`, statements are
            not prepared: a pooler may run each transaction on another connection to the server.

    Raises:
        ConfigError: It is not an address.
        MissingExtraError: psycopg is not installed.
    """

    way_out: Final = "check store.url and the role's rights in the database"
    trouble: Final = StoreUnavailableError

    def __init__(self, url: str) -> None:
        try:
            from sqlobs_collector.store.server_values import adapt
        except ImportError as error:
            raise MissingExtraError("store.url", extra="postgres") from error
        self._adapt = adapt
        try:
            given = make_url(url).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError) as error:
            raise ConfigError(
                "the address of the store cannot be read: write postgresql://user@host:port/name,"
                " with special characters of a password percent-encoded"
            ) from error
        self._is_pooled = given.query.get(_POOLED) == "true"
        self._url = given.difference_update_query([_POOLED])

    @property
    def name(self) -> str:
        """The address without its password."""
        return shown_url(self._url.set(drivername="postgresql").render_as_string())

    def engine(self) -> Engine:
        """Return an engine that writes."""
        return self._engine(pool_size=_WRITERS)

    def reading_engine(self) -> Engine:
        """Return an engine whose transactions cannot write and see one state of the store."""
        return self._engine(
            pool_size=_READERS,
            isolation_level="REPEATABLE READ",
            execution_options={"postgresql_readonly": True},
        )

    def create(self) -> None:
        """Nothing to do: an administrator creates the database."""

    def is_missing(self) -> bool:
        """Return that there may be a store: opening it tells."""
        return False

    def delete_backups(self) -> int:
        """Return that there are none here."""
        return 0

    def reclaim(self) -> str:
        """Return what an administrator has to do: it locks the tables."""
        return f"run VACUUM (FULL, ANALYZE) in {self.name} so that nothing is left in its files"

    def lock_tables(self, connection: Connection) -> None:
        """Wait for another collector that is migrating."""
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")

    def back_up(self, version: str) -> None:
        """Nothing to do: an administrator backs the server up."""

    def backup_name(self, version: str) -> None:
        """Return that there is no copy."""

    def _engine(self, **options: object) -> Engine:
        engine = create_engine(
            self._url,
            hide_parameters=True,  # they are texts of users
            connect_args={
                "application_name": "sqlobs",
                **_PATIENCE,
                **self._session(),
            },
            pool_pre_ping=True,
            max_overflow=0,
            **options,
        )
        event.listen(engine, "connect", self._adapt)
        return engine

    def _session(self) -> dict[str, object]:
        """Return what a session begins with; a pooler accepts no settings."""
        if self._is_pooled:
            return {"prepare_threshold": None}
        given = self._url.normalized_query.get("options", ())
        return {"options": " ".join((_NO_JIT, _FEW_PARALLEL, *given))}
