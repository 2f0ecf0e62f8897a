"""MySQL, and what speaks its protocol and grammar (SingleStore). For MariaDB see `mariadb`."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    BACKTICKS,
    SCRIPTS_OF_MYSQL,
    Connections,
    Definitions,
    Dialect,
    Execution,
    Parsing,
    Rewrite,
    Versions,
)
from sqlobs.dialects.identifiers import TABLES_EXACT
from sqlobs.dialects.resolution_rules import GROUP_ORDER, ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

INDEX_KEYWORDS: Final = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})
ERROR_CODES: Final = {
    1051: "schema.unknown_table",
    1052: "schema.ambiguous_ref",
    1054: "schema.unknown_column",
    1055: "schema.grouping",
    1056: "schema.grouping",
    1064: "syntax.parse_error",
    1066: "syntax.parse_error",
    1109: "schema.unknown_table",
    1110: "syntax.parse_error",
    1111: "schema.grouping",
    1140: "schema.grouping",
    1146: "schema.unknown_table",
    1149: "syntax.parse_error",
    1221: "syntax.parse_error",
    1222: "syntax.parse_error",
    1241: "syntax.parse_error",
    1248: "syntax.parse_error",
    1305: "syntax.dialect_mismatch",
    1582: "syntax.dialect_mismatch",
    1583: "schema.type_mismatch",
    1630: "syntax.dialect_mismatch",
}
"""Errors by which the server says that a statement is wrong."""

RESOLUTION: Final = ResolutionRules(
    orders_by="column",
    names_outputs_by="text",
    values_name="column_0",
    ctes_ignore_case=True,
    over_is_grammar=True,
    alias_clauses=GROUP_ORDER,
    alias_first=frozenset({"order", "having"}),
    derived_sees_outer=False,
    subquery_sees_aliases=True,
    windows_see_aliases=True,
    having_needs_list=True,
    output_clauses=frozenset({"group", "having"}),
    inserts_whole_rows=True,
    inserts_see_target=True,
    aggregate_falls_back=True,
    system_schemas=frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
    ungrouped_calls=frozenset({"any_value"}),
    sequence_calls=frozenset({"nextval", "lastval", "setval"}),
    empty_tables=frozenset({"dual", "DUAL"}),
    numbered_relations=r"seq_\d+_to_\d+(?:_step_\d+)?",
)

DIALECT: Final = Dialect(
    name="mysql",
    spellings=frozenset({"singlestore", "singlestoredb", "memsql"}),
    versions=Versions(
        parts=2,
        known=("5.6", "5.7", "8.0", "8.1", "8.2", "8.3", "8.4", "9"),
        documented=("8", "9"),
        current=("8.0", "9"),
    ),
    settings=frozenset({"lower_case_table_names", "sql_mode"}),
    sql_mode=("ONLY_FULL_GROUP_BY",),
    identifiers=TABLES_EXACT,
    quotes=BACKTICKS,
    resolution=RESOLUTION,
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "load_file sleep benchmark get_lock release_lock release_all_locks sys_exec sys_eval"
            " master_pos_wait source_pos_wait master_gtid_wait setval nextval lastval".split()
        )
    ),
    scripts=SCRIPTS_OF_MYSQL,
    definitions=Definitions(index_keywords=INDEX_KEYWORDS),
    parsing=Parsing(
        tokens=frozenset(
            {
                "executed_comments",
                "join_as_alias",
                "change_modifiers",
                "values_query",
                "replace_without_into",
            }
        ),
        rewrites=(
            Rewrite(r":=", "="),  # @a := b
            "default_as_call",
            "no_order_in_group_by",
            Rewrite(r"(SIGNED|UNSIGNED) INT(?:EGER)?", r"\1"),  # CAST(a AS SIGNED INT)
            Rewrite(
                r"(?:CHAR SET|CHARACTER SET|CHARSET) \w+"
            ),  # CONVERT(a, CHAR CHARACTER SET utf8mb4)
            "no_limit_in_group_concat",
            Rewrite(r"\{ (?:D|T|TS) (') \}", r"\1"),  # {d '2024-01-01'}
            # JSON_TABLE(a, '$' COLUMNS (b INT PATH '$.b' DEFAULT '0' ON EMPTY))
            Rewrite(r"(?:DEFAULT ['0]|NULL|ERROR) ON (?:EMPTY|ERROR)"),
            Rewrite(r"EXISTS (PATH)", r"\1"),  # COLUMNS (b INT EXISTS PATH '$.b')
            Rewrite(  # SELECT SQL_NO_CACHE DISTINCT a
                r"(SELECT)(?: (?:HIGH_PRIORITY|STRAIGHT_JOIN|SQL_SMALL_RESULT|SQL_BIG_RESULT"
                r"|SQL_BUFFER_RESULT|SQL_CACHE|SQL_NO_CACHE|SQL_CALC_FOUND_ROWS))+",
                r"\1",
            ),
            Rewrite(r"DISTINCTROW", "DISTINCT"),
            # DELETE a.*, b.* FROM a JOIN b
            Rewrite(r"\. \*(?= (?:,|FROM|USING)(?!\S))", within=r"^DELETE\b"),
            Rewrite(  # SELECT a INTO OUTFILE '/tmp/a' FIELDS TERMINATED BY ',' FROM t
                r"INTO (?:OUTFILE|DUMPFILE)"
                r"(?: (?!(?:FROM|WHERE|GROUP BY|ORDER BY|LIMIT|FOR)(?!\S))\S+)*+"
            ),
            Rewrite(r"PROCEDURE ANALYSE.*"),  # SELECT a FROM t PROCEDURE ANALYSE(10)
            Rewrite(r"(?:LIMIT )?ROWS EXAMINED \S+"),  # LIMIT 5 ROWS EXAMINED 9
            # MATCH a, b AGAINST ('word')
            Rewrite(r"(MATCH) ([\w\"]+(?: [.,] [\w\"]+)*+) (AGAINST)(?= \()", r"\1 ( \2 ) \3"),
            Rewrite(r"\{ OJ ([^{}]*) \}", r"\1"),  # {OJ a LEFT JOIN b ON a.id = b.id}
        ),
    ),
    execution=Execution(
        guarded_schemas=(),
        session_variables=True,
        clocks=frozenset({"sysdate"}),
        computes_when_preparing=True,
        begin="SET SESSION TRANSACTION READ ONLY",
        sql_modes=True,
    ),
    connections=Connections(
        engine="mysql",
        schemes=("mysql",),
        sqlalchemy=("mysql", "singlestoredb"),
        driver="mysql+pymysql",
        extra="mysql",
        one_host=True,
    ),
    error_codes=ERROR_CODES,
)
