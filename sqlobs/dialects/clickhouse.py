"""ClickHouse."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    BACKTICKS,
    Connections,
    Definitions,
    Dialect,
    Parsing,
    Rewrite,
    Scripts,
)
from sqlobs.dialects.identifiers import EXACT
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="clickhouse",
    spellings=frozenset({"clickhousesql"}),
    identifiers=EXACT,
    quotes=BACKTICKS,
    resolution=ResolutionRules(
        left_of_join_first=True,
        strict_grouping=True,
        alias_clauses=frozenset(
            {"select", "on", "where", "group", "having", "qualify", "order", "limit"}
        ),
        lateral_aliases=True,
        fields_by_dot=True,
        semi_join_gives_columns=True,
        hidden_columns=frozenset(
            {"_part", "_partition_id", "_path", "_file", "_table", "_shard_num", "_sample_factor"}
        ),
        system_schemas=frozenset({"information_schema", "system"}),
        naming_calls=frozenset(
            "remote remotesecure cluster clusterallreplicas merge dictionary loop view"
            " mergetreeindex mergetreeprojection file url s3 s3cluster urlcluster hdfs"
            " azureblobstorage".split()
        ),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "file url s3 s3cluster hdfs remote remotesecure mysql postgresql mongodb redis jdbc"
            " odbc sqlite executable azureblobstorage input sleep sleepeachrow urlcluster"
            " deltalake iceberg hudi cluster clusterallreplicas".split()
        )
    ),
    scripts=Scripts(backslash_escapes=True),
    definitions=Definitions(
        index_keywords=frozenset({"INDEX", "PROJECTION"}), not_null_by_default=True
    ),
    parsing=Parsing(
        rewrites=(
            # LIMIT 1 BY a LIMIT 10
            Rewrite(
                r"(LIMIT (?:(?!LIMIT |SELECT |BY )\S+ )*+BY(?: (?!LIMIT |SELECT )\S+)*+)"
                r" LIMIT(?: (?:0|,|OFFSET))++",
                r"\1",
            ),
            # SELECT TOP 5 WITH TIES a
            Rewrite(r"(SELECT(?: DISTINCT)?) TOP (?=0)(?:0 WITH TIES|0)", r"\1"),
        ),
        gaps=r"\bLIMIT \S+ (?:OFFSET \S+ )?BY\b.*\bLIMIT\b|\bINTO OUTFILE\b",
    ),
    connections=Connections(sqlalchemy=("clickhouse", "clickhousedb")),
)
