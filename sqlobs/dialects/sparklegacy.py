"""Spark SQL with `spark.sql.ansi.enabled=false`, the default before Spark 4: more conversions."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlobs.dialects.base import Versions
from sqlobs.dialects.spark import DIALECT as SPARK

DIALECT: Final = replace(
    SPARK,
    name="sparklegacy",
    spellings=frozenset(),
    system="sparklegacy",
    versions=Versions(known=("4",), measured=("4.3",), default="4.3"),
)
