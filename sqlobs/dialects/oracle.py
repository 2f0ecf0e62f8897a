"""Oracle Database."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    NTH_VALUE_FROM,
    Connections,
    Dialect,
    Execution,
    Parsing,
    Rewrite,
    Scripts,
)
from sqlobs.dialects.identifiers import EXACT_UPPER
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="oracle",
    spellings=frozenset({"plsql", "oracledb"}),
    system="oracle.db",
    identifiers=EXACT_UPPER,
    resolution=ResolutionRules(
        nests_aggregates=True,
        strict_grouping=True,
        distinct_orders_by_list=True,
        alias_clauses=frozenset({"order"}),
        groups_by_position=False,
        hidden_columns=frozenset({"ROWID"}),
        merged_column_alone=True,
        pivot_names="{value}_{alias}",
        pivots_literals=True,
        fields_by_dot=True,
        nameless_columns=frozenset(
            "ROWNUM LEVEL SYSDATE SYSTIMESTAMP USER UID CURRENT_DATE LOCALTIMESTAMP SESSIONTIMEZONE"
            " DBTIMEZONE CONNECT_BY_ISLEAF CONNECT_BY_ISCYCLE ORA_ROWSCN COLUMN_VALUE OBJECT_ID"
            " OBJECT_VALUE ORA_INVOKING_USER VERSIONS_STARTSCN VERSIONS_STARTTIME VERSIONS_ENDSCN"
            " VERSIONS_ENDTIME VERSIONS_XID VERSIONS_OPERATION NAN INFINITE".split()
        ),
        sequence_values=frozenset({"NEXTVAL", "CURRVAL"}),
        system_schemas=frozenset({"sys", "system"}),
        system_tables=frozenset({"DUAL"}),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset({"httpuritype", "bfilename", "sys_eval"}),
        packages=frozenset(
            "utl_http utl_file utl_inaddr utl_smtp utl_tcp utl_mail utl_url dbms_lock dbms_pipe"
            " dbms_xmlgen dbms_xmlquery dbms_java dbms_java_test dbms_scheduler dbms_job dbms_sql"
            " dbms_ldap dbms_lob dbms_advisor dbms_alert dbms_cloud dbms_session dbms_metadata"
            " dbms_export_extension dbms_xslprocessor".split()
        ),
        prefixes=("dba_", "all_", "user_", "v$", "gv$"),
    ),
    scripts=Scripts(dollar_strings=False, client_commands=r"| ^(?:REM|REMARK|PROMPT)\b[^\n]*"),
    parsing=Parsing(
        rewrites=(
            # WHEN MATCHED THEN UPDATE SET a = 1 DELETE WHERE b > 2
            Rewrite(r"DELETE (WHERE)", r"\1", within=r"\bMERGE\b"),
            Rewrite(r"(:) 0", r"\1 p"),  # :1
            # TO_DATE(a DEFAULT NULL ON CONVERSION ERROR, 'YYYY')
            Rewrite(r"DEFAULT (?:- )?\S+ ON CONVERSION ERROR"),
            # TRANSLATE(a USING NCHAR_CS)
            Rewrite(r"USING N?CHAR_CS(?= \))", within=r"\bTRANSLATE \("),
            NTH_VALUE_FROM,
        ),
        marks=("(+)", "CONNECT", "ROWNUM", "MINUS", "DUAL"),
        gaps=r"\bMODEL\b.*\bDIMENSION BY\b|^WITH (?:FUNCTION|PROCEDURE)\b|\bPIVOT XML\b"
        r"|\bVERSIONS BETWEEN (?:SCN|TIMESTAMP)\b|\bPARTITION FOR \(|^(?:BEGIN|DECLARE)\b"
        r"|\bJSON_SERIALIZE \(|\bXML(?:QUERY|EXISTS|ATTRIBUTES|CAST|PARSE|SERIALIZE) \("
        r"|\bIS (?:NOT )?(?:NAN|INFINITE)\b|\bJOIN \S+ (?:\S+ )?PARTITION BY\b"
        r"|\bNESTED (?:PATH )?\S+ COLUMNS\b|\bWITH(?:OUT)? (?:\w+ )?(?:ARRAY )?WRAPPER\b",
    ),
    execution=Execution(probe="SELECT 1 FROM dual", begin="SET TRANSACTION READ ONLY"),
    connections=Connections(sqlalchemy=("oracle",)),
)
