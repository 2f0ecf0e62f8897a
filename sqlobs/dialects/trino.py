"""Trino."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect, Parsing
from sqlobs.dialects.identifiers import LOWER
from sqlobs.dialects.resolution_rules import ResolutionRules

DIALECT: Final = Dialect(
    name="trino",
    spellings=frozenset({"trinosql"}),
    identifiers=LOWER,
    resolution=ResolutionRules(
        strict_grouping=True,
        word_of_all="auto",
        distinct_orders_by_list=True,
        system_catalogs=frozenset({"system"}),
        naming_calls=frozenset({"table"}),
        nameless_columns=frozenset({"auto"}),
        values_name="_col0",
        merged_column_alone=True,
        alias_clauses=frozenset({"order"}),
        fields_by_dot=True,
        hidden_columns=frozenset({"$path", "$file_size", "$file_modified_time", "$partition"}),
        metadata_tables=frozenset(
            "partitions snapshots history files manifests properties refs entries all_entries"
            " metadata_log_entries timeline data".split()
        ),
    ),
    parsing=Parsing(gaps=r"^TABLE \S+$"),
    connections=Connections(sqlalchemy=("trino",)),
)
