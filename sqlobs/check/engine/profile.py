"""Which engine a check stands for: the dialect, its version and the settings that flip verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from sqlobs.dialects.base import Dialect
from sqlobs.dialects.documents import lists_functions
from sqlobs.dialects.registry import dialect_and_version, dialect_of, engine_and_version
from sqlobs.errors import DialectError
from sqlobs.schema.model import Schema

FunctionList = Literal["complete", "partial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A dialect with its version and settings: `Profile.named`, then `dataclasses.replace`."""

    dialect: str
    """sqlglot's name of the dialect."""
    version: str | None = None
    """The server's version (`15`, `mariadb-10.11`, `8.0`); None: the current ones, or as linked."""
    functions: FunctionList = "partial"
    """`partial`: a function that is in no catalog is undecided instead of unknown. If no
    catalog was extracted from the version, it is `partial`."""
    sql_mode: tuple[str, ...] = ()
    """MySQL: the modes that change verdicts (`ONLY_FULL_GROUP_BY`, `ANSI_QUOTES`)."""
    lower_case_table_names: Literal[0, 1, 2] = 0
    """MySQL: 0 = table names are compared as written, 1 and 2 = without case."""
    double_quoted_strings: bool = True
    """SQLite: a double-quoted word that names no column is a string."""
    search_path: tuple[str, ...] = ()
    """Namespaces whose tables need no qualifier, by precedence; empty: the schema's own."""

    @classmethod
    def named(cls, name: str) -> Profile:
        """Return the default profile of a dialect.

        Args:
            name: any usual spelling in any case (`PostgreSQL`, `T-SQL`, `Spark SQL`), with an
                optional version behind a colon (`mysql:8.0`, `postgres:16`).

        Raises:
            DialectError: no dialect has this name, or the version is unknown.

        >>> Profile.named("PostgreSQL").dialect
        'postgres'
        """
        return _named(name)

    def __hash__(self) -> int:
        """Hash the fields in which most profiles differ: each check computes it."""
        return hash((self.dialect, self.version))

    @classmethod
    def of_schema(cls, schema: Schema) -> Profile | None:
        """Return the profile of a schema: its dialect, and its version if a server reported it."""
        if schema.dialect is None:
            return None
        if schema.engine_version is None:
            return _named(schema.dialect)
        return _made(schema.dialect, schema.engine_version)

    def with_version_of(self, other: Profile) -> Profile:
        """Return this profile with the version of another one, if it has none itself."""
        if self.version is not None or other.version is None:
            return self
        if self == _named(self.dialect):
            return other
        return replace(self, version=other.version, functions=other.functions)

    @property
    def is_measured(self) -> bool:
        """Return whether the catalog was extracted from this version."""
        return _is_measured(*engine_and_version(self.dialect, self.version))

    @property
    def is_listed(self) -> bool:
        """Return whether all functions and their arguments are measured or documented."""
        return _is_listed(*engine_and_version(self.dialect, self.version))

    @property
    def is_mariadb(self) -> bool:
        """Return whether the engine behind MySQL's dialect is MariaDB."""
        return self.known.name != self.dialect

    @property
    def known(self) -> Dialect:
        """What is known about the engine; MariaDB's, if that is behind MySQL's dialect."""
        return engine_and_version(self.dialect, self.version)[0]

    @property
    def catalog_key(self) -> tuple[str, str | None]:
        """The engine and version whose catalog it needs (`mariadb`, `10.11`)."""
        engine, version = engine_and_version(self.dialect, self.version)
        if version is None and engine.versions.documented:
            version = engine.versions.current[0]
        return engine.name, version

    @property
    def major(self) -> int | None:
        """The number before the first dot of the version."""
        number = (self.version or "").partition(".")[0]
        return int(number) if number.isdecimal() else None

    @property
    def versions(self) -> tuple[Profile, ...]:
        """One profile for each version that it stands for; empty if it stands for one."""
        return _versions_of(self) if self.version is None else ()

    def path_of(self, schema: Schema) -> Schema:
        """Return a schema with the search path of this profile, if it has one."""
        return replace(schema, search_path=self.search_path) if self.search_path else schema

    @property
    def engine(self) -> str:
        """The engine's name and version, as reports give it (`postgres 15`)."""
        current = dialect_of(self.dialect).versions.current
        if self.version is None and current:
            return f"{self.dialect} {current[0]} to {current[-1]}"
        return f"{self.dialect} {self.version}" if self.version else self.dialect


def profile_of(schema: Schema | None, dialect: str | Profile | None) -> Profile | None:
    """Return the profile of a check: the dialect's if one is given, else the schema's.

    A dialect without a version gets that of the schema, if it was read from a server.

    Raises:
        DialectError: the dialect is unknown, or differs from the schema's.
    """
    own = Profile.of_schema(schema) if schema is not None else None
    if dialect is None:
        return own
    profile = Profile.named(dialect) if isinstance(dialect, str) else dialect
    if own is not None and own.dialect != profile.dialect:
        raise DialectError(
            f"the schema is {own.dialect}, the check was asked for {profile.dialect}:"
            " give one dialect"
        )
    return profile if own is None else profile.with_version_of(own)


@lru_cache(maxsize=256)
def _named(name: str) -> Profile:
    return _made(*dialect_and_version(name))


@lru_cache(maxsize=256)
def _made(dialect: str, version: str | None) -> Profile:
    engine, number = engine_and_version(dialect, version)
    number = number or engine.versions.default
    variant = "" if engine.name == dialect else f"{engine.name}-"
    return Profile(
        dialect=dialect,
        version=f"{variant}{number}" if number else version,
        functions="complete" if _is_listed(engine, number) else "partial",
        sql_mode=engine.sql_mode,
    )


@lru_cache(maxsize=256)
def _versions_of(profile: Profile) -> tuple[Profile, ...]:
    current = dialect_of(profile.dialect).versions.current
    return tuple(replace(profile, version=one) for one in current)


def _is_listed(engine: Dialect, version: str | None) -> bool:
    """Return whether all functions of a version are listed, as measured or by documentation."""
    versions = engine.versions
    if _is_measured(engine, version) or lists_functions(engine.name):
        return True
    return bool(versions.documented) and (version or versions.current[0]).startswith(
        versions.documented
    )


def _is_measured(engine: Dialect, version: str | None) -> bool:
    measured = engine.versions.measured
    if version is None:
        return bool(measured)
    return any(f"{version}.".startswith(f"{one}.") for one in measured)
