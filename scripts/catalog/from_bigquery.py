"""Makes the catalog of BigQuery from Google's GoogleSQL analyzer.

`python scripts/catalog/from_bigquery.py` in an environment with `zetasql` and this package. The
analyzer has functions that BigQuery does not list, and lacks some of BigQuery's own: the manual
decides which there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import bigquery_types
from asking import formats, forms, units
from googlesql import KINDS, VERSION, GoogleSql
from probing import reserved_words, sqlglot_keywords
from writing import write
from zetasql.wasi._pb2.zetasql.public import function_pb2 as public
from zetasql.wasi._pb2.zetasql.public import type_pb2

from sqlobs.check.forms import OF_STATEMENTS
from sqlobs.dialects.documents import manual

SPELLINGS = {
    "BOOLEAN": "BOOL",
    "DECIMAL": "NUMERIC",
    "BIGDECIMAL": "BIGNUMERIC",
    **dict.fromkeys(("INT", "SMALLINT", "INTEGER", "BIGINT", "TINYINT", "BYTEINT"), "INT64"),
}
COLUMNS = {
    "STRING_LITERAL": "STRING",
    "INTEGER_LITERAL": "INT64",
    "DECIMAL_LITERAL": "FLOAT64",
    "BOOLEAN_LITERAL": "BOOL",
}
"""The type of a column with the value of a literal."""
NODES = {
    "Struct": ["struct", ["expressions"]],
    "Extract": ["extract", ["this", "expression"]],
    "GroupConcat": ["string_agg", ["this", "separator"]],
    "If": ["if", ["this", "true", "false"]],
    "Ceil": ["ceil", ["this"]],
    "Floor": ["floor", ["this"]],
    "Trim": ["trim", ["this", "expression"]],
    "AtTimeZone": ["at time zone", ["this", "zone"]],
    "Substring": ["substring", ["this", "start", "length"]],
}
CONSTANTS = {
    "CurrentDate": "DATE",
    "CurrentTime": "TIME",
    "CurrentDatetime": "DATETIME",
    "CurrentTimestamp": "TIMESTAMP",
    "Interval": "INTERVAL",
}
OWN_GRAMMAR: dict[str, list[list[Any]]] = {
    "array": [["scalar", "T[]", ["T"], ""]],
    "at time zone": [["scalar", "TIMESTAMP", ["TIMESTAMP", "STRING"], "", 0]],
    "cast": [["scalar", "ANY", ["ANY"], ""]],
    "exists": [["scalar", "BOOL", ["ANY"], ""]],
    "extract": [
        *(
            ["scalar", "INT64", ["PART", kind], "", 0]
            for kind in ("DATE", "DATETIME", "TIME", "TIMESTAMP", "INTERVAL")
        ),
        *(
            ["scalar", part, [part, kind], "", 0]
            for part in ("DATE", "TIME", "DATETIME")
            for kind in ("TIMESTAMP", "DATETIME")
        ),
    ],
    "safe_cast": [["scalar", "ANY", ["ANY"], ""]],
    "struct": [["scalar", "ANY", [], "ANY"]],
    "unnest": [["table", "ANY", ["ANY"], ""]],
    "week": [["scalar", "ANY", ["ANY"], ""]],
    "offset": [["scalar", "INT64", ["INT64"], ""]],
    "ordinal": [["scalar", "INT64", ["INT64"], ""]],
    "safe_offset": [["scalar", "INT64", ["INT64"], ""]],
    "safe_ordinal": [["scalar", "INT64", ["INT64"], ""]],
    "if": [["scalar", "T", ["BOOL", "T", "T"], ""]],
    "ifnull": [["scalar", "T", ["T", "T"], ""]],
    "nullif": [["scalar", "T", ["T", "T"], ""]],
    "coalesce": [["scalar", "T", ["T"], "T"]],
    "concat": [
        ["scalar", "STRING", ["STRING"], "STRING", 0],
        ["scalar", "BYTES", ["BYTES"], "BYTES", 0],
        ["scalar", "STRING", ["ANY"], "ANY", 0],
    ],
    "grouping": [["scalar", "INT64", ["ANY"], ""]],
    "collate": [["scalar", "STRING", ["STRING", "STRING"], ""]],
}
"""Calls that the grammar itself knows."""
OF_BIGQUERY: dict[str, list[list[Any]]] = {
    "contains_substr": [["scalar", "BOOL", ["ANY", "STRING", "STRING"], "", 1]],
    "max_by": [["aggregate", "T", ["T", "ANY"], ""]],
    "min_by": [["aggregate", "T", ["T", "ANY"], ""]],
    "search": [["scalar", "BOOL", ["ANY", "STRING", "STRING", "STRING", "STRING"], "", 3]],
    "kll_quantiles.extract_float64": [["scalar", "FLOAT64[]", ["BYTES", "INT64"], "", 0]],
    "kll_quantiles.extract_point_float64": [["scalar", "FLOAT64", ["BYTES", "FLOAT64"], "", 0]],
    "kll_quantiles.init_float64": [["aggregate", "BYTES", ["FLOAT64", "INT64"], "", 1]],
    "kll_quantiles.merge_float64": [["aggregate", "FLOAT64[]", ["BYTES", "INT64"], "", 0]],
    "kll_quantiles.merge_point_float64": [["aggregate", "FLOAT64", ["BYTES", "FLOAT64"], "", 0]],
    "appends": [["table", "ANY", ["ANY"], "ANY"]],
    "changes": [["table", "ANY", ["ANY"], "ANY"]],
    "external_query": [["table", "ANY", ["ANY"], "ANY"]],
    "gap_fill": [["table", "ANY", ["ANY"], "ANY"]],
    "range_sessionize": [["table", "ANY", ["ANY"], "ANY"]],
    "vector_search": [["table", "ANY", ["ANY"], "ANY"]],
}
"""What BigQuery has beyond the analyzer, by its manual."""
IN_FROM = (
    "ml.evaluate ml.forecast ml.predict ml.explain_predict ml.explain_forecast ml.global_explain"
    " ml.feature_info ml.feature_importance ml.weights ml.advanced_weights ml.training_info"
    " ml.trial_info ml.roc_curve ml.confusion_matrix ml.centroids ml.principal_components"
    " ml.principal_component_info ml.recommend ml.detect_anomalies ml.reconstruction_loss"
    " ml.generate_text ml.generate_embedding ml.understand_text ml.translate ml.annotate_image"
    " ml.transcribe ml.process_document ml.arima_coefficients ml.arima_evaluate ml.holiday_info"
    " ml.transform ml.describe_data ml.validate_data_skew ml.validate_data_drift ai.forecast"
    " ai.evaluate ai.detect_anomalies ai.generate_table ai.generate_text ai.generate_embedding"
).split()
OF_MODELS = (
    "ml.bucketize ml.distance ml.feature_cross ml.hash_bucketize ml.imputer ml.label_encoder"
    " ml.lp_norm ml.max_abs_scaler ml.min_max_scaler ml.multi_hot_encoder ml.ngrams ml.normalizer"
    " ml.one_hot_encoder ml.polynomial_expand ml.quantile_bucketize ml.robust_scaler"
    " ml.standard_scaler ml.tf_idf ml.bag_of_words ml.convert_color_space ml.convert_image_type"
    " ml.decode_image ml.resize_image ai.generate ai.generate_bool ai.generate_double"
    " ai.generate_int ai.classify ai.score ai.if ai.embed ai.similarity obj.fetch_metadata"
    " obj.get_access_url obj.make_ref st_regionstats"
).split()
"""Its functions about models and objects, in FROM and elsewhere; any arguments are accepted."""
PROBES = {
    "at_time_zone_in_extract": "SELECT extract(HOUR FROM CURRENT_TIMESTAMP AT TIME ZONE 'UTC')",
    "date_literal_of_other_format": "SELECT DATE 'x'",
    "default_in_update": "UPDATE probe SET x = DEFAULT WHERE true",
    "distinct_std": "SELECT stddev(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_stddev": "SELECT stddev(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_stddev_pop": "SELECT stddev_pop(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_stddev_samp": "SELECT stddev_samp(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_var_pop": "SELECT var_pop(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_var_samp": "SELECT var_samp(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "distinct_variance": "SELECT variance(DISTINCT CAST(x AS NUMERIC)) FROM probe",
    "limit_in_call": "SELECT array_agg(x ORDER BY x LIMIT 1) FROM probe",
    "order_in_call": "SELECT array_agg(x ORDER BY x) FROM probe",
    "order_of_distinct_arguments": "SELECT array_agg(DISTINCT x ORDER BY y)"
    " FROM (SELECT x, 2 * x AS y FROM probe) AS t",
    "order_by_part_of_distinct_arguments": "SELECT array_agg(DISTINCT x ORDER BY -x) FROM probe",
    "position_in_order_of_call": "SELECT array_agg(x ORDER BY 1) FROM probe",
    "qualified_target": "UPDATE probe AS p SET p.x = 1 WHERE true",
    "tablesample": "SELECT x FROM probe TABLESAMPLE SYSTEM (10 PERCENT)",
    "subscript": "SELECT ([1])[OFFSET(0)]",
    "subscript_of_array": "SELECT [1][OFFSET(0)]",
    "subscript_of_call": "SELECT array_agg(x)[OFFSET(0)] FROM probe",
    "unit_date_diff": "SELECT date_diff(CURRENT_DATE, CURRENT_DATE, year)",
    "unit_date_trunc": "SELECT date_trunc(CURRENT_DATE, year)",
    "update_bare_alias": "UPDATE probe p SET x = 1 WHERE true",
}
"""Statements for forms whose general probe fails for another reason: BigQuery lacks a function or a
type of it, or requires WHERE in UPDATE."""
DOCUMENTED = frozenset({"union_by_name", "delete_target"})
"""Forms that BigQuery documents and this build of the analyzer does not support."""
UNDOCUMENTED = ("except_all", "intersect_all")
"""Forms that the analyzer supports and BigQuery does not."""
RESERVED = (
    "ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE"
    " CROSS CUBE CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS"
    " EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN"
    " INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP MERGE NATURAL NEW NO NOT"
    " NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE"
    " RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED"
    " UNION UNNEST USING WHEN WHERE WINDOW WITH WITHIN"
).split()
"""The reserved words of its manual, of which sqlglot's keywords lack some."""
_LETTERS = {
    "ARG_TYPE_ANY_1": "T",
    "ARG_TYPE_ANY_2": "K",
    "ARG_TYPE_ANY_3": "V",
    "ARG_ARRAY_TYPE_ANY_1": "T[]",
    "ARG_ARRAY_TYPE_ANY_2": "K[]",
    "ARG_ARRAY_TYPE_ANY_3": "V[]",
    "ARG_RANGE_TYPE_ANY_1": "RANGE",
    "ARG_TYPE_LAMBDA": "LAMBDA",
}
_KINDS = {"SCALAR": "scalar", "AGGREGATE": "aggregate", "ANALYTIC": "window"}


def main() -> None:
    """Ask the analyzer and write the catalog."""
    engine = prepared()
    known = functions(engine, frozenset((manual("bigquery") or {})["functions"]))

    is_refused, is_syntax_error = judges(engine)
    types = bigquery_types
    write(
        "bigquery",
        "2025",
        {
            "engine": "bigquery",
            "generated_by": f"scripts/catalog/from_bigquery.py with zetasql {VERSION}",
            "functions": known,
            "named": named(engine, frozenset(known)),
            "types": sorted({*KINDS, *SPELLINGS, "ARRAY", "STRUCT", "RANGE"}),
            "type_names": {
                **{name: name for name in KINDS},
                **SPELLINGS,
                "STRUCT": "STRUCT",
                "RANGE": "RANGE",
            },
            "implicit": types.implicit(engine),
            "literals": COLUMNS,
            "nodes": NODES,
            "constants": CONSTANTS,
            "structures": {"struct": "names"},
            "operators": types.operators(engine),
            "never_null_operands": types.never_null_operands(engine),
            "negated": types.negated(engine),
            **units(is_refused=is_refused),
            "parts": types.parts(engine, known),
            "casts": types.casts(engine),
            "conditions": types.conditions(engine),
            "grouped": types.grouped(engine),
            "refused": types.refused(engine, known),
            "frames": types.frames(engine),
            "assigned": types.assigned(engine),
            "subscripts": types.subscripts(engine),
            "formats": formats(types.FORMATS, types.SAMPLES_OF_FORMATS, is_refused=is_refused),
            "forms": verdicts(is_refused, is_syntax_error),
            "reserved": reserved_words(
                {*sqlglot_keywords(), *RESERVED}, is_syntax_error=is_syntax_error
            ),
        },
    )


def prepared() -> GoogleSql:
    """Return the analyzer with the tables of the probes."""
    engine = GoogleSql()
    engine.prepare("probing", bigquery_types.tables(), tuple(bigquery_types.takers()))
    return engine


def judges(engine: GoogleSql) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
    """Return whether the analyzer, and whether its grammar, rejects a statement."""

    def is_refused(sql: str) -> bool:
        return engine.refusal("probing", as_bigquery(sql)) is not None

    def is_syntax_error(sql: str) -> bool:
        return "] Syntax error: " in (engine.refusal("probing", as_bigquery(sql)) or "")

    return is_refused, is_syntax_error


def as_bigquery(sql: str) -> str:
    """Return a general probe with BigQuery's names of types and its set operations."""
    sql = re.sub(r"\b(?:INTEGER|integer|int)\b", "INT64", sql)
    sql = re.sub(r"\b(?:varchar|text)\b", "STRING", sql)
    return re.sub(r"\b(UNION|INTERSECT|EXCEPT) (?=SELECT|\(SELECT|VALUES)", r"\1 DISTINCT ", sql)


def verdicts(
    is_refused: Callable[[str], bool], is_syntax_error: Callable[[str], bool]
) -> dict[str, str]:
    """Return the verdict on every form."""
    found = forms(is_refused=is_refused, is_syntax_error=is_syntax_error, probes=PROBES)
    for name, form in OF_STATEMENTS.items():
        if is_refused(form.probe):
            found[name] = "syntax error" if is_syntax_error(form.probe) else "rejected"
    found |= dict.fromkeys(UNDOCUMENTED, "rejected")
    return {name: verdict for name, verdict in sorted(found.items()) if name not in DOCUMENTED}


def functions(engine: GoogleSql, listed: frozenset[str]) -> dict[str, list[list[Any]]]:
    """Return name to signatures: kind, result, arguments, type of further ones, optional ones."""
    found: dict[str, list[list[Any]]] = {}
    for function in engine.functions():
        name = ".".join(function.name_path).lower()
        alias = function.options.alias_name.lower()
        rows = [row for one in function.signature for row in signatures_of(function.mode, one)]
        if rows and not any(row[2] for row in rows) and rejects_nothing(engine, name):
            rows = [[kind, result, [further], further, 0] for kind, result, _, further, _ in rows]
        for one in filter(None, (name, alias)):
            if one in listed:
                found.setdefault(one, []).extend(again for row in rows for again in by_range(row))
    found["count"].append(["aggregate", "INT64", [], "", 0])  # COUNT(*)
    models = {name: [["table", "ANY", ["ANY"], "ANY"]] for name in IN_FROM}
    models |= {name: [["scalar", "ANY", ["ANY"], "ANY"]] for name in OF_MODELS}
    known = {**found, **OWN_GRAMMAR, **OF_BIGQUERY, **models}
    in_from = {name: rows for name, rows in known.items() if rows[0][0] == "table"}
    bare = {name.rpartition(".")[2]: rows for name, rows in in_from.items()}  # `ML.PREDICT(…)`
    return {**bare, **known}


def rejects_nothing(engine: GoogleSql, name: str) -> bool:
    """Return whether a call without arguments fits no signature: `GREATEST()`."""
    return "No matching signature" in (engine.refusal("probing", f"SELECT {name}()") or "")


def named(engine: GoogleSql, listed: frozenset[str]) -> dict[str, list[Any]]:
    """Return functions with names for their arguments: most without a name, names."""
    found: dict[str, list[Any]] = {}
    for function in engine.functions():
        name = ".".join(function.name_path).lower()
        own = [[(one, one.options) for one in row.argument] for row in function.signature]
        names = {o.argument_name for row in own for _, o in row if o.named_argument_kind > _PLAIN}
        if name in listed and names:
            found[name] = [max(map(_without_name, function.signature)), sorted(names)]
    return found


def _without_name(signature: Any) -> int:
    """Return how many arguments a signature accepts without names; many: any number."""
    options = [one.options for one in signature.argument]
    is_open = any(_cardinality(one) == "REPEATED" for one in options)
    return MANY if is_open else sum(one.named_argument_kind != _NAMED_ONLY for one in options)


_PLAIN, _NAMED_ONLY = 1, 3
"""Kinds of arguments: whether they may have a name."""
MANY = 99
MOST_REPEATED = 32
"""Repetitions of several arguments: `JSON_SET(value, path, new, path, new, …)`."""


def _cardinality(options: Any) -> str:
    return str(public.FunctionEnums.ArgumentCardinality.Name(options.cardinality))


def by_range(signature: list[Any]) -> list[list[Any]]:
    """Return a signature; one of a range and a value of its type with each such type.

    >>> by_range(["scalar", "BOOL", ["RANGE", "T"], "", 0])[0]
    ['scalar', 'BOOL', ['RANGE', 'DATE'], '', 0]
    """
    kind, result, takes, *rest = signature
    if not {"RANGE", "T"} <= {*takes}:
        return [signature]
    types = ("DATE", "DATETIME", "TIMESTAMP")
    return [
        [kind, result, [one if taken == "T" else taken for taken in takes], *rest] for one in types
    ]


@cache
def _mode(number: int) -> str:
    return _KINDS[public.FunctionEnums.Mode.Name(number)]


def signatures_of(mode: int, signature: Any) -> Iterator[list[Any]]:
    """Yield a signature; one with several repeated arguments for each number of repetitions.

    Nothing for one of a type that BigQuery lacks.
    """
    kinds = [type_name(argument) for argument in signature.argument]
    result = type_name(signature.return_type)
    if result is None or None in kinds:
        return
    arguments = list(zip(signature.argument, kinds, strict=True))
    repeated = [kind for one, kind in arguments if _cardinality(one.options) == "REPEATED"]
    is_one = len(repeated) == 1
    for count in range(1 if len(repeated) < 2 else MOST_REPEATED):  # noqa: PLR2004 - a group
        plain, optional = [], 0
        is_written = False
        for one, kind in arguments:
            if _cardinality(one.options) == "REPEATED":
                plain += [] if is_written or is_one else repeated * count
                is_written = True
                continue
            optional += _cardinality(one.options) == "OPTIONAL"
            if kind == "PART" and plain[-1:] == ["INT64"]:
                plain[-1], optional = "INTERVAL", min(optional, 1)  # DATE_ADD(d, INTERVAL 1 DAY)
                continue
            plain.append(kind)
        yield [_mode(mode), result, plain, repeated[0] if is_one else "", optional]


def type_name(argument: Any) -> str | None:
    """Return the name of an argument's type, a letter for any; None: BigQuery lacks it."""
    kind = public.SignatureArgumentKind.Name(argument.kind)
    if kind != "ARG_TYPE_FIXED":
        return _LETTERS.get(kind, "ANY")
    return name_of(argument.type)


def name_of(kind: Any) -> str | None:
    """Return the name of a type; None: BigQuery lacks it."""
    word = type_pb2.TypeKind.Name(kind.type_kind).removeprefix("TYPE_")
    if word == "ENUM":
        is_word = kind.enum_type.enum_name.endswith(("DateTimestampPart", "NormalizeMode"))
        return "PART" if is_word else "STRING"
    if word == "ARRAY":
        inner = name_of(kind.array_type.element_type)
        return None if inner is None else f"{inner}[]"
    if word in {"STRUCT", "RANGE"}:
        return word
    names = {value: name for name, value in KINDS.items()}
    return names.get(word)


if __name__ == "__main__":
    main()
