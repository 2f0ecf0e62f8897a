"""Snowflake."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import NTH_VALUE_FROM, Connections, Dialect, Parsing, Scripts
from sqlobs.dialects.identifiers import EXACT_UPPER
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="snowflake",
    spellings=frozenset({"snowflakesql"}),
    identifiers=EXACT_UPPER,
    resolution=ResolutionRules(
        strict_grouping=True,
        hidden_columns=frozenset(
            "METADATA$FILENAME METADATA$FILE_ROW_NUMBER METADATA$ACTION METADATA$ISUPDATE"
            " METADATA$ROW_ID".split()
        ),
        alias_clauses=frozenset({"where", "group", "having", "qualify", "order"}),
        lateral_aliases=True,
        values_name="COLUMN1",
        pivots_literals=True,
        sequence_values=frozenset({"NEXTVAL"}),
        nameless_columns=frozenset({"LEVEL", "ALL"}),
        system_catalogs=frozenset({"SNOWFLAKE", "SNOWFLAKE_SAMPLE_DATA"}),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "get_ddl infer_schema system$wait system$cancel_query system$cancel_all_queries"
            " system$abort_session system$abort_transaction".split()
        )
    ),
    scripts=Scripts(backslash_escapes=True),
    parsing=Parsing(
        rewrites=(NTH_VALUE_FROM,), marks=(":", "QUALIFY", "FLATTEN", "$"), gaps=r"->> SELECT\b"
    ),
    connections=Connections(
        engine="snowflake",
        schemes=("snowflake",),
        sqlalchemy=("snowflake",),
        driver="snowflake",
        extra="snowflake",
        charges_by="seconds",
        counts_bytes=True,
    ),
    error_codes={
        904: "schema.unknown_column",
        938: "syntax.dialect_mismatch",  # not enough arguments for function [ROUND()]
        939: "syntax.dialect_mismatch",  # too many arguments for function [ABS(1, 2)]
        979: "schema.grouping",
        1003: "syntax.parse_error",
        1044: "schema.type_mismatch",
        2003: "schema.unknown_table",
        2028: "schema.ambiguous_ref",
        2040: "schema.unknown_type",
        2043: "schema.unknown_table",
        2140: "syntax.dialect_mismatch",
        2141: "syntax.dialect_mismatch",  # Unknown user-defined function SALES.FROB
    },
)
