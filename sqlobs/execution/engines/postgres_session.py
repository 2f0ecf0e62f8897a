"""How a session of ours begins: the role it steps down to, and the settings it keeps to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeAlias

from psycopg import sql as composed

from sqlobs.execution.engines import TargetUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

Setting: TypeAlias = str | list[str]

_DANGEROUS_ROLES: Final = [
    "pg_execute_server_program",
    "pg_read_server_files",
    "pg_signal_backend",
    "pg_write_all_data",
    "pg_write_server_files",
]
_READER: Final = "pg_read_all_data"
_READER_SINCE: Final = 140_000

_ROLE: Final[LiteralString] = """
    SELECT rolsuper, rolsuper OR rolcreaterole OR rolreplication,
           ARRAY(SELECT rolname FROM pg_catalog.pg_roles
                 WHERE rolname = ANY(%s) AND pg_catalog.pg_has_role(oid, 'USAGE')),
           pg_catalog.current_schemas(false)
    FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
_SETTINGS: Final = {
    "client_min_messages": "error",
    "cursor_tuple_fraction": "1.0",
    "idle_in_transaction_session_timeout": "5min",
    "intervalstyle": "postgres",
    "jit": "off",
    "lock_timeout": "1s",
    "max_parallel_workers_per_gather": "0",
    "standard_conforming_strings": "on",
    "work_mem": "16MB",
}
_TEMP_FILE_LIMIT: Final = "256MB"


def opening_of(connection: Connection[Any]) -> str:
    """Return the statements that begin a read-only snapshot on a connection.

    A superuser becomes a role that reads and does nothing else, for the transaction only.

    Raises:
        TargetUnavailableError: The login may do too much, and cannot become less.
    """
    row = connection.execute(_ROLE, (_DANGEROUS_ROLES,)).fetchone()
    if row is None:
        raise TargetUnavailableError("the role is not in pg_roles")
    is_superuser, is_mighty, dangerous, schemas = row
    version = connection.info.server_version
    statements: list[composed.Composable] = [
        composed.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    ]
    settings = _settings(version, schemas, is_superuser=is_superuser)
    statements += [_assignment(name, setting) for name, setting in settings]
    if is_superuser and version >= _READER_SINCE:
        statements.append(composed.SQL("SET LOCAL ROLE {}").format(composed.Identifier(_READER)))
    elif is_mighty or dangerous:
        excess = ", ".join(dangerous) or "SUPERUSER, CREATEROLE or REPLICATION"
        raise TargetUnavailableError(
            f"the role may do too much ({excess}); give the target a role with SELECT only"
        )
    return composed.SQL("; ").join(statements).as_string(connection)


def _settings(
    version: int, schemas: list[str], *, is_superuser: bool
) -> Iterator[tuple[str, Setting]]:
    yield from _SETTINGS.items()
    # The server's own functions come first, whatever the role's path says; temporary ones last.
    own = [name for name in schemas if name != "pg_catalog"]
    yield "search_path", ["pg_catalog", *own, "pg_temp"]
    if version >= _READER_SINCE:
        yield "client_connection_check_interval", "1s"
    if is_superuser:
        yield "temp_file_limit", _TEMP_FILE_LIMIT


def _assignment(name: str, setting: Setting) -> composed.Composed:
    values = [setting] if isinstance(setting, str) else setting
    listed = composed.SQL(", ").join(map(composed.Literal, values))
    return composed.SQL("SET LOCAL {} = {}").format(composed.Identifier(name), listed)
