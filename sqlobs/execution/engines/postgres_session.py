"""How a session begins: the role that it switches to, and its settings."""

from __future__ import annotations

from dataclasses import dataclass
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
"""The version that has this role, and `client_connection_check_interval`."""
_TEMP_FILE_LIMIT: Final = "256MB"

_ROLE: Final[LiteralString] = """
    SELECT ARRAY(SELECT word FROM (VALUES ('SUPERUSER', rolsuper), ('CREATEROLE', rolcreaterole),
                 ('REPLICATION', rolreplication)) AS attribute (word, is_held) WHERE is_held)
           || ARRAY(SELECT rolname FROM pg_catalog.pg_roles
                    WHERE rolname = ANY(%s) AND pg_catalog.pg_has_role(oid, 'USAGE')),
           rolsuper, rolbypassrls AND NOT rolsuper, rolconnlimit < 0,
           pg_catalog.current_setting('temp_file_limit') = '-1',
           pg_catalog.current_schemas(false), %s
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


@dataclass(frozen=True, slots=True)
class Login:
    """What the server says of the role that we are logged in as."""

    excess: list[str]
    """Attributes and memberships with which it may do more than read."""
    is_superuser: bool
    bypasses_policies: bool
    """Row-level security does not hold for it."""
    has_no_connection_limit: bool
    has_no_temp_file_limit: bool
    schemas: list[str]
    version: int
    """The server's."""

    @property
    def steps_down(self) -> bool:
        """Return whether it becomes a role that only reads, for each transaction."""
        return self.is_superuser and self.version >= _READER_SINCE

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the role's set-up lacks."""
        lacking = {
            "its login is a superuser, which becomes pg_read_all_data for each statement: give the"
            " target a role with SELECT only": self.is_superuser,
            "its role may open any number of connections: ALTER ROLE … CONNECTION LIMIT 10": (
                self.has_no_connection_limit and not self.is_superuser
            ),
            "its role may fill the disk with temporary files: ALTER ROLE … SET temp_file_limit ="
            " '256MB'": self.has_no_temp_file_limit and not self.is_superuser,
        }
        return tuple(warning for warning, is_lacking in lacking.items() if is_lacking)


def login_of(connection: Connection[Any], *, binds_session: bool) -> Login:
    """Return what the role of a connection is, where it may be used.

    Args:
        connection: To the target.
        binds_session: Row-level security decides what statements see.

    Raises:
        TargetUnavailableError: The role may do too much.
    """
    version = connection.info.server_version
    row = connection.execute(_ROLE, (_DANGEROUS_ROLES, version)).fetchone()
    if row is None:
        raise TargetUnavailableError("the role is not in pg_roles")
    login = Login(*row)
    if login.excess and not login.steps_down:
        raise TargetUnavailableError(
            f"the role may do too much ({', '.join(login.excess)}); give the target a role with"
            " SELECT only"
        )
    if binds_session and login.bypasses_policies:
        raise TargetUnavailableError(
            "the role bypasses row-level security (BYPASSRLS), which the target's session settings"
            " rely on; give the target a role without it"
        )
    return login


def opening_of(connection: Connection[Any], login: Login) -> str:
    """Return the statements that begin a read-only snapshot on a connection.

    A superuser becomes a role that reads and does nothing else, for the transaction only.
    """
    statements: list[composed.Composable] = [
        composed.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    ]
    statements += [_assignment(name, setting) for name, setting in _settings(login)]
    if login.steps_down:
        statements.append(composed.SQL("SET LOCAL ROLE {}").format(composed.Identifier(_READER)))
    return composed.SQL("; ").join(statements).as_string(connection)


def _settings(login: Login) -> Iterator[tuple[str, Setting]]:
    yield from _SETTINGS.items()
    # The server's own functions come first, whatever the role's path says; temporary ones last.
    own = [name for name in login.schemas if name != "pg_catalog"]
    yield "search_path", ["pg_catalog", *own, "pg_temp"]
    if login.version >= _READER_SINCE:
        yield "client_connection_check_interval", "1s"
    if login.is_superuser:
        yield "temp_file_limit", _TEMP_FILE_LIMIT


def _assignment(name: str, setting: Setting) -> composed.Composed:
    values = [setting] if isinstance(setting, str) else setting
    listed = composed.SQL(", ").join(map(composed.Literal, values))
    return composed.SQL("SET LOCAL {} = {}").format(composed.Identifier(name), listed)
