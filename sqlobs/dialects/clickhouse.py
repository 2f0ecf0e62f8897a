"""ClickHouse."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlobs.dialects.base import (
    BACKTICKS,
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
from sqlobs.dialects.identifiers import EXACT_NESTED
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

DIALECT: Final = Dialect(
    name="clickhouse",
    spellings=frozenset({"clickhousesql"}),
    versions=Versions(
        known=("20", "21", "22", "23", "24", "25", "26"),
        measured=("26.9",),
        default="26.9",
        parts=2,
    ),
    identifiers=EXACT_NESTED,
    quotes=BACKTICKS,
    types=Types(system="clickhouse", converts_silently=False),
    resolution=ResolutionRules(
        left_of_join_first=True,
        strict_grouping=True,
        alias_clauses=frozenset(
            {"select", "on", "where", "group", "having", "qualify", "order", "limit"}
        ),
        alias_first=frozenset({"on", "where", "group", "having", "qualify", "order", "limit"}),
        lateral_aliases=True,
        aggregate_falls_back=True,
        aliases_everywhere=True,
        lambda_arrows=True,
        orders_by_all=True,
        tables_by_alias=True,
        tables_keep_names=True,
        stars_in_calls=True,
        excludes_any_name=True,
        queries_give_rows=True,
        lists_may_be_rows=True,
        takes_rows_as_values=True,
        having_filters_rows=True,
        one_namespace=True,
        repeated_alias="refused if written",
        fields_by_dot=True,
        fields_of_aliases=True,
        outputs_keep_paths=True,
        parts_are_columns=True,
        duplicate_outputs="first",
        counts_from_end=True,
        semi_join_gives_columns=True,
        checks_unused_ctes=False,
        ctes_see_later_ones=True,
        ctes_see_themselves=False,
        own_schemas=frozenset({"default"}),
        nameless_columns=frozenset(
            "inf Inf INF infinity Infinity INFINITY nan NaN NAN Nan".split()
        ),
        counting_calls=frozenset(
            "numbers numbers_mt zeros zeros_mt primes generateseries generate_series".split()
        ),
        columns_without_from=frozenset({"dummy", "_table", "_database"}),
        hidden_columns=frozenset(
            "_part _part_index _part_uuid _part_offset _part_starting_offset _part_data_version"
            " _part_granule_offset _partition_id _partition_value _sample_factor _block_number"
            " _block_offset _row_exists _path _file _size _time _etag _table _database _shard_num"
            " _disk_name".split()
        ),
        system_schemas=frozenset({"information_schema", "system"}),
        object_calls=r"dict(?:Get\w*|Has|IsIn)|joinGet(?:OrNull)?|naiveBayesClassifier",
        in_calls=frozenset(
            "in notin nullin notnullin globalin globalnotin globalnullin globalnotnullin".split()
        ),
        allowed_by=(
            ("columns_first", "prefer_column_name_to_alias"),
            ("deprecated_call", "allow_deprecated"),
            ("deprecated_call", "allow_introspection"),
            ("deprecated_call", "enable_"),
            ("nameless_query_in_join", "joined_subquery_requires_alias"),
            ("positions", "enable_positional_arguments"),
        ),
        only_lists_end_with_commas=True,
        signed_literals=True,
        skips_dead_branches=True,
        spreading_calls=frozenset({"untuple"}),
        values_may_be_described=True,
        views_take_parameters=True,
        describing_calls=MappingProxyType({"null": 0, "generaterandom": 0, "format": 1}),
        naming_calls=frozenset(
            "format remote remotesecure cluster clusterallreplicas merge dictionary loop view"
            " mergetreeindex mergetreeprojection mergetreeanalyzeindexes file url s3 s3cluster"
            " urlcluster hdfs azureblobstorage".split()
        ),
    ),
    unsafe=UnsafeFunctions(
        functions=frozenset(
            "file url s3 s3cluster hdfs remote remotesecure mysql postgresql mongodb redis jdbc"
            " odbc sqlite executable azureblobstorage input sleep sleepeachrow urlcluster"
            " deltalake iceberg hudi cluster clusterallreplicas".split()
        )
    ),
    scripts=Scripts(backslash_escapes=True),
    definitions=Definitions(
        index_keywords=frozenset({"INDEX", "PROJECTION"}),
        not_null_by_default=True,
        storage_engines=True,
    ),
    parsing=Parsing(
        tokens=frozenset(
            {
                "bare_parameters",
                "hexadecimal_fractions",
                "inner_array_joins",
                "lambda_calls",
                "parameters",
                "unicode_signs",
                "unknown_keywords",
            }
        ),
        rewrites=(
            # LIMIT 1 BY a LIMIT 10
            Rewrite(
                r"(LIMIT (?:(?!LIMIT |SELECT |BY )\S+ )*+BY(?: (?!LIMIT |SELECT )\S+)*+)"
                r" LIMIT(?: (?:0|,|OFFSET|-))++",
                r"\1",
            ),
            "explained_queries",
            # SELECT dateAdd(DAY, 1 AS shift, at) for dateAdd(DAY, 1 shift, at)
            Rewrite(
                r"(0|'|\)|\]) (?!(?:ASC|DESC|END|FINAL|FIRST|LAST|FOLLOWING|PRECEDING|NULLS|TIES"
                r"|(?:NANO|MICRO|MILLI)?SECONDS?|MINUTES?|HOURS?|DAYS?|WEEKS?|MONTHS?|QUARTERS?"
                r"|YEARS?) )([A-Z_]\w*)(?= [,)])",
                r"\1 AS \2",
                within=r"\b(?:DATE_?(?:ADD|SUB|DIFF)|POSITION|SUBSTRING|TRIM|CAST|EXTRACT) \(",
            ),
            "aliases_of_terms",
            # reinterpret(x'3132', 'UInt16')
            Rewrite(r"[XB](?= &')"),
            # COLUMNS('^a') REPLACE (a + 1 AS a), COLUMNS(a, b) EXCEPT b
            Rewrite(
                r"(COLUMNS \([^()]*\))(?: (?:EXCEPT|REPLACE) (?!SELECT|\( SELECT)"
                r"(?:\( (?:[^()]|\([^()]*\))* \)|\S+))+",
                r"\1",
            ),
            # SELECT hits.COLUMNS(user, ms)
            Rewrite(r"(\S+ \.) COLUMNS \( (?:[^()', ]+ )++(?:, [^()', ]+ )+\)", r"\1 *"),
            # COLUMNS(a, b) APPLY(sum)
            Rewrite(r"COLUMNS(?= \( (?:[^()', ]+ )++,)"),
            # ORDER BY a LIMIT 5, 3 WITH TIES
            Rewrite(r"(LIMIT(?: (?!LIMIT |SELECT |BY |WITH )\S+)++) WITH TIES", r"\1"),
            # SAMPLE 1 / 10 OFFSET 1 / 2
            Rewrite(r"(SAMPLE 0(?: / 0)?) OFFSET 0(?: / 0)?", r"\1"),
            # OVER (GROUPS 1 PRECEDING)
            Rewrite(r"(OVER \() GROUPS(?= (?:0|BETWEEN|UNBOUNDED|CURRENT) )", r"\1 ROWS"),
            # SELECT pair.-1
            Rewrite(r"\. -(?= 0)", "."),
            # URL ~ '^a', URL !~* concat('^', a)
            Rewrite(
                r"(0|'|\"|\)|\]|(?!SELECT |BY |AND |OR |NOT |WHERE )[A-Z_]\w*)"
                r" (?:! )?(?:~|~ \*|~\*)(?= (?:'|\"|\(|[A-Z_]))",
                r"\1 LIKE",
            ),
            # SELECT 1 UNION SELECT 2 SETTINGS union_default_mode = 'DISTINCT'
            Rewrite(
                r"UNION(?= (?:SELECT|\())", "UNION DISTINCT", within=r"\bUNION_DEFAULT_MODE = '"
            ),
            # WITH 1 AS one, SELECT one
            Rewrite(r",(?= SELECT )"),
            # ORDER BY a WITH FILL STALENESS -3
            Rewrite(r"STALENESS (?:INTERVAL (?:- )?0 [A-Z]+|(?:- )?0)"),
            # ORDER BY a WITH FILL, b INTERPOLATE (c AS c + 1)
            Rewrite(
                r"(, (?:(?!FILL |SELECT |INTERPOLATE )\S+ )*+)INTERPOLATE(?: \([^()]*\))?", r"\1"
            ),
            # SELECT * REPLACE (a + 1 AS a) EXCEPT (b)
            Rewrite(r"(REPLACE \( (?:[^()]|\([^()]*\))* \)) (EXCEPT (?:\([^()]*\)|\S+))", r"\2 \1"),
            # ORDER BY a WITH FILL, b WITH FILL TO 5 INTERPOLATE
            Rewrite(r"(WITH FILL (?:(?!SELECT |INTERPOLATE |WITH )\S+ )*+)INTERPOLATE$", r"\1"),
            # SELECT t.* APPLY toString, COLUMNS('a') APPLY(sum)
            Rewrite(
                r"(\*|\))(?: APPLY (?:(?!\()\S+(?: -> [^(),]+(?: \([^()]*\))?)?"
                r"|\( (?:[^()]|\( (?:[^()]|\([^()]*\))* \))* \)))+",
                r"\1",
            ),
            # SELECT cast(a, concat('Int', '64'))
            Rewrite(
                r"CAST(?= \( (?:(?! AS )(?:[^()\[\]]|[(\[] [^()\[\]]* [)\]]))*? , (?!' \)))",
                "_CAST",
            ),
            # in lists of values: `1, +Inf`
            Rewrite(r"(?<=[,(\[] )\+"),
            # CAST(a AS Array(BFloat16)), of which sqlglot has no such type
            Rewrite(
                r"(?:BFLOAT16|SIGNED|UNSIGNED|INTERVAL[A-Z]+|TIME64(?: \( 0 \))?|OBJECT \( ' \)"
                r"|QBIT \( \S+ , 0 \))(?= [,)]|$)|(?<=:: )(?:BFLOAT16|QBIT \( \S+ , 0 \))",
                "RING",
                within=r"\bCAST\b|::",
            ),
            # SELECT count() FROM t WITH TOTALS
            Rewrite(
                r"(SELECT(?: (?!(?:SELECT|GROUP|WITH|UNION|INTERSECT|EXCEPT) )\S+)*+)"
                r" WITH (?:TOTALS|ROLLUP|CUBE)(?: WITH TOTALS)?",
                r"\1 GROUP_BY ( )",
            ),
            # GROUP BY a WITH TOTALS SETTINGS max_threads = 1
            Rewrite(r"WITH (?:TOTALS|ROLLUP|CUBE)(?: WITH TOTALS)?(?= (?:FORMAT|SETTINGS)\b)"),
            # ORDER BY a DESC COLLATE 'en'
            Rewrite(r"((?:ASC|DESC)(?: NULLS (?:FIRST|LAST))?) COLLATE '", r"\1"),
            # SELECT studentTTest(sample, variant)
            Rewrite(r"(?<=[(,] )SAMPLE(?= [,)])", '"sample"'),
            # SELECT tuple(1, 2) < tuple(2, 3)
            Rewrite(r"TUPLE(?= \()", '"tuple"'),
            # SELECT a MOD 2
            Rewrite(
                r"(0|'|\"|\)|\]|(?!SELECT |BY |AND |OR |NOT |WHERE )[A-Z]\w*) MOD"
                r"(?= (?:0|'|\"|\(|-|[A-Z]))",
                r"\1 %",
            ),
            # SELECT 1 UNION SELECT 2 UNION DISTINCT SELECT 3
            Rewrite(r"UNION(?= SELECT(?: (?!ALL |[()])\S+)*? UNION DISTINCT)", "UNION DISTINCT"),
            # SETTINGS max_threads = 1 FORMAT TSV SETTINGS max_threads = 2
            Rewrite(r"(SETTINGS (?:\S+ = \S+ ,? ?)+)(FORMAT \S+ )?SETTINGS(?= )", r"\1 ,"),
            "parentheses_around_choices",
        ),
        gaps=r"\bLIMIT \S+ (?:OFFSET \S+ )?BY\b.*\bLIMIT\b|\bINTO OUTFILE\b",
    ),
    connections=Connections(
        engine="clickhouse",
        schemes=("clickhouse", "clickhousedb"),
        sqlalchemy=("clickhouse", "clickhousedb"),
        driver="clickhousedb",
        extra="clickhouse",
        charges_by="bytes",
        counts_bytes=True,
    ),
    execution=Execution(session_settings=True),
    error_codes={
        16: "schema.unknown_column",
        34: "syntax.dialect_mismatch",
        35: "syntax.dialect_mismatch",
        42: "syntax.dialect_mismatch",
        43: "schema.type_mismatch",
        46: "syntax.dialect_mismatch",
        47: "schema.unknown_column",
        50: "schema.unknown_type",
        53: "schema.type_mismatch",
        60: "schema.unknown_table",
        62: "syntax.parse_error",
        63: "syntax.dialect_mismatch",
        81: "schema.unknown_table",
        179: "schema.ambiguous_ref",
        184: "schema.grouping",
        207: "schema.ambiguous_ref",
        215: "schema.grouping",
        352: "schema.ambiguous_ref",
        386: "schema.type_mismatch",
    },
)
