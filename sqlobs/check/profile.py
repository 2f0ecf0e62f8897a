"""Which engine a check stands for: the dialect, its version and the settings that flip verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.errors import DialectError
from sqlobs.schema.dialects import dialect_name

if TYPE_CHECKING:
    from sqlobs.schema.model import Schema

FULL_DIALECTS: Final = frozenset({"sqlite", "postgres", "mysql", "duckdb"})
"""The dialects whose function list is known completely."""

_DEFAULT_VERSIONS: Final = {"postgres": "15", "mysql": "mariadb-10.11", "duckdb": "2.0"}

CATALOGUE_VERSIONS: Final = {"sqlite": "3.40", **_DEFAULT_VERSIONS}
"""The versions that the catalogues were made of: of others a function may be there or not."""

FunctionList = Literal["complete", "partial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """An engine as the checker sees it: `Profile.named`, then `dataclasses.replace`."""

    dialect: str
    """sqlglot's name of the dialect."""
    version: str | None = None
    """The server's version (`15`, `mariadb-10.11`, `8.0`); None: not told, or as linked."""
    functions: FunctionList = "partial"
    """`partial`: a function that is in no catalogue is undecided instead of unknown. Where the
    version is another than the catalogue's, it is `partial`."""
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
            DialectError: no dialect has this name, or the version has no number.

        >>> Profile.named("PostgreSQL").dialect
        'postgres'
        """
        return _named(name)

    def __hash__(self) -> int:
        """Hash what tells most profiles apart: it is asked at each check."""
        return hash((self.dialect, self.version))

    @property
    def is_measured(self) -> bool:
        """Say whether the catalogue is that of this version: others were not asked."""
        return _is_measured(self.dialect, self.version or "")

    def path_of(self, schema: Schema) -> Schema:
        """Return a schema with the search path of this profile, where it tells one."""
        return replace(schema, search_path=self.search_path) if self.search_path else schema

    @property
    def engine(self) -> str:
        """The engine's name and version, as reports give it (`postgres 15`)."""
        return f"{self.dialect} {self.version}" if self.version else self.dialect


@lru_cache(maxsize=256)
def _named(name: str) -> Profile:
    spelling, _, told = name.partition(":")
    dialect = dialect_name(spelling)
    if told.strip() and not any(map(str.isdecimal, told)):
        raise DialectError(f"{name!r}: {told.strip()} is no version: write it as in mysql:8.0")
    version = told.strip() or _DEFAULT_VERSIONS.get(dialect, "")
    if told and spelling.strip().lower() == "mariadb":
        version = f"mariadb-{version}"
    return Profile(
        dialect=dialect,
        version=version or None,
        functions=_functions(dialect, version),
        sql_mode=_default_sql_mode(dialect, version),
    )


def _functions(dialect: str, version: str) -> FunctionList:
    """Return whether a catalogue lists all functions: only those of its own version are known."""
    return "complete" if _is_measured(dialect, version) else "partial"


def _is_measured(dialect: str, version: str) -> bool:
    asked = CATALOGUE_VERSIONS.get(dialect)
    return asked is not None and f"{version or asked}.".startswith(f"{asked}.")


def _default_sql_mode(dialect: str, version: str) -> tuple[str, ...]:
    if dialect == "mysql" and not version.startswith("mariadb"):
        return ("ONLY_FULL_GROUP_BY",)
    return ()
