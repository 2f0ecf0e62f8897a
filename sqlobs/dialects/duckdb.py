"""DuckDB."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    Connections,
    Dialect,
    Execution,
    Parsing,
    Rewrite,
    Scripts,
    Types,
    Versions,
)
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="duckdb",
    versions=Versions(known=("0", "1", "2"), measured=("2.0",), default="2.0"),
    resolution=ResolutionRules(
        generated_columns="left out",
        orders_by="single output",
        columns_first_in_terms=True,
        merged_column_first=True,
        own_schemas=frozenset({"main", "temp", "memory"}),
        inserts_whole_rows=True,
        pivots=True,
        pivot_names="{value}_{alias}",
        unnest_column="unnest",
        values_name="col0",
        alias_clauses=frozenset({"where", "group", "having", "qualify", "order"}),
        derived_sees_siblings=True,
        checks_unused_ctes=False,
        lateral_aliases=True,
        strict_grouping=True,
        takes_several_statements=True,
        repeated_alias="on_use",
        hidden_columns=frozenset({"rowid"}),
        views_are_like_tables=False,
        whole_row=True,
        fields_by_dot=True,
        chains_calls=True,
        duplicate_outputs="first",
        system_schemas=frozenset({"information_schema", "pg_catalog"}),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "read_csv read_csv_auto sniff_csv read_parquet parquet_scan parquet_metadata"
            " parquet_schema parquet_file_metadata parquet_kv_metadata read_json read_json_auto"
            " read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto"
            " read_ndjson_objects read_text read_blob read_xlsx glob getenv query query_table"
            " sqlite_scan postgres_scan postgres_query mysql_scan mysql_query sqlite_attach"
            " postgres_attach iceberg_scan delta_scan st_read arrow_scan nextval setseed"
            " duckdb_secrets which_secret checkpoint force_checkpoint write_log".split()
        ),
        prefixes=("pg_", "sqlite_", "duckdb_", "pragma_"),
        opens_files=True,
    ),
    scripts=Scripts(client_commands=r"| ^\.[a-z][^\n]*"),
    parsing=Parsing(
        tokens=frozenset({"backticked_names", "calls_of_list", "bracketed_inserts"}),
        rewrites=(
            "pivot_in_parentheses",
            Rewrite(r"X (&')", r"\1 :: BLOB"),  # x'ab'
            Rewrite(r"B (&')", r"\1 :: BIT"),  # b'01'
            Rewrite(r"(?<=[\w)\"] )!(?! (?:IN|LIKE|NULL)\b)"),  # 5!
            Rewrite(  # SELECT a, FROM t
                r",(?= (?:FROM|WHERE|GROUP BY|HAVING|QUALIFY|WINDOW|ORDER BY|LIMIT|OFFSET|SELECT"
                r"|UNION|EXCEPT|INTERSECT|RETURNING|[)}\]])(?!\S)|$)"
            ),
            Rewrite(r"BY POSITION"),  # INSERT INTO t BY POSITION SELECT …
        ),
        marks=("{", "[", "QUALIFY", "PIVOT"),
    ),
    types=Types(system="duckdb", language_collations=True),
    execution=Execution(
        guarded_schemas=("pg_", "system", "temp"),
        system_relations=("duckdb_", "pg_", "pragma_", "sqlite_"),
        system_functions_schema=True,
        show_in_parentheses=True,
        series_are_lists=True,
    ),
    connections=Connections(
        engine="duckdb", schemes=("duckdb",), sqlalchemy=("duckdb",), extra="duckdb", is_file=True
    ),
)
