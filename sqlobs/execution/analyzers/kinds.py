"""Which engine gives the verdicts of a dialect, and what it needs."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from sqlobs.errors import ConfigError, MissingExtraError


@dataclass(frozen=True, slots=True)
class Kind:
    """An engine that runs in a process of its own."""

    title: str
    extra: str
    module: str
    """Its module; the class in it is `Analyzer`."""
    package: str
    """The package that has the engine."""
    starts_s: float
    """The longest time that a start may take, on a busy machine."""
    needs_java: bool = False

    def require(self) -> None:
        """Check that everything is installed, without importing it.

        Raises:
            MissingExtraError: The package is missing.
            ConfigError: Java is missing.
        """
        if find_spec(self.package) is None:
            raise MissingExtraError(f"The engine of {self.title}", extra=self.extra)
        if self.needs_java and not _has_java():
            raise ConfigError(
                f"The engine of {self.title} needs Java 17 or later: install it, or set JAVA_HOME"
            )


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=f"{home}/bin" if home else None) is not None


KINDS: Final = {
    "bigquery": Kind("BigQuery", "bigquery-native", f"{__package__}.googlesql", "zetasql", 300.0),
    "spark": Kind(
        "Spark", "spark-native", f"{__package__}.spark", "pyspark", 180.0, needs_java=True
    ),
    "clickhouse": Kind(
        "ClickHouse", "clickhouse-native", f"{__package__}.clickhouse", "chdb", 60.0
    ),
}
"""By dialect."""
