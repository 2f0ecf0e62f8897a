"""Spark's analyzer in a Java process of its own: it resolves statements and runs none.

Needs Java 17 and the package `pyspark`, which is in no extra: it has 490 MB.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS = (
    '--driver-memory 1g --driver-java-options "-XX:+UseSerialGC -XX:-StackTraceInThrowable"'
    " pyspark-shell"
)
"""Without stack traces a rejected statement costs as much as an accepted one."""
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
}


class Spark:
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
        self._error = py4j.protocol.Py4JJavaError
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

    def parses(self, sql: str) -> bool:
        """Return whether the grammar accepts a statement."""
        try:
            self._state.sqlParser().parsePlan(sql)
        except self._error:
            return False
        return True

    def error(self, sql: str) -> str | None:
        """Return the first line of the analyzer's error; None: it accepts the statement."""
        return self._analyzed(sql)[0]

    def type_of(self, sql: str) -> str | None:
        """Return the type of a query's only column (`array<int>`); None: the query is rejected."""
        return self.answer(sql)[1]

    def answer(self, sql: str) -> tuple[str | None, str | None]:
        """Return the error, or the type of a query's only column."""
        error, plan = self._analyzed(sql)
        found = None if plan is None else str(plan.schema().head().dataType().catalogString())
        return error, found

    def columns_of(self, sql: str) -> Sequence[str] | None:
        """Return the names of a query's columns; None: the query is rejected."""
        plan = self._analyzed(sql)[1]
        return None if plan is None else list(plan.schema().fieldNames())

    def _analyzed(self, sql: str) -> tuple[str | None, Any]:
        try:
            plan = self._state.sqlParser().parsePlan(sql)
            execution = self._state.executePlan(plan, self._skip)
            execution.assertAnalyzed()
            return None, execution.analyzed()
        except self._error as error:
            fault = error.java_exception
            kind = fault.getClass().getSimpleName()
            return f"{kind} {fault.getMessage()}".split("\n")[0], None

    def functions(self) -> Sequence[str]:
        """Return the names of the functions that give a value."""
        return _plain_names(self._state.functionRegistry())

    def table_functions(self) -> Sequence[str]:
        """Return the names of the functions in FROM."""
        return _plain_names(self._state.tableFunctionRegistry())

    def keywords(self) -> Sequence[str]:
        """Return the words that Spark calls keywords."""
        return [
            word for (word,) in self._session.sql("SELECT keyword FROM sql_keywords()").collect()
        ]

    def collations(self) -> Sequence[str]:
        """Return the names of collations in lower case."""
        names = self._session.sql("SELECT lower(name) FROM collations()").collect()
        return sorted(name for (name,) in names)

    def group_of(self, name: str) -> str | None:
        """Return Spark's group of a function (`agg_funcs`); None: it gives no value."""
        jvm: Any = self._session._jvm  # noqa: SLF001 - as above
        path = [jvm.scala.Option.apply(part) for part in ("builtin", "system")]
        identifier = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name, *path)
        found = self._state.functionRegistry().lookupFunction(identifier)
        return str(found.get().getGroup()) if found.isDefined() else None

    def close(self) -> None:
        """End the Java process."""
        self._session.stop()
        self._folder.cleanup()


def _plain_names(registry: Any) -> list[str]:
    names = registry.listFunction().mkString(" ").split()
    plain = {name.rpartition(".")[2].strip("`") for name in names}
    return sorted(name for name in plain if name.isidentifier())
