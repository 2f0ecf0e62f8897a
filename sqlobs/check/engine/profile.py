"""Which engine a check stands for: the dialect, its version and the settings that flip verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.schema.dialects import dialect_and_version

if TYPE_CHECKING:
    from sqlobs.schema.model import Schema

FULL_DIALECTS: Final = frozenset({"sqlite", "postgres", "mysql", "duckdb"})
"""The dialects whose function list is known completely."""

MEASURED_VERSIONS: Final = {
    "sqlite": ("3.40",),
    "postgres": ("15", "16", "17", "18"),
    "mysql": ("mariadb-10.11",),
    "duckdb": ("2.0",),
}
"""The versions that the catalogues were made of: of others a function may be there or not."""

CURRENT_VERSIONS: Final = {"postgres": MEASURED_VERSIONS["postgres"], "mysql": ("8.0", "9")}
"""The versions that a dialect without one stands for: they must agree on what is wrong."""
_DEFAULT_VERSIONS: Final = {"mariadb": "mariadb-10.11", "duckdb": "2.0"}

FunctionList = Literal["complete", "partial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """An engine as the checker sees it: `Profile.named`, then `dataclasses.replace`."""

    dialect: str
    """sqlglot's name of the dialect."""
    version: str | None = None
    """The server's version (`15`, `mariadb-10.11`, `8.0`); None: the current ones, or as linked."""
    functions: FunctionList = "partial"
    """`partial`: a function that is in no catalog is undecided instead of unknown. Where the
    version is one that no catalog was made of, it is `partial`."""
    sql_mode: tuple[str, ...] = ()
    """MySQL: the modes that change verdicts (`ONLY_FULL_GROUP_BY`, `ANSI_QUOTES`)."""
    lower_case_table_names: Literal[0, 1, 2] = 0
    """MySQL: 0 = table names are compared as written, 1 and 2 = without case."""
    double_quoted_strings: bool = True
    """SQLite: a double-quoted word that names no column is a string."""
    search_path: tuple[str, ...] = ()
    """Namespaces whose tables need no qualifier, the first one wins; empty: the schema's own."""

    @classmethod
    def named(cls, name: str) -> Profile:
        """Return the default profile of a dialect.

        Args:
            name: any usual spelling in any case (`PostgreSQL`, `T-SQL`, `Spark SQL`), with an
                optional version behind a colon (`mysql:8.0`, `postgres:16`).

        Raises:
            DialectError: no dialect has this name, or the version is no known one.

        >>> Profile.named("PostgreSQL").dialect
        'postgres'
        """
        return _named(name)

    def __hash__(self) -> int:
        """Hash what tells most profiles apart: it is asked at each check."""
        return hash((self.dialect, self.version))

    @classmethod
    def of_schema(cls, schema: Schema) -> Profile | None:
        """Return the profile that a schema tells: dialect, and version where a server told it."""
        if schema.dialect is None:
            return None
        if schema.engine_version is None:
            return _named(schema.dialect)
        return _made(schema.dialect, schema.engine_version)

    def with_version_of(self, other: Profile) -> Profile:
        """Return this profile with the version of another one, where it has none itself."""
        if self.version is not None or other.version is None:
            return self
        if self == _named(self.dialect):
            return other
        return replace(self, version=other.version, functions=other.functions)

    @property
    def is_measured(self) -> bool:
        """Say whether the catalogue is that of this version: others were not asked."""
        return _is_measured(self.dialect, self.version)

    @property
    def is_mariadb(self) -> bool:
        """Say whether MySQL's dialect is spoken by MariaDB."""
        return (self.version or "").startswith("mariadb")

    @property
    def catalog_key(self) -> tuple[str, str | None]:
        """The engine and version whose catalog it needs (`mariadb`, `10.11`)."""
        if self.is_mariadb:
            return "mariadb", (self.version or "").partition("-")[2] or None
        if self.dialect == "mysql":
            return self.dialect, self.version or CURRENT_VERSIONS["mysql"][0]
        return self.dialect, self.version

    @property
    def major(self) -> int | None:
        """The number before the first dot of the version."""
        number = (self.version or "").partition(".")[0]
        return int(number) if number.isdecimal() else None

    @property
    def versions(self) -> tuple[Profile, ...]:
        """The same for each version that it stands for; empty: it stands for one."""
        return _versions_of(self) if self.version is None else ()

    def path_of(self, schema: Schema) -> Schema:
        """Return a schema with the search path of this profile, where it tells one."""
        return replace(schema, search_path=self.search_path) if self.search_path else schema

    @property
    def engine(self) -> str:
        """The engine's name and version, as reports give it (`postgres 15`)."""
        current = CURRENT_VERSIONS.get(self.dialect)
        if self.version is None and current:
            return f"{self.dialect} {current[0]} to {current[-1]}"
        return f"{self.dialect} {self.version}" if self.version else self.dialect


@lru_cache(maxsize=256)
def _named(name: str) -> Profile:
    return _made(*dialect_and_version(name))


@lru_cache(maxsize=256)
def _made(dialect: str, version: str | None) -> Profile:
    told = _DEFAULT_VERSIONS.get(version or dialect, version)
    return Profile(
        dialect=dialect,
        version=told,
        functions=_functions(dialect, told),
        sql_mode=_default_sql_mode(dialect, told or ""),
    )


@lru_cache(maxsize=256)
def _versions_of(profile: Profile) -> tuple[Profile, ...]:
    return tuple(replace(profile, version=one) for one in CURRENT_VERSIONS.get(profile.dialect, ()))


def _functions(dialect: str, version: str | None) -> FunctionList:
    """Return whether all functions are listed: those of the catalogue's versions, and MySQL 8's."""
    is_listed = dialect == "mysql" and (version or "8").startswith(("8", "9"))
    return "complete" if is_listed or _is_measured(dialect, version) else "partial"


def _is_measured(dialect: str, version: str | None) -> bool:
    asked = MEASURED_VERSIONS.get(dialect, ())
    if version is None:
        return bool(asked) and dialect != "mysql"
    return any(f"{version}.".startswith(f"{one}.") for one in asked)


def _default_sql_mode(dialect: str, version: str) -> tuple[str, ...]:
    if dialect == "mysql" and not version.startswith("mariadb"):
        return ("ONLY_FULL_GROUP_BY",)
    return ()
