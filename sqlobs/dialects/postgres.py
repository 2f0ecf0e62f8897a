"""PostgreSQL, and what speaks its protocol and grammar (CockroachDB)."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    Connections,
    Definitions,
    Dialect,
    Execution,
    Parsing,
    Rewrite,
    Types,
    Versions,
)
from sqlobs.dialects.identifiers import EXACT_LOWER
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="postgres",
    spellings=frozenset({"pg", "pgsql", "postgresql", "plpgsql", "cockroach", "cockroachdb"}),
    system="postgresql",
    versions=Versions(
        parts=1,
        known=("11", "12", "13", "14", "15", "16", "17", "18"),
        measured=("15", "16", "17", "18"),
        current=("15", "16", "17", "18"),
    ),
    identifiers=EXACT_LOWER,
    resolution=ResolutionRules(
        generated_columns="default",
        orders_by="output",
        calls_name_columns=True,
        own_schemas=frozenset({"public"}),
        values_name="column1",
        arguments_first=True,
        alias_only_bare=True,
        hidden_columns=frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}),
        whole_row=True,
        strict_grouping=True,
        distinct_orders_by_list=True,
        key_determines=True,
        names_outputs_by="call",
        nameless_columns=frozenset({"user", "current_role"}),
        value_relations=frozenset({"user", "current_user", "session_user", "current_date"}),
        system_schemas=frozenset({"information_schema", "pg_catalog", "pg_toast"}),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "pg_read_file pg_read_binary_file pg_ls_dir pg_ls_logdir pg_ls_waldir"
            " pg_ls_tmpdir pg_ls_archive_statusdir pg_stat_file pg_current_logfile lo_import"
            " lo_export lo_put lo_create lo_unlink lo_from_bytea lowrite dblink dblink_exec"
            " dblink_connect dblink_send_query query_to_xml query_to_xmlschema"
            " query_to_xml_and_xmlschema cursor_to_xml table_to_xml schema_to_xml"
            " database_to_xml pg_sleep pg_sleep_for pg_sleep_until pg_terminate_backend"
            " pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_switch_wal"
            " pg_create_restore_point pg_promote pg_advisory_lock pg_advisory_xact_lock"
            " pg_try_advisory_lock pg_notify set_config setval nextval pg_file_write"
            " pg_file_unlink pg_file_rename pg_execute_server_program pg_logical_emit_message"
            " pg_create_logical_replication_slot pg_create_physical_replication_slot"
            " pg_copy_logical_replication_slot pg_copy_physical_replication_slot"
            " pg_drop_replication_slot pg_replication_slot_advance pg_logical_slot_get_changes"
            " pg_logical_slot_get_binary_changes pg_replication_origin_create"
            " pg_replication_origin_drop pg_replication_origin_advance"
            " pg_replication_origin_session_setup pg_replication_origin_session_reset"
            " pg_replication_origin_xact_setup pg_replication_origin_xact_reset pg_stat_reset"
            " pg_stat_reset_shared pg_stat_reset_slru pg_stat_reset_replication_slot"
            " pg_stat_reset_single_table_counters pg_stat_reset_single_function_counters"
            " pg_stat_reset_subscription_stats pg_stat_statements_reset pg_wal_replay_pause"
            " pg_wal_replay_resume pg_export_snapshot pg_backup_start pg_backup_stop"
            " pg_log_backend_memory_contexts pg_import_system_collations"
            " brin_summarize_new_values brin_summarize_range brin_desummarize_range"
            " gin_clean_pending_list lo_open lo_truncate lo_truncate64 loread pg_nextoid".split()
        ),
        prefixes=("pg_",),
    ),
    definitions=Definitions(views_have_keys=False),
    parsing=Parsing(
        tokens=frozenset({"normalized_tests"}),
        rewrites=(
            Rewrite(r"JSON_OBJECT", "jsonb_object"),  # json_object('{a, 1}'), not a list of pairs
            "cast_of_literal",
            "named_operators",
            Rewrite(r"XMLPARSE \( (?:DOCUMENT|CONTENT)", "xml ("),  # XMLPARSE(CONTENT a)
            # XMLSERIALIZE(CONTENT a AS text)
            Rewrite(r"XMLSERIALIZE \( (?:DOCUMENT|CONTENT)", "CAST ("),
            # XMLEXISTS('//a' PASSING BY VALUE x); with quotes, the name accepts a comma
            Rewrite(r"XMLEXISTS (\( \S+) PASSING(?: (?:BY|REF|VALUE))*", r'"xmlexists" \1 ,'),
            "no_alias_of_using",
            Rewrite(r"USING (?:<|>|<=|>=)"),  # ORDER BY a USING >
            Rewrite(r"OVERRIDING (?:SYSTEM|USER) VALUE"),  # INSERT INTO t OVERRIDING USER VALUE …
            Rewrite(r"@(?= [-(])"),  # @ -5
        ),
    ),
    types=Types(
        system="postgres",
        converts_silently=False,
        sums_bigint_as_numeric=True,
        exact_collations=True,
        language_collations=True,
    ),
    execution=Execution(
        guarded_schemas=("pg_",),
        system_relations=("pg_",),
        system_functions_schema=True,
        session_settings=True,
        clocks=frozenset({"clock_timestamp", "statement_timestamp", "timeofday"}),
        begin="SET TRANSACTION READ ONLY",
        connect="SET standard_conforming_strings = on",
    ),
    connections=Connections(
        engine="postgresql",
        schemes=("postgres", "postgresql"),
        sqlalchemy=("postgresql", "cockroachdb"),
        driver="postgresql+psycopg",
        extra="postgres",
    ),
)
