"""A schema from the system catalog of a live database, through SQLAlchemy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs.dialects.registry import by_scheme, by_sqlalchemy, dialect_name
from sqlobs.errors import MissingExtraError, SchemaUnavailableError
from sqlobs.schema.content import Column, ForeignKey, SchemaContent, Table
from sqlobs.schema.live.duckdb import read_duckdb
from sqlobs.schema.live.sqlite import read_sqlite
from sqlobs.schema.live.warehouse import read_warehouse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL
    from sqlalchemy.engine.reflection import Inspector

    _Read = Callable[[str], tuple[str, ...]]

_POSTGRES_FUNCTIONS = """
    SELECT DISTINCT p.proname FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
"""
_MYSQL_FUNCTIONS = """
    SELECT routine_name FROM information_schema.routines
    WHERE routine_type = 'FUNCTION' AND routine_schema NOT IN ('sys', 'mysql') ORDER BY 1
"""
_POSTGRES_TYPES = """
    SELECT DISTINCT t.typname FROM pg_catalog.pg_type t
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND (t.typtype IN ('e', 'd', 'r', 'm') OR c.relkind = 'c') ORDER BY 1
"""
_POSTGRES_PATH = "SELECT unnest(current_schemas(false))"
_POSTGRES_ENUMS = """
    SELECT ARRAY[t.typname::text] || array_agg(e.enumlabel::text ORDER BY e.enumsortorder)
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_enum e ON e.enumtypid = t.oid
    GROUP BY t.oid, t.typname ORDER BY t.typname, t.oid
"""
_POSTGRES_EXTENSIONS = "SELECT extname FROM pg_catalog.pg_extension ORDER BY 1"


def read_database(
    url: str,
    *,
    namespaces: Iterable[str] | None = None,
    connect_args: Mapping[str, Any] | None = None,
) -> SchemaContent:
    """Read tables, views, keys and comments of a live database.

    Of a warehouse, the query is run that users run in its console: drivers shorten nested types.

    Args:
        url: SQLAlchemy's URL; nothing is written to the database.
        namespaces: The namespaces to read; the default one if not given.
        connect_args: Arguments of the driver's connection, such as credentials.

    Raises:
        SchemaUnavailableError: The database cannot be reached or read.
        MissingExtraError: SQLAlchemy or the driver is not installed.
    """
    names = None if namespaces is None else list(namespaces)
    if path := _file_of(url, "sqlite"):
        return read_sqlite(path)
    if path := _file_of(url, "duckdb"):
        return read_duckdb(path, namespaces=names)
    try:
        import sqlalchemy
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError
    except ModuleNotFoundError:
        backend = url.partition(":")[0].partition("+")[0]
        raise MissingExtraError(
            "reading a live database", extra=_extra_of(backend) or "db"
        ) from None
    try:
        target = _with_driver(sqlalchemy.make_url(url))
    except ArgumentError:
        raise SchemaUnavailableError(
            "the database URL cannot be read: write it as postgresql://reader@host/name or "
            "sqlite:///file.db."
        ) from None
    place = target.render_as_string(hide_password=True)
    try:
        engine = sqlalchemy.create_engine(
            target, poolclass=sqlalchemy.NullPool, connect_args=dict(connect_args or {})
        )
        with engine.connect() as connection:
            return read_warehouse(connection, names) or _reflect(connection, names or [])
    except ModuleNotFoundError as error:
        extra = _extra_of(target.get_backend_name())
        if extra is None:  # its driver is in none of our extras
            raise SchemaUnavailableError(
                f"{place} cannot be read: install its driver {error.name}."
            ) from None
        raise MissingExtraError(f"{place} (driver {error.name})", extra=extra) from None
    except NoSuchModuleError:
        extra = _extra_of(target.get_backend_name())
        raise MissingExtraError(f"{place} (SQLAlchemy's dialect)", extra=extra or "db") from None
    except (SchemaUnavailableError, MissingExtraError):
        raise
    except Exception as error:  # noqa: BLE001 - drivers have errors of HTTP, OAuth and Thrift
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise SchemaUnavailableError(f"{place} cannot be read: {reason}") from None


def _with_driver(url: URL) -> URL:
    """Return a URL with the driver that our extras install, where it names none."""
    known = by_scheme(url.drivername)
    driver = None if known is None else known.connections.driver
    return url if driver is None else url.set(drivername=driver)


def _extra_of(backend: str) -> str | None:
    known = by_scheme(backend) or by_sqlalchemy(backend)
    return None if known is None else known.connections.extra


def _file_of(url: str, engine: str) -> str | None:
    """Return the file of an engine that needs no driver of SQLAlchemy's; None for other URLs."""
    scheme, separator, path = url.partition(":///")
    is_own = scheme == engine or scheme.startswith(f"{engine}+")
    return path.partition("?")[0] if is_own and separator else None


def _reflect(connection: Connection, namespaces: list[str]) -> SchemaContent:
    import sqlalchemy

    inspector = sqlalchemy.inspect(connection)
    dialect = dialect_name(connection.dialect.name)
    default = inspector.default_schema_name
    tables = [
        table
        for namespace in namespaces or (default,)
        for table in _tables(inspector, namespace, connection)
    ]
    path = (default,) if default else ()
    schema = SchemaContent(
        tuple(tables), dialect=dialect, search_path=path, engine_version=_version(connection)
    )
    return _with_names(schema, connection)


def _version(connection: Connection) -> str | None:
    """Return the server's version: `16`, `8.4`, `mariadb-10.11`; None if it does not tell."""
    numbers, known = connection.dialect.server_version_info, by_scheme(connection.dialect.name)
    if not numbers or known is None or not known.versions.parts:
        return None
    version = ".".join(str(part) for part in numbers[: known.versions.parts])
    return f"mariadb-{version}" if getattr(connection.dialect, "is_mariadb", False) else version


def _with_names(schema: SchemaContent, connection: Connection) -> SchemaContent:
    """Return a schema with what the user declared beside its tables, where servers tell it."""

    def read(query: str) -> tuple[str, ...]:
        return tuple(str(row[0]) for row in connection.exec_driver_sql(query))

    names = _NAMES.get(schema.dialect or "")
    return schema if names is None else names(schema, read, connection)


def _names_of_mysql(schema: SchemaContent, read: _Read, _connection: Connection) -> SchemaContent:
    return replace(schema, functions=read(_MYSQL_FUNCTIONS))


def _names_of_postgres(schema: SchemaContent, read: _Read, connection: Connection) -> SchemaContent:
    return replace(
        schema,
        functions=read(_POSTGRES_FUNCTIONS),
        search_path=read(_POSTGRES_PATH),
        types=read(_POSTGRES_TYPES),
        enums=tuple(tuple(row[0]) for row in connection.exec_driver_sql(_POSTGRES_ENUMS)),
        extensions=read(_POSTGRES_EXTENSIONS),
    )


_NAMES: Final = {"mysql": _names_of_mysql, "postgres": _names_of_postgres}
"""Servers that say what the user declared beside tables."""


def _tables(inspector: Inspector, namespace: str | None, connection: Connection) -> list[Table]:
    from sqlalchemy.engine.reflection import ObjectKind

    def read(method: Callable[..., Mapping[Any, Any]]) -> Mapping[str, Any]:
        try:
            found = method(schema=namespace, kind=ObjectKind.ANY)
        except NotImplementedError:
            return {}
        return {str(key[1]): value for key, value in found.items()}

    keys = read(inspector.get_multi_pk_constraint)
    uniques = read(inspector.get_multi_unique_constraints)
    indexes = read(inspector.get_multi_indexes)
    foreign = read(inspector.get_multi_foreign_keys)
    comments = read(inspector.get_multi_table_comment)
    views = {*inspector.get_view_names(schema=namespace), *_materialized(inspector, namespace)}
    return [
        _table(
            Table(
                name,
                (),
                db=namespace,
                primary_key=tuple((keys.get(name) or {}).get("constrained_columns") or ()),
                foreign_keys=tuple(_foreign_key(key) for key in foreign.get(name) or ()),
                kind="view" if name in views else "table",
                description=(comments.get(name) or {}).get("text"),
            ),
            columns,
            unique=_unique_keys(uniques.get(name), indexes.get(name)),
            type_name=lambda type_: _type_name(type_, connection),
        )
        for name, columns in sorted(read(inspector.get_multi_columns).items())
    ]


def _table(
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    *,
    unique: Iterable[tuple[str, ...]],
    type_name: Callable[[Any], str | None],
) -> Table:
    keys = list(dict.fromkeys(unique))
    columns = tuple(
        Column(
            row["name"],
            type_name(row["type"]),
            nullable=row.get("nullable"),
            unique=(row["name"],) in keys,
            primary_key=row["name"] in (table.primary_key or ()),
            default=row.get("default"),
            generated=row.get("computed") is not None,
            description=row.get("comment"),
        )
        for row in rows
    )
    several = tuple(key for key in keys if len(key) > 1)
    return replace(table, columns=columns, unique_keys=several)


def _unique_keys(
    constraints: Iterable[Mapping[str, Any]] | None, indexes: Iterable[Mapping[str, Any]] | None
) -> list[tuple[str, ...]]:
    """Return the keys that hold for every row: no partial index, no expression."""
    found = [tuple(key["column_names"]) for key in constraints or ()]
    for index in indexes or ():
        is_partial = any(name.endswith("_where") for name in index.get("dialect_options") or {})
        names = tuple(index["column_names"])
        if index.get("unique") and not is_partial and None not in names:
            found.append(names)
    return found


def _foreign_key(key: Mapping[str, Any]) -> ForeignKey:
    namespace = key.get("referred_schema")
    table = f"{namespace}.{key['referred_table']}" if namespace else key["referred_table"]
    return ForeignKey(tuple(key["constrained_columns"]), table, tuple(key["referred_columns"]))


def _type_name(type_: Any, connection: Connection) -> str | None:  # noqa: ANN401 - untyped in SQLAlchemy's rows
    """Return a type as the engine writes it; None if SQLAlchemy does not know it."""
    from sqlalchemy.exc import CompileError
    from sqlalchemy.types import NullType

    if isinstance(type_, NullType):
        return None
    try:
        return str(type_.compile(dialect=connection.dialect))
    except CompileError:
        return None


def _materialized(inspector: Inspector, namespace: str | None) -> list[str]:
    try:
        return list(inspector.get_materialized_view_names(schema=namespace))
    except NotImplementedError:
        return []
