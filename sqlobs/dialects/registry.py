"""Finds a dialect by its name; a dialect's module is imported at the first use of its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Final

from sqlobs.dialects.base import Dialect
from sqlobs.dialects.identifiers import IdentifierRules
from sqlobs.errors import DialectError

DIALECTS: Final = frozenset(
    (
        "athena bigquery clickhouse databricks dax doris dremio drill druid duckdb dune exasol"
        " fabric hive materialize mysql oracle postgres presto prql redshift risingwave"
        " snowflake solr spark spark2 sqlite starrocks tableau teradata trino tsql"
    ).split()
)
"""sqlglot's dialects; written out, so that a name is checked without importing sqlglot."""
_VARIANTS: Final = frozenset({"mariadb", "sparklegacy"})
"""Dialects that are parsed with the grammar of another one."""
_WITHOUT_MODULE: Final = frozenset({"dax", "dune", "prql", "solr", "tableau"})
"""Dialects of which nothing is known but sqlglot's grammar."""
FALLBACKS: Final = (
    *("postgres", "mysql", "sqlite"),
    *("tsql", "snowflake", "bigquery", "duckdb", "oracle"),
)
"""Dialects in which to parse a statement that its own grammar rejects; those with `marks` only
where the text has one of them."""

WARMED_UP: Final = ("sqlite", "postgres")
"""Dialects whose grammar a worker loads before its first statement."""


@cache
def dialect_of(name: str | None) -> Dialect:
    """Return what is known about a dialect; nothing but its name, where that is unknown.

    >>> dialect_of("mysql").quotes, dialect_of(None).quotes
    (('`', '`'), ('"', '"'))
    """
    if name is None or name not in DIALECTS | _VARIANTS or name in _WITHOUT_MODULE:
        return Dialect(name=name or "")
    found: Dialect = import_module(f"sqlobs.dialects.{name}").DIALECT
    return found


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, by name."""
    return tuple(dialect_of(name) for name in sorted(DIALECTS | _VARIANTS))


def identifier_rules(dialect: str | None) -> IdentifierRules:
    """Return the case rules of a dialect, as a server with default settings follows them.

    Without a dialect, case is ignored: a difference in case alone proves nothing then.
    """
    return dialect_of(dialect).identifiers


@cache
def _by_spelling() -> Mapping[str, str]:
    return {spelling: one.name for one in all_dialects() for spelling in one.spellings}


def dialect_and_version(name: str) -> tuple[str, str | None]:
    """Return sqlglot's name of a dialect, and the version behind a colon.

    A variant is parsed with another grammar: its version begins with its name.

    Raises:
        DialectError: The name is unknown, or the version is not a known one.

    >>> dialect_and_version("PostgreSQL:16"), dialect_and_version("mariadb:11.4")
    (('postgres', '16'), ('mysql', 'mariadb-11.4'))
    """
    spelling, colon, written = name.partition(":")
    dialect, version = _dialect(spelling), written.strip().lower()
    for variant in _VARIANTS:  # as a schema of a server says it: mysql:mariadb-10.11
        if dialect.name == dialect_of(variant).grammar and version.startswith(variant):
            dialect, version = dialect_of(variant), version.removeprefix(variant).lstrip("-")
    is_variant = dialect.name != dialect.grammar
    if colon and (written or not is_variant):
        _require_known(name, dialect, version)
    if is_variant:
        return dialect.grammar, f"{dialect.name}-{version}" if version else dialect.name
    return dialect.grammar, version or None


@cache
def engine_and_version(grammar: str, version: str | None) -> tuple[Dialect, str | None]:
    """Return the dialect of an engine and its version, from what `dialect_and_version` returns.

    >>> dialect, version = engine_and_version("mysql", "mariadb-11.4")
    >>> dialect.name, version
    ('mariadb', '11.4')
    """
    variant, _, number = (version or "").partition("-")
    if variant in _VARIANTS:
        return dialect_of(variant), number or None
    return dialect_of(grammar), version


def _require_known(name: str, dialect: Dialect, version: str) -> None:
    known = dialect.versions.known
    if not known and any(map(str.isdecimal, version)):
        return
    if known and version and any(_is_same(version, one) for one in known):
        return
    advice = f"use {', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else None
    advice = advice or (f"use {known[0]}" if known else "write it as in mysql:8.0")
    what = (
        f"{version!r} is no known version of {dialect.name}"
        if version
        else "the version is missing"
    )
    raise DialectError(f"{name!r}: {what}: {advice}")


def _is_same(version: str, known: str) -> bool:
    """Return whether a version is in a known one (`8.0.36` in `8.0`), or names several (`8`)."""
    return f"{version}.".startswith(f"{known}.") or f"{known}.".startswith(f"{version}.")


def dialect_name(name: str) -> str:
    """Return sqlglot's name of a dialect, from any usual spelling in any case.

    Args:
        name: `postgres`, `PostgreSQL`, `T-SQL`, `Spark SQL`, …; a version behind a colon
            (`mysql:8.0`) is ignored.

    Raises:
        DialectError: The name is unknown; the message offers the nearest known one.

    >>> dialect_name("PostgreSQL"), dialect_name("T-SQL"), dialect_name("mysql:8.0")
    ('postgres', 'tsql', 'mysql')
    """
    return _dialect(name.partition(":")[0], whole=name).grammar


def _dialect(spelling: str, *, whole: str = "") -> Dialect:
    key = re.sub(r"[\s_.\-]+", "", spelling).lower()
    found = key if key in DIALECTS | _VARIANTS else _by_spelling().get(key)
    if found is not None:
        return dialect_of(found)
    known = _by_spelling()
    near = get_close_matches(key, sorted({*DIALECTS, *_VARIANTS, *known}), n=1)
    remedy = (
        f"did you mean {dialect_of(known.get(near[0], near[0])).grammar!r}?"
        if near
        else "use one of sqlglot's names, such as 'postgres' or 'sqlite'."
    )
    raise DialectError(f"unknown SQL dialect {whole or spelling!r}: {remedy}")


@cache
def by_sqlalchemy(name: str) -> Dialect | None:
    """Return the dialect of SQLAlchemy's name of one (`mssql`); None: it is unknown."""
    return next((one for one in all_dialects() if name in one.connections.sqlalchemy), None)


@cache
def by_scheme(scheme: str) -> Dialect | None:
    """Return the dialect whose own execution engine a URL's scheme asks for."""
    return next((one for one in all_dialects() if scheme in one.connections.schemes), None)


@cache
def by_system(system: str) -> Dialect | None:
    """Return the dialect of OpenTelemetry's `db.system.name`; None: it names no dialect."""
    return next((one for one in all_dialects() if one.system == system), None)


@cache
def schemes() -> tuple[str, ...]:
    """Return every scheme and every name of SQLAlchemy's that means a known dialect."""
    found = (one.connections for one in all_dialects())
    return tuple(sorted({name for one in found for name in (*one.schemes, *one.sqlalchemy)}))
