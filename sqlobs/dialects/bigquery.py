"""BigQuery (GoogleSQL)."""

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
    Types,
    Versions,
)
from sqlobs.dialects.identifiers import TABLES_EXACT
from sqlobs.dialects.resolution_rules import GROUP_ORDER, ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="bigquery",
    spellings=frozenset({"googlebigquery", "googlesql"}),
    versions=Versions(measured=("2025",), default="2025"),
    identifiers=TABLES_EXACT,
    quotes=BACKTICKS,
    resolution=ResolutionRules(
        strict_grouping=True,
        lists_namespaces=True,
        ctes_ignore_case=True,
        aggregates_stay=True,
        output_clauses=frozenset({"group"}),
        repeated_outputs="ambiguous",
        needs_namespace=True,
        qualifies_by_namespace=False,
        names_outputs_by="field",
        alias_ignores_case=True,
        distinct_orders_by_list=True,
        alias_clauses=GROUP_ORDER | {"qualify"},
        whole_row=True,
        relation_first=True,
        fields_by_dot=True,
        hidden_columns=frozenset(
            {"_partitiontime", "_partitiondate", "_table_suffix", "_file_name"}
        ),
        wildcard_tables=True,
        arrays_in_from=True,
        takes_rows_as_values=True,
        selects_as_value=True,
        calls_take_tables=True,
        deletes_without_from=True,
        window_follows_qualify=True,
        alias_first=frozenset({"group", "order"}),
        pivot_names="{alias}_{value}",
        system_tables=frozenset({"__TABLES__", "__TABLES_SUMMARY__"}),
    ),
    unsafe=UnsafeFunctions(functions=frozenset({"external_query"})),
    scripts=Scripts(backslash_escapes=True, hash_comments=True, dollar_strings=False),
    definitions=Definitions(quoted_paths=True),
    parsing=Parsing(
        tokens=frozenset({"pipes"}),
        rewrites=(
            Rewrite(  # FROM orders AS o, o.items AS i WITH OFFSET
                r"(,|JOIN) ([\w\"]+(?: \. [\w\"]+)+)(?=(?: AS)?(?: [\w\"]+)? WITH OFFSET\b)",
                r"\1 UNNEST ( \2 )",
            ),
        ),
        marks=("`", "UNNEST", "STRUCT", "SAFE_", "@"),
        gaps=r"^(?:BEGIN|CREATE (?:OR REPLACE )?TEMP(?:ORARY)? (?:FUNCTION|TABLE))\b.* ;"
        r"|\|> CALL\b|\( TABLE \S+ [,)]|\bWITH \( \w+ AS\b"
        r"|\b(?:AVG|SUM|MIN|MAX|COUNT) \((?! SELECT)[^()]*(?:\([^()]*\)[^()]*)* GROUP BY\b",
    ),
    types=Types(system="measured", converts_silently=False),
    connections=Connections(
        engine="bigquery",
        schemes=("bigquery",),
        sqlalchemy=("bigquery",),
        driver="bigquery",
        extra="bigquery",
        charges_by="bytes",
        counts_bytes=True,
    ),
)
