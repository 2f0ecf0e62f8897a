"""ClickHouse in this process, by chDB: statements are planned on empty tables.

Planning is not free of effects: ClickHouse computes scalar subqueries and reads the header of a
file. What would reach outside is therefore not asked: no calls of functions that open something,
no settings, no output file, one statement.
"""

from __future__ import annotations

import json
import re
import tempfile
from typing import TYPE_CHECKING, Final

from chdb.session import Session

from sqlobs.dialects.registry import dialect_of
from sqlobs.execution.analyzers.made_tables import MadeTables
from sqlobs.execution.analyzers.questions import NoVerdictError, rejection_of, wordings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.execution.analyzers.made_tables import Place
    from sqlobs.execution.analyzers.questions import DeclaredTable, Rejection

_DATABASE: Final = "default"
_SETTINGS: Final = (
    "implicit_select = 0",  # else `1 + 1` is a query
    "max_execution_time = 2",
    "max_memory_usage = 500000000",
    "max_threads = 1",
    "allow_introspection_functions = 0",
)
_PURE_TABLE_FUNCTIONS: Final = frozenset(
    "numbers numbers_mt zeros zeros_mt primes values null generateSeries generate_series"
    " generateRandom view viewIfPermitted format".split()
)
"""All others read files, addresses, other servers or other databases."""
_REACHES_OUTSIDE: Final = re.compile(
    r"(?i)ai[A-Z]\w+|dict(?:Get|Has|IsIn)\w*|file\w*|joinGet\w*|sleep\w*|hasColumnInTable|getMacro"
    r"|get\w*Setting\w*|catboostEvaluate|zookeeper\w*|.*hostname"
)
"""Functions of values that open something, wait, or tell about this machine."""
_NEVER: Final = re.compile(
    r"(?i)\b(?:OUTFILE|INFILE|SETTINGS)\b|;\s*\S|[\"`][^\"`]*\\|^\s*(?:EXPLAIN|DESC)"
)
"""As in `INTO OUTFILE 'x'`, `SELECT 1; SELECT 2`, and `"u\\x72l"('http://…')`."""
_GAP: Final = r"[\"`]?(?:\s|/\*.*?\*/|--[^\n]*\n|#[^\n]*\n)*\("
"""What may stand between a function's name and its arguments."""
_WORDINGS: Final = wordings(
    (
        (
            r"\((?:TIMEOUT|MEMORY_LIMIT|ACCESS_DENIED|UNKNOWN_QUERY_PARAMETER|NETWORK|LOGICAL_ERROR"
            r"|SUPPORT_IS|TOO_(?:DEEP|LARGE|SLOW|BIG|MANY_(?:ROWS|BYTES|TEMP))|\w*DICTIONAR"
            r"|FILE_DOESNT_EXIST|ILLEGAL_FINAL|SAMPLING_NOT_SUPPORTED|ILLEGAL_PREWHERE)\w*\)"
        ),
        None,  # a limit, or what depends on the engine of a table
    ),
    (r"(?:unction with name|table function) (?P<name>[`']?\w+)", "syntax.dialect_mismatch"),
    (r"table expression identifier '(?P<name>.+?)'", "schema.unknown_table"),
    (r"Database (?P<name>\S+) does not exist", "schema.unknown_table"),
    (r"\(UNKNOWN_TABLE\)", "schema.unknown_table"),
    (
        r"[Ii]dentifier [`'](?P<name>.+?)[`'][. ].*\(UNKNOWN_IDENTIFIER\)",
        "schema.unknown_column",
    ),
    (r"\((?:UNKNOWN_IDENTIFIER|NO_SUCH_COLUMN_IN_TABLE|NOT_FOUND_COLUMN)", "schema.unknown_column"),
    (r"ambiguous identifier '(?P<name>.+?)'", "schema.ambiguous_ref"),
    (r"\(AMBIGUOUS_|\(MULTIPLE_EXPRESSIONS_FOR_ALIAS", "schema.ambiguous_ref"),
    (r"family: (?P<name>\w+).*\(UNKNOWN_TYPE\)", "schema.unknown_type"),
    (r"unction (?P<name>\w+) .*\((?:NUMBER_OF|TOO_(?:FEW|MANY))_ARG", "syntax.dialect_mismatch"),
    (r"\((?:NUMBER_OF_ARG|TOO_(?:FEW|MANY)_ARG|UNKNOWN_FUNCTION)", "syntax.dialect_mismatch"),
    (r"Column '(?P<name>.+?)' is not under aggregate", "schema.grouping"),
    (r"\((?:NOT_AN_AGGREGATE|ILLEGAL_AGGREGATION)", "schema.grouping"),
    (
        (
            r"\((?:\w*TYPE\w*|NO_COMMON_\w+|CANNOT_(?:PARSE|CONVERT)_\w+|ILLEGAL_COLUMN"
            r"|BAD_ARGUMENTS|ARGUMENT_OUT_OF_BOUND)\)"
        ),
        "schema.type_mismatch",
    ),
    (r"\([A-Z_]+\)|yntax error", "syntax.parse_error"),
)

_quoted: Final = dialect_of("clickhouse").quoted


class Analyzer:
    """One session with the tables that statements have named so far."""

    def __init__(self) -> None:
        self._session = Session(tempfile.mkdtemp(dir="."))
        # chDB's own database would read FROM default.`/etc/passwd`
        self._run("DROP DATABASE default", "CREATE DATABASE default ENGINE = Atomic", "USE default")
        self._run(*(f"SET {setting}" for setting in _SETTINGS))
        self._outside = self._calls_outside()
        self._tables = MadeTables(self)
        self.engine = f"clickhouse {self._values('SELECT [version()]')[0]}"

    def rejection(self, sql: str, tables: Sequence[DeclaredTable]) -> Rejection | None:
        """Return ClickHouse's error; None: it accepts the query."""
        if _NEVER.search(sql) or self._outside.search(sql):
            raise NoVerdictError("the statement may reach outside")
        self._tables.prepare(sql, tables)
        try:
            self._run(f"EXPLAIN AST {sql}", f"EXPLAIN PLAN {sql}")
        except RuntimeError as error:
            found = rejection_of(str(error), _WORDINGS)
            if found.code == "syntax.dialect_mismatch" and _is_one_of(tables, found.identifier):
                message = "a view with parameters was made as a table: its text is unknown"
                raise NoVerdictError(message) from error
            return found
        return None

    def place_of(self, table: DeclaredTable) -> Place:
        """Return the database and name; their case counts."""
        return (table.path[-2] if len(table.path) > 1 else _DATABASE, table.path[-1])

    def create(self, place: Place, table: DeclaredTable) -> None:
        """Make an empty table, and its database."""
        columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in table.columns)
        try:
            self._run(
                f"CREATE DATABASE IF NOT EXISTS {_quoted(place[0])}",
                f"CREATE TABLE {_name(place)} ({columns}) ENGINE = MergeTree ORDER BY tuple()",
            )
        except RuntimeError as error:
            raise NoVerdictError(str(error)) from error

    def drop(self, place: Place) -> None:
        """Drop a table."""
        self._run(f"DROP TABLE {_name(place)}")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._session.query(statement)

    def _values(self, query: str) -> list[str]:
        found: list[str] = json.loads(str(self._session.query(query, "JSONCompact")))["data"][0][0]
        return found

    def _calls_outside(self) -> re.Pattern[str]:
        """Return the pattern of calls that this ClickHouse has and that reach outside."""
        of_tables = self._values("SELECT groupArray(name) FROM system.table_functions")
        of_values = self._values("SELECT groupArray(name) FROM system.functions")
        names = {name for name in of_tables if name not in _PURE_TABLE_FUNCTIONS}
        names.update(name for name in of_values if _REACHES_OUTSIDE.fullmatch(name))
        return re.compile(rf"(?is)\b(?:{_alternatives(names)}){_GAP}")


def _is_one_of(tables: Iterable[DeclaredTable], name: str | None) -> bool:
    return any(table.path[-1] == name for table in tables)


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def _name(place: Place) -> str:
    return ".".join(map(_quoted, place))
