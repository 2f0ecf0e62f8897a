"""What reaches out of a query, as data: functions, catalogue relations, files named as tables.

A list of what is known to be harmful, for findings. It is no fence: statements that are run go
through the gate of `sqlobs.execution`, which lets only known functions pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeFunctions:
    """What an engine offers beyond its tables."""

    functions: frozenset[str] = frozenset()
    """Functions that read files, call other servers, change state or hold the session up."""
    packages: frozenset[str] = frozenset()
    """Packages whose functions do the same (`utl_http.request`), in lower case."""
    namespaces: frozenset[str] = frozenset({"information_schema"})
    """Namespaces of the engine's own relations, in lower case."""
    prefixes: tuple[str, ...] = ()
    """How the names of relations of the engine begin, in lower case."""
    opens_files: bool = False
    """A path may stand where a table may."""

    def has_function(self, name: str, package: str = "") -> bool:
        """Say whether a function reaches out, from its name and what stands before it."""
        return name.lower() in self.functions or package.lower() in self.packages

    def has_relation(self, name: str, namespace: str) -> bool:
        """Say whether a relation is the engine's own, from its name and namespace."""
        if namespace:
            return namespace.lower() in self.namespaces
        return bool(self.prefixes) and name.lower().startswith(self.prefixes)


_POSTGRES: Final = UnsafeFunctions(
    functions=frozenset(
        "pg_read_file pg_read_binary_file pg_ls_dir pg_ls_logdir pg_ls_waldir pg_ls_tmpdir"
        " pg_ls_archive_statusdir pg_stat_file pg_current_logfile lo_import lo_export lo_put"
        " lo_create lo_unlink lo_from_bytea lowrite dblink dblink_exec dblink_connect"
        " dblink_send_query query_to_xml query_to_xmlschema query_to_xml_and_xmlschema"
        " cursor_to_xml table_to_xml schema_to_xml database_to_xml pg_sleep pg_sleep_for"
        " pg_sleep_until pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile"
        " pg_switch_wal pg_create_restore_point pg_promote pg_advisory_lock pg_advisory_xact_lock"
        " pg_try_advisory_lock pg_notify set_config setval nextval pg_file_write pg_file_unlink"
        " pg_file_rename pg_execute_server_program pg_logical_emit_message"
        " pg_create_logical_replication_slot pg_create_physical_replication_slot"
        " pg_copy_logical_replication_slot pg_copy_physical_replication_slot"
        " pg_drop_replication_slot pg_replication_slot_advance pg_logical_slot_get_changes"
        " pg_logical_slot_get_binary_changes pg_replication_origin_create"
        " pg_replication_origin_drop pg_replication_origin_advance"
        " pg_replication_origin_session_setup pg_replication_origin_session_reset"
        " pg_replication_origin_xact_setup pg_replication_origin_xact_reset"
        " pg_stat_reset pg_stat_reset_shared pg_stat_reset_slru pg_stat_reset_replication_slot"
        " pg_stat_reset_single_table_counters pg_stat_reset_single_function_counters"
        " pg_stat_reset_subscription_stats pg_stat_statements_reset pg_wal_replay_pause"
        " pg_wal_replay_resume pg_export_snapshot pg_backup_start pg_backup_stop"
        " pg_log_backend_memory_contexts pg_import_system_collations brin_summarize_new_values"
        " brin_summarize_range brin_desummarize_range gin_clean_pending_list lo_open lo_truncate"
        " lo_truncate64 loread pg_nextoid".split()
    ),
    namespaces=frozenset({"information_schema", "pg_catalog", "pg_toast"}),
    prefixes=("pg_",),
)
_MYSQL: Final = UnsafeFunctions(
    functions=frozenset(
        "load_file sleep benchmark get_lock release_lock release_all_locks sys_exec sys_eval"
        " master_pos_wait source_pos_wait master_gtid_wait setval nextval lastval".split()
    ),
    namespaces=frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
)
_SPARK: Final = UnsafeFunctions(
    functions=frozenset({"reflect", "java_method", "try_reflect", "read_files"}), opens_files=True
)

UNSAFE_FUNCTIONS: Final[dict[str, UnsafeFunctions]] = {
    "sqlite": UnsafeFunctions(
        functions=frozenset(
            "load_extension readfile writefile edit fts3_tokenizer fsdir zipfile lsmode".split()
        ),
        namespaces=frozenset(),
        prefixes=("sqlite_", "pragma_"),
    ),
    "postgres": _POSTGRES,
    "redshift": replace(
        _POSTGRES, prefixes=("pg_", "stl_", "stv_", "svcs_", "svl_", "svv_", "sys_")
    ),
    "mysql": _MYSQL,
    "duckdb": UnsafeFunctions(
        functions=frozenset(
            "read_csv read_csv_auto sniff_csv read_parquet parquet_scan parquet_metadata"
            " parquet_schema parquet_file_metadata parquet_kv_metadata read_json read_json_auto"
            " read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto"
            " read_ndjson_objects read_text read_blob read_xlsx glob getenv query query_table"
            " sqlite_scan postgres_scan postgres_query mysql_scan mysql_query sqlite_attach"
            " postgres_attach iceberg_scan delta_scan st_read arrow_scan nextval setseed"
            " duckdb_secrets which_secret checkpoint force_checkpoint write_log".split()
        ),
        namespaces=frozenset({"information_schema", "pg_catalog"}),
        prefixes=("pg_", "sqlite_", "duckdb_", "pragma_"),
        opens_files=True,
    ),
    "snowflake": UnsafeFunctions(
        functions=frozenset(
            "get_ddl infer_schema system$wait system$cancel_query system$cancel_all_queries"
            " system$abort_session system$abort_transaction".split()
        )
    ),
    "bigquery": UnsafeFunctions(functions=frozenset({"external_query"})),
    "tsql": UnsafeFunctions(
        functions=frozenset(
            {"openrowset", "openquery", "opendatasource", "fn_get_audit_file", "xp_cmdshell"}
        ),
        namespaces=frozenset({"information_schema", "sys"}),
    ),
    "oracle": UnsafeFunctions(
        functions=frozenset({"httpuritype", "bfilename", "sys_eval"}),
        packages=frozenset(
            "utl_http utl_file utl_inaddr utl_smtp utl_tcp utl_mail utl_url dbms_lock dbms_pipe"
            " dbms_xmlgen dbms_xmlquery dbms_java dbms_java_test dbms_scheduler dbms_job dbms_sql"
            " dbms_ldap dbms_lob dbms_advisor dbms_alert dbms_cloud dbms_session dbms_metadata"
            " dbms_export_extension dbms_xslprocessor".split()
        ),
        namespaces=frozenset({"sys", "system"}),
        prefixes=("dba_", "all_", "user_", "v$", "gv$"),
    ),
    "clickhouse": UnsafeFunctions(
        functions=frozenset(
            "file url s3 s3cluster hdfs remote remotesecure mysql postgresql mongodb redis jdbc"
            " odbc sqlite executable azureblobstorage input sleep sleepeachrow urlcluster"
            " deltalake iceberg hudi cluster clusterallreplicas".split()
        ),
        namespaces=frozenset({"information_schema", "system"}),
    ),
    "spark": _SPARK,
    "databricks": _SPARK,
}
"""By sqlglot's name of the dialect."""

_ANY: Final = UnsafeFunctions(
    functions=frozenset().union(*(known.functions for known in UNSAFE_FUNCTIONS.values())),
    namespaces=frozenset({"information_schema", "pg_catalog"}),
    opens_files=True,
)
"""Where the dialect is not known: every engine may be meant."""

_PATH: Final = re.compile(
    r"[/\\]|\.(?:csv|tsv|json|jsonl|ndjson|parquet|txt|xlsx|db|gz|zst)$",
    re.IGNORECASE,
)


def unsafe_functions_of(dialect: str | None) -> UnsafeFunctions:
    """Return what the engine of a dialect offers beyond its tables."""
    if not dialect:
        return _ANY
    return UNSAFE_FUNCTIONS.get(dialect, UnsafeFunctions())


def is_path(name: str) -> bool:
    """Say whether a name is one of a file: with a separator, as a scheme has, or a known ending."""
    return _PATH.search(name) is not None
