"""SQLite."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    Connections,
    Definitions,
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
    name="sqlite",
    spellings=frozenset({"sqlite3"}),
    versions=Versions(known=("3",), measured=("3.40", "3.53")),
    settings=frozenset({"double_quoted_strings"}),
    resolution=ResolutionRules(
        orders_by="alias",
        columns_first_in_terms=True,
        inserts_whole_rows=True,
        generated_columns="left out",
        derived_has_hidden=True,
        own_schemas=frozenset({"main", "temp"}),
        calls_have_namespace=False,
        table_calls_are_tables=True,
        values_name="column1",
        alias_clauses=frozenset({"on", "where", "group", "having", "order", "limit"}),
        alias_first=frozenset({"order"}),
        arguments_first=True,
        on_sees_all=True,
        closed_clauses=frozenset({"group", "order", "limit"}),
        repeated_alias="on_use",
        order_needs_group=True,
        checks_unused_ctes=False,
        ctes_see_later_ones=True,
        quoted_fallback=True,
        parameter_sign="$",
        hidden_columns=frozenset({"rowid", "oid", "_rowid_"}),
        duplicate_outputs="first",
        system_schemas=frozenset(),
        system_tables=frozenset(
            "sqlite_master sqlite_schema sqlite_sequence sqlite_temp_master"
            " sqlite_temp_schema".split()
        ),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "load_extension readfile writefile edit fts3_tokenizer fsdir zipfile lsmode".split()
        ),
        prefixes=("sqlite_", "pragma_"),
    ),
    scripts=Scripts(
        dollar_strings=False, client_commands=r"| ^\.[a-z][^\n]*", bracketed_names=True
    ),
    definitions=Definitions(nullable_keys=True, default_namespace="main", typeless_columns=True),
    parsing=Parsing(
        rewrites=(
            Rewrite(r"(\?) 0", r"\1"),  # ?1
            Rewrite(r"(IN \( [^()]*\)) (?:[-+*/]|\|\|)", r"\1 AND"),  # a IN (1, 2) + 1
            # UPDATE OR IGNORE t SET a = 1
            Rewrite(r"(UPDATE) OR (?:ABORT|FAIL|IGNORE|REPLACE|ROLLBACK)", r"\1"),
            Rewrite(r"REPLACE (INTO)", r"INSERT \1"),  # WITH t AS (…) REPLACE INTO u …
            "join_before_on",
            "one_word_as_type",
            "type_of_cast",
            # json_object(a), whose odd arguments only a row rejects
            Rewrite(r"JSON_OBJECT", "json_array", within=r"^(?!.* : )"),
            # ON CONFLICT (a) DO NOTHING ON CONFLICT DO UPDATE SET b = 1
            Rewrite(r"(ON CONFLICT .*?) ON CONFLICT .*?(?= RETURNING\b|$)", r"\1"),
        )
    ),
    types=Types(unused_collations=True),
    execution=Execution(
        guarded_schemas=("temp",),
        system_relations=(
            "sqlite_",
            "pragma_",
            "dbstat",
            "bytecode",
            "tables_used",
            "fsdir",
            "fts",
        ),
        folds_quoted_names=True,
        clocks=frozenset({"current_time", "current_timestamp"}),
        clocks_without_arguments=frozenset({"datetime", "julianday", "time", "unixepoch"}),
        now_is_text=True,
        begin="PRAGMA query_only = 1",
    ),
    connections=Connections(
        engine="sqlite", schemes=("sqlite",), sqlalchemy=("sqlite",), is_file=True
    ),
)
