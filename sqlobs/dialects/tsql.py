"""SQL Server and Azure SQL (T-SQL)."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import (
    BRACKETS,
    Connections,
    Definitions,
    Dialect,
    Parsing,
    Rewrite,
    Scripts,
    Types,
)
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="tsql",
    spellings=frozenset(
        {"mssql", "mssqlserver", "microsoftsqlserver", "azuresql", "sqlserver", "transactsql"}
    ),
    system="microsoft.sql_server",
    quotes=BRACKETS,
    resolution=ResolutionRules(
        strict_grouping=True,
        distinct_orders_by_list=True,
        alias_clauses=frozenset({"order"}),
        alias_only_bare=True,
        groups_by_position=False,
        fields_by_dot=True,
        pivots_names=True,
        update_names_alias=True,
        changed_rows=frozenset({"inserted", "deleted"}),
        nameless_columns=frozenset({"$rowguid", "$identity", "$action", "$partition"}),
        naming_calls=frozenset(
            "openquery openrowset opendatasource containstable freetexttable changetable".split()
        ),
        takes_several_statements=True,
        system_schemas=frozenset({"information_schema", "sys"}),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            {"openrowset", "openquery", "opendatasource", "fn_get_audit_file", "xp_cmdshell"}
        )
    ),
    scripts=Scripts(dollar_strings=False, bracketed_names=True),
    definitions=Definitions(index_keywords=frozenset({"INDEX"}), bracketed_types=True),
    parsing=Parsing(
        rewrites=(
            # DELETE FROM e FROM staff e
            Rewrite(r"(DELETE) FROM ([\w\"]+(?: \. [\w\"]+)* FROM)", r"\1 \2"),
            # PARSE('1' AS INT USING 'en-US')
            Rewrite(r"USING '(?= \))", within=r"\bPARSE \(|\bTRY_PARSE \("),
            Rewrite(r"PARSE (\()", r"CAST \1"),
            Rewrite(r"TRY_PARSE (\()", r"TRY_CAST \1"),
        ),
        marks=("[", "TOP", "@", "#"),
        gaps=r"\bOUTPUT (?:INSERTED|DELETED)\b|^INSERT\b.*\bEXEC(?:UTE)?\b",
        batch_keyword="GO",
    ),
    types=Types(type_first=True),
    connections=Connections(sqlalchemy=("mssql",)),
)
