"""Spark SQL."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, Dialect, Parsing, Rewrite, Scripts, Types, Versions
from sqlobs.dialects.identifiers import LOWER
from sqlobs.dialects.resolution_rules import GROUP_ORDER, ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

RESOLUTION: Final = ResolutionRules(
    values_name="col1",
    alias_clauses=GROUP_ORDER | {"qualify"},
    lateral_aliases=True,
    whole_row=True,
    fields_by_dot=True,
    fields_of_aliases=True,
    file_schemas=frozenset("delta parquet csv json orc avro text binaryfile iceberg hudi".split()),
    hidden_columns=frozenset({"_metadata"}),
    columns_of_calls=frozenset({"window", "session_window"}),
    nests_windows=True,
    repeated_outputs="column",
    repeats_columns=True,
    strict_grouping=True,
    having_hides_list=True,
    casting_calls=frozenset(
        "bigint binary boolean date decimal double float int smallint string timestamp"
        " tinyint".split()
    ),
    repeated_alias="on_use",
    own_schemas=frozenset({"default"}),
    one_namespace=True,
    distinct_orders_by_columns=True,
    calls_see_siblings=False,
    lists_patterns=True,
    inserts_whole_rows=True,
    binds_parameters=False,
    stars_in_calls=True,
    star_clauses=frozenset({"select", "where"}),
    generators=frozenset(
        "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple"
        " variant_explode variant_explode_outer".split()
    ),
)
UNSAFE: Final = UnsafeFunctions(
    functions=frozenset({"reflect", "java_method", "try_reflect", "read_files"}), opens_files=True
)

PARSING: Final = Parsing(
    grammar="databricks",  # whose `a:b.c` Spark 4 has too
    tokens=frozenset({"bare_rows", "explained_queries", "keyword_calls", "pipes"}),
    rewrites=(
        Rewrite("(> >) >", r"\1"),  # a >>> 1
        Rewrite("X (')", r"\1 :: BINARY"),  # X 'F0'
        Rewrite(r"TABLE(?= \S+(?: \. \S+)* \|>)", "FROM"),  # TABLE t |> WHERE a > 1
    ),
    gaps=r"\|> (?:UNION|INTERSECT|EXCEPT|MINUS|(?:SORT|DISTRIBUTE|CLUSTER) BY|OFFSET)\b"
    r"|\|> SELECT\b.*\b(?:WINDOW|GROUP BY)\b|^VALUES\b.*\|>|\|>$",
)

DIALECT: Final = Dialect(
    name="spark",
    spellings=frozenset({"sparksql", "apachespark"}),
    versions=Versions(known=("2", "3", "4"), measured=("4.3",), default="4.3"),
    identifiers=LOWER,
    quotes=BACKTICKS,
    resolution=RESOLUTION,
    unsafe=UNSAFE,
    scripts=Scripts(backslash_escapes=True),
    parsing=PARSING,
    types=Types(system="measured"),
)
