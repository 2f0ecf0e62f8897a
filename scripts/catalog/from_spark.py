"""Makes the catalog of Spark by asking its analyzer.

`python scripts/catalog/from_spark.py`, in a Python with `pyspark` and Java 17. With `--legacy`, it
asks with `spark.sql.ansi.enabled=false` and writes the differences, as the catalog of
`sparklegacy`.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

import spark_generics
import spark_types
from asking import formats, forms, units, value_words
from probing import reserved_words, runs, sqlglot_keywords
from spark_session import Spark
from type_sets import TypeSets
from writing import write, write_variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_ARGUMENTS = 8
DESCRIBED = ("from_json", "from_csv", "from_xml")
"""Calls whose second argument is the schema of their result."""
OWN_GRAMMAR = {
    "cast": [["scalar", 1, 1]],
    "count": [["aggregate", 0, -1]],  # `count(*)`; `count()` is a form
    "try_cast": [["scalar", 1, 1]],
    "identifier": [["scalar", 1, 1], ["table", 1, 1]],
    "decode": [["scalar", "STRING", ["ANY", "ANY"], "ANY"]],
    "inline": [["scalar", None, ["STRUCT[]"], ""], ["table", 1, 1]],
    "inline_outer": [["scalar", None, ["STRUCT[]"], ""], ["table", 1, 1]],
    "sequence": [["scalar", "ANY[]", ["ANY", "ANY", "ANY"], "", 1]],
    **{
        name: [
            ["scalar", None, ["STRING", "STRING"], ""],
            ["scalar", None, ["STRING", "STRING", "MAP"], ""],
        ]
        for name in DESCRIBED
    },
    "map_of_lists": [["scalar", "MAP(K, V)", ["K[]", "V[]"], ""]],
    "struct": [["scalar", 0, -1]],
    "named_struct": [["scalar", count, count] for count in range(0, 64, 2)],
    "map_concat": [["scalar", 0, 0], ["scalar", "MAP(K, V)", ["MAP(K, V)"], "MAP(K, V)"]],
    "when": [["scalar", 1, -1]],
    "map": [["scalar", count, count] for count in range(0, 64, 2)],
}
"""Calls whose arguments have a grammar of their own, or are too many to try."""
WITH_UNITS = (
    "timestampadd",
    "timestampdiff",
    "timediff",
    "date_add",
    "dateadd",
    "date_diff",
    "datediff",
)
STRUCTURES = {"struct": "names", "named_struct": "pairs"}
"""How calls that make a structure name its fields."""
ROWS = ["stack"]
"""Calls that arrange their arguments in as many rows as the first one says."""
MOST_TYPED = 3
FEW = (1, 2, 3)
"""Numbers of arguments that an error may leave out (`floor(x)`)."""
SUFFIXES = ("y", "s", "l", "f", "d", "bd")
"""Types behind a number (`1L`), which sqlglot reads as a cast."""
LITERALS = {
    "STRING_LITERAL": "STRING",
    "INTEGER_LITERAL": "INT",
    "DECIMAL_LITERAL": "DECIMAL",
    "BOOLEAN_LITERAL": "BOOLEAN",
}
NODES = {
    "Substring": ["substring", ["this", "start", "length"]],
    "Ceil": ["ceil", ["this", "decimals"]],
    "Floor": ["floor", ["this", "decimals"]],
    "Trim": ["trim", ["this", "expression"]],
    "Initcap": ["initcap", ["this"]],
    "StrPosition": ["position", ["substr", "this", "position"]],
    "Transform": ["transform", ["this", "expression"]],
    "ArgMax": ["max_by", ["this", "expression"]],
    "ArgMin": ["min_by", ["this", "expression"]],
    "ApproxQuantile": ["percentile_approx", ["this", "quantile", "accuracy"]],
    "Quantile": ["percentile", ["this", "quantile"]],
    "GroupConcat": ["listagg", ["this", "separator"]],
    "Chr": ["chr", ["expressions"]],
    "Decode": ["decode", ["this", "charset"]],
    "DecodeCase": ["decode", ["expressions"]],
    "Extract": ["extract", ["this", "expression"]],
    "If": ["if", ["this", "true", "false"]],
    "Overlay": ["overlay", ["this", "expression", "from_", "for_"]],
    "VarMap": ["map_of_lists", ["keys", "values"]],
    "BitwiseNot": ["~", ["this"]],
}
CONSTANTS = {
    "CurrentDate": "DATE",
    "CurrentTimestamp": "TIMESTAMP",
    "CurrentUser": "STRING",
    "HexString": "BINARY",
}
"""As for DuckDB."""
CAST_TYPES = (
    "boolean bool byte tinyint short smallint int integer long bigint float real double decimal dec"
    " numeric number string text char character varchar nvarchar binary varbinary bytea blob date"
    " datetime time timestamp timestamp_ltz timestamp_ntz timestamptz variant void json jsonb uuid"
    " signed unsigned int2 int4 int8 float4 float8 money serial bit clob year geometry geography"
    " hugeint int64 float64 bytes"
).split()
"""Names of types in some dialect."""
PROBES = {
    "any_of_array": "SELECT 1 FROM probe WHERE 1 = ANY (array(1))",
    "colon_path": "SELECT x:y FROM (SELECT parse_json('{}') AS x) AS t",
    "comparison_chain": "SELECT 1 FROM (SELECT true AS x) WHERE x < x < x",
    "date_sub_without_interval": "SELECT date_sub(CURRENT_DATE, 1)",
    "equality_chain": "SELECT 1 FROM (SELECT true AS x) WHERE x = x = x",
    "extract_with_comma": "SELECT extract('YEAR', CURRENT_TIMESTAMP)",
    "ignore_nulls_in_call": "SELECT first(x) IGNORE NULLS FROM probe",
    "lambda_function": "SELECT transform(array(1), x -> x)",
    "lateral_view": "SELECT y FROM probe LATERAL VIEW explode(array(x)) AS y",
    "like_all": "SELECT 1 FROM probe WHERE 'a' LIKE ALL ('b', 'c')",
    "like_any": "SELECT 1 FROM probe WHERE 'a' LIKE ANY ('b', 'c')",
    "like_some": "SELECT 1 FROM probe WHERE 'a' LIKE SOME ('b', 'c')",
    "operator_arrow": "SELECT transform(array(1), x -> x)",
    "operator_not": "SELECT !(x = 1) FROM probe",
    "several_aliases": "SELECT stack(1, x, x) AS (a, b) FROM probe",
    "subscript": "SELECT (array(1))[0]",
    "subscript_of_array": "SELECT array(1)[0]",
    "tablesample": "SELECT x FROM probe TABLESAMPLE (10 PERCENT)",
    "tablesample_without_method": "SELECT x FROM probe TABLESAMPLE (10 PERCENT)",
    "empty_array": "SELECT array(), map()",
    "unit_date_add": "SELECT date_add(year, 1, CURRENT_DATE)",
    "unnest_without_alias": "SELECT 1 FROM explode(array(1))",
}
"""Forms as Spark spells them, whose own probes it rejects for another reason."""
KINDS = {"agg_funcs": "aggregate", "window_funcs": "window"}
COUNTS = re.compile(r"WRONG_NUM_ARGS.*? requires +(.+?) parameters but")
WRONG_COUNT = re.compile(
    r"\w+ \[(?:WRONG_NUM_ARGS|REQUIRED_PARAMETER_NOT_FOUND|INVALID_WITHIN_GROUP)"
)
NEVER = re.compile(
    r"\w+ \[(?:INVALID_SQL_SYNTAX|UNRESOLVED_ROUTINE|UNRESOLVABLE_TABLE_VALUED_FUNCTION"
    r"|MULTI_ALIAS_WITHOUT_GENERATOR|PARSE_SYNTAX_ERROR|UNSUPPORTED_TIME_TYPE)"
)
"""Errors for any number of arguments."""


def main() -> None:
    """Ask the engine and write its catalog."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--legacy", action="store_true", help="without ANSI mode")
    is_legacy = parser.parse_args().legacy
    spark = Spark()
    spark.use_ansi(on=not is_legacy)
    create_tables(spark)
    version = ".".join(spark.version.split(".")[:2])
    found = catalog(spark)
    spark.close()
    if is_legacy:
        found["engine"] = f"sparklegacy {spark.version}"
        write_variant("sparklegacy", version, found, base=("spark", version))
    else:
        write("spark", version, found)


def catalog(spark: Spark) -> dict[str, Any]:
    """Return everything that the analyzer tells in its present mode."""
    classes = TypeSets(spark_types.VALUES, lists="T[]")  # lists of any items
    casts = cast_types(spark)
    by_unit = {name: [] for name in (*WITH_UNITS, "extract")}
    known: dict[str, list[list[Any]]] = by_unit | functions(spark)
    generic = spark_generics.signatures(spark.answer, classes)
    typed = {
        name: list(with_types(spark, name, counted, generic.get(name, []), classes))
        for name, counted in sorted(known.items())
        if name not in OWN_GRAMMAR
    } | OWN_GRAMMAR
    names = type_names(spark, casts)
    known_units = units(is_refused=lambda sql: spark.error(sql) is not None)
    words = sqlglot_keywords() | set(spark.keywords())
    return {
        "engine": f"spark {spark.version}",
        "generated_by": "scripts/catalog/from_spark.py",
        "functions": typed
        | of_dates(spark, typed, classes)
        | spark_types.unary(spark.answer, classes),
        "sets": [name for name in spark.functions() if spark.group_of(name) == "generator_funcs"],
        "lists_have_fields": True,
        "literals": LITERALS,
        "nodes": NODES,
        "constants": CONSTANTS,
        "intervals": spark_types.intervals(spark.type_of, known_units["units"]["written"]),
        "value_words": value_words(known, is_refused=lambda sql: spark.error(sql) is not None),
        "frames": spark_types.frames(spark.type_of),
        "grouped": spark_types.grouped(spark.type_of),
        "filters": spark_types.filters(spark.type_of),
        "structures": STRUCTURES,
        "described": spark_types.described(spark.type_of, DESCRIBED),
        "options": options(spark, known),
        "rows": ROWS,
        "positions": spark_types.positions(spark.type_of),
        "fractions": spark_types.fractions(spark.answer, known),
        "formats": formats(
            spark_types.FORMATS,
            spark_types.SAMPLES_OF_FORMATS,
            is_refused=lambda sql: spark.error(sql) is not None,
        ),
        "never_null": never_null(spark, known),
        "unloaded": spark_types.unloaded(spark.answer, known),
        "collations": spark.collations(),
        "constant_arguments": constant_arguments(spark, known),
        "conditions": spark_types.conditions(spark.type_of),
        "distinct": spark_types.distinct(spark.type_of),
        "implicit": classes.implicit(),
        "operators": spark_types.operators(spark.type_of),
        "negated": spark_types.negated(spark.type_of),
        "types": sorted({name.removesuffix("()").upper() for name in (*casts, *SUFFIXES)}),
        "type_names": names,
        "casts": spark_types.casts(spark.type_of, names),
        "cast_types": casts,
        "table_columns": table_columns(spark),
        "forms": verdicts(spark),
        **known_units,
        "reserved": reserved_words(words, is_syntax_error=lambda sql: not spark.parses(sql)),
    }


def create_tables(spark: Spark) -> None:
    """Create the tables of the probes."""
    spark.execute(
        "CREATE TABLE IF NOT EXISTS probe (x INT) USING parquet",
        "CREATE TABLE IF NOT EXISTS keyed (x INT) USING parquet",
    )


def verdicts(spark: Spark) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(is_refused=lambda sql: spark.error(sql) is not None, probes=PROBES)


def functions(spark: Spark) -> dict[str, list[list[Any]]]:
    """Return name to signatures: kind, least and most arguments (-1: any number)."""
    tables = spark.table_functions()
    names = sorted({*spark.functions(), *tables})
    found = {name: list(signatures(spark, name, is_table=name in tables)) for name in names}
    return {name: known for name, known in found.items() if known}


def signatures(spark: Spark, name: str, *, is_table: bool) -> Iterator[list[Any]]:
    """Yield the ways to call a function: as a value, with WITHIN GROUP, in FROM."""
    if (group := spark.group_of(name)) is not None:
        yield from ranges(KINDS.get(group, "scalar"), counts(spark, "SELECT {}({})", name))
    if group == "agg_funcs":
        ordered = "SELECT {}({}) WITHIN GROUP (ORDER BY x) FROM probe"
        yield from ranges("ordered", counts(spark, ordered, name))
    if is_table:
        yield from ranges("table", counts(spark, "SELECT 1 FROM {}({})", name))


def counts(spark: Spark, template: str, name: str) -> list[int]:
    """Return how many arguments a call may have; the error for a wrong number lists them."""

    def never(count: int) -> bool:
        call = template.format(name, ", ".join(["NULL"] * count))
        error = spark.error(call) or ""
        is_wrong = WRONG_COUNT.match(error) is not None or "WITHIN_GROUP_MISSING" in error
        return is_wrong or NEVER.match(error) is not None

    def fitting(counts: Iterable[int]) -> list[int]:
        return [count for count in counts if not never(count)]

    taken = []
    for count in range(MOST_ARGUMENTS + 1):
        error = spark.error(template.format(name, ", ".join(["NULL"] * count))) or ""
        if (listed := COUNTS.search(error)) is not None:
            return taken or sorted({*fitting(numbers(listed[1])), *fitting(FEW)})
        if NEVER.match(error):
            return taken
        if not WRONG_COUNT.match(error):
            taken.append(count)
    return taken


def numbers(text: str) -> list[int]:
    """Return the numbers that an error lists, up to the most that are tried.

    >>> numbers("[1, 2]"), numbers("> 0")[:2], numbers("2n (n > 0)")[:2]
    ([1, 2], [1, 2], [2, 4])
    """
    first = int(re.findall(r"\d+", text)[0])
    if text.startswith("2n"):
        return list(range(2, MOST_ARGUMENTS + 1, 2))
    if ">" in text:
        return list(range(first + (">=" not in text), MOST_ARGUMENTS + 1))
    return [int(number) for number in re.findall(r"\d+", text)]


def ranges(kind: str, numbers: Iterable[int]) -> Iterator[list[Any]]:
    """Yield kind, least and most of each run of numbers; the most that was tried means no limit."""
    yield from ([kind, *run] for run in runs(numbers, unlimited_from=MOST_ARGUMENTS))


def of_dates(
    spark: Spark, known: dict[str, list[list[Any]]], classes: TypeSets
) -> dict[str, list[list[Any]]]:
    """Return the functions of dates whose first argument is, or may be, a unit."""
    found = {}
    for name in WITH_UNITS:
        template = f"SELECT {name}(DAY, {{}}) FROM (SELECT {{}} AS x)"
        typed = spark_types.signatures(spark.answer, template, 2, classes)
        with_unit = [["scalar", result, ["UNIT", *rest], ""] for result, rest in typed]
        found[name] = [*known[name], *with_unit]
    template = "SELECT extract(YEAR FROM {}) FROM (SELECT {} AS x)"
    typed = spark_types.signatures(spark.answer, template, 1, classes)
    return found | {"extract": [["scalar", None, ["ANY", *rest], ""] for _, rest in typed]}


def with_types(
    spark: Spark,
    name: str,
    known: list[list[Any]],
    generic: list[list[Any]],
    classes: TypeSets,
) -> Iterator[list[Any]]:
    """Yield signatures with types where few arguments make that possible, else as they are."""
    yield from generic
    by_count = {(kind, len(parameters)) for kind, _, parameters, _ in generic}
    is_open = any(further for *_, further in generic)
    for kind, least, most in known:
        if is_open and kind == "scalar":
            continue
        ending = " OVER (ORDER BY 1)" if kind == "window" else ""
        template = f"SELECT {name}({{}}){ending} FROM (SELECT {{}} AS x)"
        is_typed = kind in {"scalar", "aggregate", "window"}
        last = least + 1 if most < 0 else min(most, MOST_TYPED)
        typed = {
            count: list(spark_types.signatures(spark.answer, template, count, classes))
            for count in (range(least, last + 1) if is_typed else ())
            if (kind, count) not in by_count
        }
        if most < 0:
            yield from _open(kind, least, typed)
            continue
        rest = [
            count
            for count in range(least, most + 1)
            if not typed.get(count) and (kind, count) not in by_count
        ]
        yield from ([kind, *one, ""] for found in typed.values() for one in found)
        yield from ranges(kind, rest)


def _open(kind: str, least: int, typed: dict[int, list[list[Any]]]) -> Iterator[list[Any]]:
    """Yield signatures with any number of arguments; further ones are like the last one."""
    if not typed.get(least + 1):
        yield [kind, least, -1]
        return
    yield from ([kind, *one, ""] for one in typed[least])
    yield from ([kind, *one, one[1][-1]] for one in typed[least + 1])
    if not typed[least]:
        yield [kind, least, least]


def constant_arguments(spark: Spark, known: dict[str, list[list[Any]]]) -> dict[str, list[int]]:
    """Return the places of arguments that must be constants, by function."""
    found = {
        name: {
            place
            for kind, least, most in rows
            if kind in {"scalar", "aggregate", "window"}
            for count in range(max(least, 1), min(most, MOST_TYPED) + 1)
            for place in spark_types.constants(
                spark.answer,
                f"SELECT {name}({{}})" + " OVER (ORDER BY 1)" * (kind == "window"),
                count,
            )
        }
        for name, rows in known.items()
    }
    return {name: sorted(places) for name, places in found.items() if places}


def never_null(spark: Spark, known: dict[str, list[list[Any]]]) -> dict[str, list[int]]:
    """Return the places of arguments that must not be NULL, by function."""
    found = {
        name: {
            place
            for kind, least, most in rows
            if kind in {"scalar", "aggregate"}
            for count in range(max(least, 1), min(most, MOST_TYPED) + 1)
            for place in spark_types.never_null(spark.answer, f"SELECT {name}({{}})", count)
        }
        for name, rows in known.items()
    }
    return {name: sorted(places) for name, places in found.items() if places}


def options(spark: Spark, known: dict[str, list[list[Any]]]) -> dict[str, int]:
    """Return the place of options by function."""
    found = {
        name: spark_types.options(spark.answer, name, min(most, MOST_TYPED))
        for name, rows in known.items()
        for kind, least, most in rows
        if kind == "scalar" and least < most
    }
    return {name: places[0] for name, places in found.items() if places}


def cast_types(spark: Spark) -> list[str]:
    """Return the types that CAST accepts; with parentheses those that have a length."""
    plain = [name for name in CAST_TYPES if spark.type_of(f"SELECT CAST(NULL AS {name})")]
    sized = [f"{name}()" for name in CAST_TYPES if spark.type_of(f"SELECT CAST(NULL AS {name}(9))")]
    return sorted([*plain, *sized, "array", "map", "struct", "interval"])


def type_names(spark: Spark, casts: list[str]) -> dict[str, str]:
    """Return the names of types with the checker's names of them."""
    spelled = {name: f"{name[:-2]}(9)" if name.endswith("()") else name for name in casts}
    found = {name: spark.type_of(f"SELECT CAST(NULL AS {text})") for name, text in spelled.items()}
    return {
        name.removesuffix("()").upper(): spark_types.canonical(kind)
        for name, kind in found.items()
        if kind
    }


def table_columns(spark: Spark) -> dict[str, list[list[Any]]]:
    """Return the columns of functions in FROM that always have the same ones."""
    found = {}
    for name in spark.table_functions():
        for argument in ("", "3", "parse_json('{}')"):
            columns = spark.columns_of(f"SELECT * FROM {name}({argument})")
            if columns is not None and not name.startswith(("explode", "posexplode", "inline")):
                found[name] = [[column, 0] for column in columns]
                break
    return found


if __name__ == "__main__":
    main()
