"""Databricks SQL."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlobs.dialects.base import BACKTICKS, Connections, Dialect, Scripts, Types, Versions
from sqlobs.dialects.identifiers import LOWER
from sqlobs.dialects.spark import PARSING, RESOLUTION, UNSAFE

DIALECT: Final = Dialect(
    name="databricks",
    spellings=frozenset({"databrickssql"}),
    versions=Versions(documented=("17",), default="17"),
    identifiers=LOWER,
    quotes=BACKTICKS,
    resolution=replace(
        RESOLUTION,
        own_schemas=frozenset(),
        one_namespace=False,
        having_hides_list=False,
        binds_parameters=True,
        system_catalogs=frozenset({"system", "samples"}),
    ),
    unsafe=UNSAFE,
    scripts=Scripts(backslash_escapes=True),
    parsing=replace(
        PARSING,
        gaps=rf"{PARSING.gaps}|^MERGE WITH SCHEMA EVOLUTION\b|\bMAX RECURSION LEVEL \S+ AS \(",
    ),
    types=Types(system="measured"),
    connections=Connections(sqlalchemy=("databricks",), extra="databricks", charges_by="seconds"),
)
