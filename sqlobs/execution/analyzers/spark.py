"""Spark's analyzer in a Java process: it resolves statements and runs none."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, Final

from sqlobs.dialects.registry import dialect_of
from sqlobs.execution.analyzers.made_tables import MadeTables
from sqlobs.execution.analyzers.questions import (
    DeclaredTable,
    NoVerdictError,
    rejection_of,
    wordings,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.analyzers.made_tables import Place
    from sqlobs.execution.analyzers.questions import Rejection

_OPTIONS: Final = (
    '--driver-memory 1g --driver-java-options "-XX:+UseSerialGC -XX:-StackTraceInThrowable"'
    " pyspark-shell"
)
"""Without stack traces a rejected statement costs as much as an accepted one."""
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.runSQLOnFiles": "false",  # the analyzer would read FROM csv.`/etc/passwd`
}
_WORDINGS: Final = wordings(
    (r"INTERNAL_ERROR|UNBOUND_SQL_PARAMETER|FAILED_FUNCTION_CALL|StackOverflow|OutOfMemory", None),
    (r"UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY|NOT_LOADED_SQL_FUNCTIONS", None),
    (r"TABLE_OR_VIEW_NOT_FOUND\].*?view (?P<name>`.+?`(?!\.`))", "schema.unknown_table"),
    (
        r"REQUIRES_SINGLE_PART_NAMESPACE\].*?identifier (?P<name>`.+?`(?!\.`))",
        "schema.unknown_table",
    ),
    (r"SCHEMA_NOT_FOUND\].*?schema (?P<name>`.+?`(?!\.`))", "schema.unknown_table"),
    (r"UNRESOLVED_COLUMN.*?with name (?P<name>`.+?`(?!\.`)) cannot", "schema.unknown_column"),
    (r"UNRESOLVED_USING_COLUMN.*?column (?P<name>`.+?`(?!\.`)) ", "schema.unknown_column"),
    (r"FIELD_NOT_FOUND\].*?field (?P<name>`.+?`(?!\.`)) ", "schema.unknown_column"),
    (r"CANNOT_RESOLVE_STAR_EXPAND\] Cannot resolve (?P<name>`.+?`)\.\*", "schema.wrong_owner"),
    (r"AMBIGUOUS_\w+\] Reference (?P<name>`.+?`(?!\.`)) ", "schema.ambiguous_ref"),
    (r"\[AMBIGUOUS_", "schema.ambiguous_ref"),
    (
        (
            r"(?:UNRESOLVED_ROUTINE|UNRESOLVABLE_TABLE_VALUED_FUNCTION).*?"
            r"(?:routine|resolve) (?P<name>`.+?`(?!\.`)) "
        ),
        "syntax.dialect_mismatch",
    ),
    (r"WRONG_NUM_ARGS.*?The (?P<name>`.+?`(?!\.`)) requires", "syntax.dialect_mismatch"),
    (r"UNSUPPORTED_DATATYPE\].*?type \"(?P<name>\w+)", "schema.unknown_type"),
    (r"MISSING_AGGREGATION\].*?expression \"(?P<name>[\w.]+)\"", "schema.grouping"),
    (
        r"GROUP_BY|_AGGREGAT|AGGREGATE_|_WHERE_CONDITION|WINDOW_FUNCTION|GROUPING",
        "schema.grouping",
    ),
    (
        r"DATATYPE_MISMATCH|_TYPE\]|CAST_|\.DATA_TYPE|NON_FOLDABLE|INVALID_EXTRACT",
        "schema.type_mismatch",
    ),
    (r"INCOMPATIBLE_COLUMN_TYPE|CONVERSION_|INVALID_TYPED_LITERAL", "schema.type_mismatch"),
    (r"\[|ParseException", "syntax.parse_error"),
)

_quoted: Final = dialect_of("spark").quoted


class Session:
    """One session. Statements go to the JVM directly: PySpark would log and convert every error."""

    def __init__(self) -> None:
        os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": _OPTIONS}
        import py4j.java_gateway
        import py4j.protocol
        from pyspark.sql import SparkSession

        self._folder = tempfile.TemporaryDirectory()
        builder = SparkSession.builder.master("local[1]").config(map=_SETTINGS)
        session = builder.config("spark.sql.warehouse.dir", self._folder.name).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        py4j.java_gateway.get_return_value = py4j.protocol.get_return_value
        self.Error = py4j.protocol.Py4JJavaError
        self._session = session
        self._state = session._jsparkSession.sessionState()  # noqa: SLF001 - the JVM's
        jvm: Any = session._jvm  # noqa: SLF001 - as above
        modes = "org.apache.spark.sql.execution.CommandExecutionMode$"
        self._skip = jvm.java.lang.Class.forName(modes).getField("MODULE$").get(None).SKIP()
        self.version: str = session.version

    def execute(self, *statements: str) -> None:
        """Run statements that define something."""
        for statement in statements:
            self._session._jsparkSession.sql(statement)  # noqa: SLF001 - the JVM's

    def use_ansi(self, *, on: bool) -> None:
        """Switch between ANSI mode, the default, and legacy mode."""
        self._state.conf().setConfString("spark.sql.ansi.enabled", str(on).lower())

    def error(self, sql: str) -> str | None:
        """Return the first line of the analyzer's error; None: it accepts the statement."""
        return self.analyzed(sql)[0]

    def analyzed(self, sql: str) -> tuple[str | None, Any]:
        """Return the error, or the analyzed plan."""
        try:
            plan = self._state.sqlParser().parsePlan(sql)
            execution = self._state.executePlan(plan, self._skip)
            execution.assertAnalyzed()
            return None, execution.analyzed()
        except self.Error as error:
            fault = error.java_exception
            kind = fault.getClass().getSimpleName()
            return f"{kind} {str(fault.getMessage()).strip()}".split("\n")[0], None

    def close(self) -> None:
        """End the Java process."""
        self._session.stop()
        self._folder.cleanup()


class Analyzer:
    """A session's databases with the tables that statements have named so far."""

    def __init__(self) -> None:
        self._session = Session()
        self._tables = MadeTables(self)
        self.engine = f"spark {self._session.version}"
        # The first table and the first query take seconds; they belong to the start.
        self.rejection(
            "SELECT count(a) FROM warm_up", [DeclaredTable(("warm_up",), (("a", "INT"),))]
        )

    def rejection(self, sql: str, tables: Sequence[DeclaredTable]) -> Rejection | None:
        """Return Spark's error; None: it accepts the query."""
        self._tables.prepare(sql.lower(), tables)
        error = self._session.error(sql)
        return None if error is None else rejection_of(error, _WORDINGS)

    def place_of(self, table: DeclaredTable) -> Place:
        """Return the database and name, in lower case: Spark ignores their case."""
        path = [part.lower() for part in table.path]
        return (path[-2] if len(path) > 1 else "default", path[-1])

    def create(self, place: Place, table: DeclaredTable) -> None:
        """Make an empty table, and its database."""
        columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in table.columns)
        try:
            self._session.execute(
                f"CREATE DATABASE IF NOT EXISTS {_quoted(place[0])}",
                f"CREATE TABLE {_name(place)} ({columns}) USING parquet",
            )
        except self._session.Error as error:
            raise NoVerdictError(f"{table.path[-1]} cannot be made") from error

    def drop(self, place: Place) -> None:
        """Drop a table."""
        self._session.execute(f"DROP TABLE {_name(place)}")


def _name(place: Place) -> str:
    return ".".join(map(_quoted, place))
