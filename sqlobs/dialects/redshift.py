"""Amazon Redshift."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlobs.dialects.base import Connections, Dialect, Execution, Parsing, Rewrite, Types
from sqlobs.dialects.identifiers import LOWER
from sqlobs.dialects.postgres import DIALECT as POSTGRES
from sqlobs.dialects.resolution_rules import ResolutionRules

DIALECT: Final = Dialect(
    name="redshift",
    spellings=frozenset({"amazonredshift", "awsredshift"}),
    system="aws.redshift",
    identifiers=LOWER,
    resolution=ResolutionRules(
        strict_grouping=True,
        distinct_orders_by_list=True,
        names_outputs_by="call",
        fields_by_dot=True,
        values_name="column1",
        arrays_in_from=True,
        nameless_columns=frozenset(
            {"level", "current_aws_account", "current_namespace", "current_user_id"}
        ),
        alias_clauses=frozenset({"where", "group", "having", "qualify", "order"}),
        lateral_aliases=True,
        system_schemas=frozenset({"information_schema", "pg_catalog", "pg_toast"}),
    ),
    unsafe=replace(
        POSTGRES.unsafe, prefixes=("pg_", "stl_", "stv_", "svcs_", "svl_", "svv_", "sys_")
    ),
    parsing=Parsing(
        rewrites=(
            # APPROXIMATE COUNT(DISTINCT a)
            Rewrite(r"APPROXIMATE ((?:COUNT|PERCENTILE_DISC) \()", r"\1"),
        ),
        gaps=r"^MERGE\b.*\bREMOVE DUPLICATES\b|, UNPIVOT \S",
    ),
    types=Types(sums_bigint_as_numeric=True, type_first=True),
    execution=Execution(system_functions_schema=True, session_settings=True),
    connections=Connections(
        engine="aws.redshift",
        schemes=("redshift",),
        sqlalchemy=("redshift",),
        driver="redshift+redshift_connector",
        extra="redshift",
        charges_by="seconds",
    ),
)
