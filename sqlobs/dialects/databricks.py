"""Databricks SQL."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlobs.dialects.base import BACKTICKS, Connections, Dialect, Parsing, Scripts
from sqlobs.dialects.identifiers import LOWER
from sqlobs.dialects.spark import RESOLUTION, UNSAFE

DIALECT: Final = Dialect(
    name="databricks",
    spellings=frozenset({"databrickssql"}),
    identifiers=LOWER,
    quotes=BACKTICKS,
    resolution=replace(
        RESOLUTION,
        own_schemas=frozenset(),
        one_namespace=False,
        system_catalogs=frozenset({"system", "samples"}),
    ),
    unsafe=UNSAFE,
    scripts=Scripts(backslash_escapes=True),
    parsing=Parsing(
        tokens=frozenset({"explained_queries", "keyword_calls"}),
        gaps=r"\|>|^MERGE WITH SCHEMA EVOLUTION\b|\bMAX RECURSION LEVEL \S+ AS \(",
    ),
    connections=Connections(sqlalchemy=("databricks",), extra="databricks", charges_by="seconds"),
)
