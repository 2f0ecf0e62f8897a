"""The databases that can execute: one module per system, all with the same few words.

Tests: `tests/execution/test_engine_contract.py`.
Tests of bigquery, warehouse: `tests/warehouses/test_bigquery.py`.
Tests of clickhouse: `tests/warehouses/test_clickhouse.py`.
Tests of redshift: `tests/warehouses/test_redshift.py`.
Tests of snowflake: `tests/warehouses/test_snowflake.py`.
Tests of postgres_backends, postgres_calls, postgres_catalog: `tests/execution/test_postgres.py`.
Tests of postgres_cells, postgres_failure, postgres_session: `tests/execution/test_postgres.py`.
Tests of postgres_trees: `tests/execution/test_postgres.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from sqlobs.execution.admission import Admission
    from sqlobs.execution.messages import Backend, Failed, Finished, Stopped, Unavailable
    from sqlobs.execution.target import Limits, System, Target
    from sqlobs.types import Row

    Emit = Callable[[list[Row], int], int]
    """Sends rows unless they weigh more than the bytes given; returns their encoded size."""


class TargetUnavailableError(Exception):
    """The target cannot be reached, or must not be used as it is set up."""


class TargetLostError(Exception):
    """The open connection went away under us; nothing has run."""


class Engine(Protocol):
    """An open target. Used by one thread, in a process that may be killed at any moment."""

    warnings: tuple[str, ...]
    """What the role's set-up lacks."""

    def backend(self) -> Backend | None:
        """Return who runs the next statement on the server: its process, or the query's id.

        None if nothing outlives this process, or nobody can be asked about it.
        """

    def begin(self, session: Mapping[str, str]) -> None:
        """Start a read-only transaction whose statements all see the same data.

        Args:
            session: Settings to bind for this transaction only.

        Raises:
            TargetLostError: The connection is no more; a new one may work.
            TargetUnavailableError: The settings cannot be bound.
        """

    def execute(
        self, admission: Admission, limits: Limits, emit: Emit
    ) -> Finished | Failed | Stopped | Unavailable:
        """Run an admitted statement and emit its rows; never raise for what the SQL does."""

    def diagnose(self, sql: str) -> Failed | None:
        """Have the engine prepare a text, without running it; None if it finds no fault."""

    def end(self) -> None:
        """Undo the transaction and whatever it left in the session."""

    def close(self) -> None:
        """Give up the connection."""


def open_target(target: Target) -> Engine:
    """Connect to a target with the engine of its system.

    Raises:
        TargetUnavailableError: It cannot be reached, or its role may do too much.
        ImportError: The driver is not installed.
    """
    home = _ENGINES[target.system]
    engine: Callable[[Target], Engine] = getattr(_module(home.module), home.engine)
    return engine(target)


def surviving_backends(target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """End backends that a killed worker left on a target's server; return those that continue.

    Raises:
        TargetUnavailableError: The server cannot be asked.
        ImportError: The driver is not installed.
    """
    module = _ENGINES[target.system].backends
    if module is None:
        return ()
    survivors: Callable[[Target, Sequence[Backend]], tuple[Backend, ...]]
    survivors = _module(module).surviving_backends
    return survivors(target, backends)


def _module(name: str) -> ModuleType:
    return import_module(f"sqlobs.execution.engines.{name}")


class _Home(NamedTuple):
    """Where the implementation of an engine is."""

    module: str
    engine: str
    backends: str | None = None
    """The module that ends backends, where they outlive the connection of a killed worker."""


_ENGINES: Final[dict[System, _Home]] = {
    "aws.redshift": _Home("redshift", "RedshiftEngine", "redshift"),
    "bigquery": _Home("bigquery", "BigQueryEngine", "bigquery"),
    "clickhouse": _Home("clickhouse", "ClickHouseEngine", "clickhouse"),
    "duckdb": _Home("duckdb", "DuckDbEngine"),
    "http": _Home("http", "HttpEngine"),
    "mysql": _Home("mysql", "MySqlEngine", "mysql_backends"),
    "postgresql": _Home("postgres", "PostgresEngine", "postgres_backends"),
    "snowflake": _Home("snowflake", "SnowflakeEngine", "snowflake"),
    "sqlalchemy": _Home("general", "GeneralEngine"),
    "sqlite": _Home("sqlite", "SqliteEngine"),
}
