"""Spark's analyzer, with what a catalog is extracted from.

Needs Java 17 and the package `pyspark` (extra `spark-native`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlobs.execution.analyzers.spark import Session

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spark(Session):
    """One session."""

    def parses(self, sql: str) -> bool:
        """Return whether the grammar accepts a statement."""
        try:
            self._state.sqlParser().parsePlan(sql)
        except self.Error:
            return False
        return True

    def type_of(self, sql: str) -> str | None:
        """Return the type of a query's only column (`array<int>`); None: the query is rejected."""
        return self.answer(sql)[1]

    def answer(self, sql: str) -> tuple[str | None, str | None]:
        """Return the error, or the type of a query's only column."""
        error, plan = self.analyzed(sql)
        found = None if plan is None else str(plan.schema().head().dataType().catalogString())
        return error, found

    def columns_of(self, sql: str) -> Sequence[str] | None:
        """Return the names of a query's columns; None: the query is rejected."""
        plan = self.analyzed(sql)[1]
        return None if plan is None else list(plan.schema().fieldNames())

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
        found = self._documented(name)
        return None if found is None else str(found.getGroup())

    def examples(self, name: str) -> str:
        """Return the examples in Spark's documentation of a function, one a line behind `>`."""
        found = self._documented(name)
        return "" if found is None else str(found.getExamples())

    def _documented(self, name: str) -> Any:
        jvm: Any = self._session._jvm  # noqa: SLF001 - as above
        path = [jvm.scala.Option.apply(part) for part in ("builtin", "system")]
        identifier = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name, *path)
        found = self._state.functionRegistry().lookupFunction(identifier)
        return found.get() if found.isDefined() else None


def _plain_names(registry: Any) -> list[str]:
    names = registry.listFunction().mkString(" ").split()
    plain = {name.rpartition(".")[2].strip("`") for name in names}
    return sorted(name for name in plain if name.isidentifier())
