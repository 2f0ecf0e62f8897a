"""Makes the catalog of ClickHouse from the chDB installed in this Python.

`python scripts/catalog/from_clickhouse.py FOLDER`: chDB leaves its files in the folder. With names
of functions behind the folder, only these are measured again.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import clickhouse_checks
import clickhouse_types
from asking import UNITS, forms, units, value_words
from chdb.session import Session
from probing import reserved_words, runs, sqlglot_keywords
from type_sets import LIST, TypeSets
from writing import write, write_section

from sqlobs.dialects.documents import document

if TYPE_CHECKING:
    from collections.abc import Iterator

Entries = list[list[Any]]
"""Kinds with the least and the most arguments, or with result and parameters."""
Example = tuple[str, tuple[str, ...]]
"""Parameters and arguments of a call."""

WRONG_COUNT = {34, 35, 42}
NO_PARAMETERS = {*WRONG_COUNT, 133}
"""AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS."""
MOST_PARAMETERS = 5
"""TOO_MANY_ARGUMENTS_FOR_FUNCTION, TOO_FEW_…, NUMBER_OF_ARGUMENTS_DOESNT_MATCH."""
UNKNOWN = {46, 63}
"""UNKNOWN_FUNCTION, UNKNOWN_AGGREGATE_FUNCTION."""
ERRORS = (RuntimeError, UnicodeDecodeError)
"""Of the engine; the second where it quotes bytes that are no text."""
OF_TYPES = {34, 35, 42, 43, 44, 46, 47, 53, 59, 62, 63, 70, 130, 386}
"""Errors of names, types and numbers of arguments: ILLEGAL_TYPE_OF_ARGUMENT, NO_COMMON_TYPE, …"""
NO_QUERY = 80
"""INCORRECT_QUERY: only queries can be explained."""
NO_CONSTANT = {35, 36, 42, 43, 44, 62}
"""Errors of a call with a column where only a constant is allowed: ILLEGAL_COLUMN, …"""
UNTRIED = ("__", "sleep")
"""How functions begin that are internal, or wait."""
MOST_CALLS = 5
LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?")
WORKERS = 4
MOST_ARGUMENTS = 9
MANY = MOST_ARGUMENTS - 1
"""Taken for no limit: of `map`, the counts are even."""
ARGUMENTS = (
    ("x", "x"),
    ("1", "1"),
    ("1.5", "1.5"),
    ("d", "'UTC'"),
    ("s", "s"),
    ("a", "a"),
    ("s", "1"),
    ("s", "'UTC'"),
    ("'a'", "1"),
    ("u -> u", "a"),
    ("m", "'a'"),
    ("m", "m"),
    ("d", "1"),
    ("'day'", "d"),
    ("tuple(x, x)", "x"),
)
"""The first and the further arguments of the probes that ask how many a function has."""
ENOUGH = 5
"""So many probes with all kinds of arguments tell a wrong count; the others need one kind."""
PARAMETERS = (
    *("(1)", "(0.5, 0.9)", "(3, 0, 10)", "('a')", "(10, 0.1)"),
    *("(0.5)", "(10)", "('(?1)')", "([1])", "(100, 0.5)"),
)
BY_COUNT = ("dictGet", "dictHas")
"""How functions begin whose arguments have the types that a dictionary decides."""
SUMMING = (
    "arrayAvg arrayCumSum arrayCumSumNonNegative arrayDifference arrayProduct arraySum"
).split()
"""Functions of arrays whose items must be numbers."""
ITEMS = {
    "BOOL": "true",
    "UINT8": "toUInt8(1)",
    "UINT": "toUInt32(1)",
    "UINT64": "toUInt64(1)",
    "INT": "toInt32(1)",
    "INT64": "toInt64(1)",
    "HUGEINT": "toInt128(1)",
    "FLOAT": "1.5",
    "DECIMAL": "toDecimal32(1, 2)",
    "INTEGER_LITERAL": "1",
    "DECIMAL_LITERAL": "1.5",
    "STRING": "'a'",
    "FIXEDSTRING": "toFixedString('a', 1)",
    "DATE": "today()",
    "DATE32": "toDate32('2020-01-01')",
    "DATETIME": "now()",
    "DATETIME64": "now64()",
    "UUID": "generateUUIDv4()",
    "ENUM": "CAST('a', 'Enum8(''a'' = 1)')",
    "INTERVAL": "INTERVAL 1 DAY",
    "IPV4": "toIPv4('1.1.1.1')",
    "STRUCT": "(1, 2)",
    "MAP": "map('a', 1)",
}
"""A value of each type."""
OF_PLANES = "Transposed"
"""In the names of functions that also accept a vector as any number of bit planes."""
DICTIONARIES = tuple(
    f"CREATE DICTIONARY {name} (id UInt64, parent UInt64 DEFAULT 0{more}, first Date, last Date,"
    f" a String) PRIMARY KEY id SOURCE(NULL()) LAYOUT({layout}) LIFETIME(0){span}"
    for name, more, layout, span in (
        ("ranged", "", "RANGE_HASHED()", " RANGE(MIN first MAX last)"),
        ("flat", " HIERARCHICAL", "FLAT()", ""),
    )
)
"""Dictionaries that the calls below name: one by ranges of days, one with parents."""
OF_ATTRIBUTES = ("", "String")
SHOWN = {
    **{f"dictGet{one}": ("'flat', 'a', u64", "'ranged', 'a', u64, d") for one in OF_ATTRIBUTES},
    **{
        f"dictGet{one}OrDefault": ("'flat', 'a', u64, s", "'ranged', 'a', u64, d, s")
        for one in OF_ATTRIBUTES
    },
    "dictGetOrNull": ("'flat', 'a', u64", "'ranged', 'a', u64, d"),
    "dictHas": ("'flat', u64", "'ranged', u64, d"),
    "dictGetDescendants": ("'flat', u64", "'flat', u64, 1"),
    "tokens": ("s, 'splitByString', ['()']",),
    "concat": ("a, i",),
    "dotProduct": ("[1, 2], [1, 2]", "af, af"),
    "endsWith": ("a, a",),
    "groupArrayInsertAt": ("a, u", "au, u8"),
    "hilbertEncode": ("u64, 1, 1, u64",),
    "hopEnd": ("hop(t, toIntervalDay(1), toIntervalDay(3))",),
    "hopStart": ("hop(t, toIntervalDay(1), toIntervalDay(3))",),
    "IPv4ToIPv6": ("1",),
    "mapPopulateSeries": ("map(i, i)", "map(i, i), i"),
    "midpoint": ("i, i", "f, f, f"),
    "parseDateTimeBestEffort": ("fs, 1, 'UTC'",),
    "range": ("u64, u8",),
    "startsWith": ("a, a",),
    "toDateTime": ("c, 1, 'UTC'",),
    "toStartOfInterval": (
        *("t, toIntervalHour(1)", "t64, toIntervalHour(1)", "d, toIntervalDay(1)"),
        *("t, toIntervalHour(1), t", "t64, toIntervalHour(1), t64", "d, toIntervalDay(1), d"),
        "d32, toIntervalDay(1), d32",
    ),
    "tumbleEnd": ("tumble(t, toIntervalDay(1))",),
    "tumbleStart": ("tumble(t, toIntervalDay(1))",),
    **{
        f"{way}{unit}s": ("t64, 1, 'UTC'",)
        for way in ("add", "subtract")
        for unit in "Year Quarter Month Week Day Hour Minute Second Millisecond".split()
    },
}
"""Calls that the engine accepts and that neither its documentation nor the probes show."""
ARGUMENTS_OF_AGGREGATES = (
    "i|u8|f|a|s|m|r|au|i, i|u, u|u8, f|t, f|f, t|a, a|s, i|t, s|t, u8 = 1|t, u8 = 1, u8 = 2"
    "|t, s, u8 = 1, u8 = 2"
).split("|")
DEPRECATED = 721
"""DEPRECATED_FUNCTION."""
SHORT_UNITS = "nanoseconds ns q w mm qq yyyy yy hh mi n ss dd wk ww mcs dy".split()
"""Beside those that other engines have, too."""
CALLS_WITH_UNITS = {
    **dict.fromkeys(
        ("dateDiff", "date_diff", "timestampDiff", "timestamp_diff"), ("dateDiff('{}', t, t)",)
    ),
    **dict.fromkeys(("dateTrunc", "date_trunc"), ("dateTrunc('{}', t)", "dateTrunc('{}', t64)")),
    "age": ("age('{}', t, t)",),
    "dateName": ("dateName('{}', t)",),
}
"""Calls of functions whose first argument is a text that names a unit."""
WINDOWS = (
    "row_number rank dense_rank denseRank percent_rank percentRank cume_dist ntile lag lead"
    " lagInFrame leadInFrame nth_value first_value last_value"
).split()
"""Functions whose arguments are checked only with OVER."""
OF_GRAMMAR = (
    "cast extract date_part substring substr mid trim ltrim rtrim position exists date_add dateadd"
    " date_sub datesub timestamp_add timestampadd timestamp_sub timestampsub date_diff datediff"
    " timestamp_diff timestampdiff lambda tuple array grouping columns any all some interval"
).split()
"""Names that the grammar may know beside the functions of the system table."""
COUNTS_OF_GRAMMAR = {
    "extract": (2, 2),
    "timestampdiff": (3, 3),
    **dict.fromkeys("date_add dateadd date_sub datesub".split(), (2, 3)),
    **dict.fromkeys("timestamp_add timestampadd timestamp_sub timestampsub".split(), (2, 3)),
}
"""The least and most arguments behind commas of some of them."""
TYPED = "x Int32, i Int32, s String, d DateTime, a Array(Int32), m Map(String, Int32)"
KEYWORDS = "SELECT arrayJoin(splitByNonAlpha(keyword)) FROM system.keywords"
TYPES = "SELECT name, case_insensitive FROM system.data_type_families ORDER BY name"
TABLE_FUNCTIONS = "SELECT name FROM system.table_functions ORDER BY name"
NAMES = """
SELECT name, is_aggregate, case_insensitive, alias_to, replaceAll(syntax, '\\n', ' '),
    ifNull(higher_order, 0)
FROM system.functions WHERE origin = 'System' ORDER BY alias_to <> '', name
"""
EXAMPLES = """
SELECT name, replaceAll(arrayStringConcat(extractAll(
    examples, '(?s)```sql[^\\n]*\\n(.*?)```'), ' '), '\\n', ' ')
FROM system.functions WHERE origin = 'System' AND alias_to = '' AND examples <> ''
"""
COMBINATORS = """
SELECT name FROM system.aggregate_function_combinators WHERE NOT is_internal
ORDER BY length(name) DESC, name
"""
ENGINES = "SELECT name FROM system.table_engines WHERE name NOT IN ('SQLite') ORDER BY name"
GIVEN_TO_ENGINES = ("", "(sign)", "(sign, ver)")
KEYS_OF_TABLES = (" ORDER BY x SAMPLE BY x", "")
MODIFIERS = ("FINAL", "PREWHERE x = 1", "SAMPLE 1 / 2")
WRONG_COUNT_IN_FROM = 42
"""The error of a table function with a wrong number of arguments."""
SETTINGS = "SELECT name FROM system.settings ORDER BY name"
VALUES_OF_SETTINGS = ("0", "1", "2", "-1", "1.5", "nan", "'abc'")
"""Samples: 2 for all other integers, -1 for negative numbers, abc for texts without a number."""
CHOICES = re.compile(r"Must be one of \[(.*?)\]")
UNTRIED_SETTINGS = ("interactive_delay",)
"""Settings of which a value makes chDB wait."""
SAFE_TABLE_FUNCTIONS = {
    "numbers": "3",
    "numbers_mt": "3",
    "zeros": "3",
    "zeros_mt": "3",
    "primes": "3",
    "generate_series": "1, 3",
    "generateSeries": "1, 3",
    "null": "'x Int32'",
}
"""Functions in FROM that open nothing, with arguments that they accept."""


PROBES = {
    "array_literal": "SELECT [1, 2]",
    "empty_array": "SELECT []",
    "subscript": "SELECT ([1])[1]",
    "subscript_of_array": "SELECT [1][1]",
    "list_after_in": "SELECT 1 FROM probe WHERE 1 IN [1]",
    "any_of_array": "SELECT 1 FROM probe WHERE 1 = ANY ([1])",
    "call_all": "SELECT 1 FROM probe WHERE 1 <> ALL ([1])",
    "call_some": "SELECT 1 FROM probe WHERE 1 = SOME ([1])",
    "lambda_function": "SELECT arrayMap(y -> y, [1])",
    "operator_arrow": "SELECT arrayMap(y -> y, [1])",
    "condition_after_arrow": "SELECT arrayMap(y -> y IS NULL, [1])",
    "call_columns": "SELECT COLUMNS('x') FROM probe",
    "table_column_aliases": "SELECT 1 FROM probe AS t(y)",
    "several_aliases": "SELECT quantile(0.5)(x) FROM probe",
    "outer_column_among_groups": "SELECT 1",
    "field_of_parentheses": "SELECT (tuple(x, 1)).1 FROM probe",
    "fetch_without_order": "SELECT x FROM probe WHERE x > 0 FETCH FIRST 1 ROWS ONLY",
    "quoted_collation": "SELECT 'a' AS y FROM probe ORDER BY y COLLATE 'en'",
    "using_sample": "SELECT x FROM sampled SAMPLE 1 / 2",
    "asof_join": "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x = b.x AND a.x >= b.x",
    "fetch_clause": "SELECT x FROM probe ORDER BY x OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY",
    "fetch_first": "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS ONLY",
    "fetch_without_rows": "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ONLY",
    "operator_question": "SELECT 1 = 1 ? 2 : 3",
    "string_alias": "SELECT x, 1 AS y FROM probe ORDER BY x WITH FILL INTERPOLATE (y AS 9)",
    "fraction_as_limit": "SELECT x FROM probe LIMIT 0.5",
    "unit_date_add": "SELECT date_add(year, 1, CURRENT_DATE)",
    "repeated_output_of_derived": "SELECT 1 FROM (SELECT a.x, b.x FROM probe a, keyed b) AS t",
    "repeated_output_of_cte": "WITH t AS (SELECT a.x, b.x FROM probe a, keyed b) SELECT 1 FROM t",
    "star_of_namesakes": "SELECT * FROM probe JOIN probe ON 1 = 1",
    "extract_with_comma": "SELECT extract('a', 'b')",
}
"""Probes of forms whose other parts ClickHouse spells in another way."""


class Engine:
    """chDB with the tables of the probes. `implicit_select` would read `1 + 1` as a query."""

    def __init__(self, folder: str) -> None:
        self._session = Session(folder)
        for sql in (
            "SET implicit_select = 0",
            clickhouse_types.TABLE,
            *DICTIONARIES,
            "CREATE TABLE probe (x Int32) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE keyed (x Int32) ENGINE = MergeTree PRIMARY KEY x ORDER BY x",
            f"CREATE TABLE typed ({TYPED}) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE sampled (x UInt32) ENGINE = MergeTree ORDER BY x SAMPLE BY x",
        ):
            self._session.query(sql)

    def makes(self, storage: str) -> bool:
        """Return whether a table of this storage can be made; it replaces the last one."""
        try:
            self._session.query("DROP TABLE IF EXISTS stored")
            columns = "x UInt32, sign Int8, ver UInt32"
            self._session.query(f"CREATE TABLE stored ({columns}) {storage}")
        except ERRORS:
            return False
        return not self.code("SELECT x FROM stored")

    def rows(self, sql: str) -> list[list[str]]:
        """Return the rows of a query as texts."""
        text = str(self._session.query(sql, "JSONCompactStringsEachRow").data())
        return [json.loads(line) for line in text.splitlines()]

    def code(self, sql: str, explain: str = "PLAN") -> int:
        """Return the number of the error that explaining a statement ends with; 0: none."""
        said = self.error(sql, explain)
        found = re.search(r"Code: (\d+)", said)
        return int(found[1]) if found else -bool(said)

    def error(self, sql: str, explain: str = "PLAN") -> str:
        """Return the error that explaining a statement ends with; empty: none."""
        try:
            self._session.query(f"EXPLAIN {explain} {sql}")
        except ERRORS as error:
            return str(error)
        return ""

    def described(self, expression: str) -> str | None:
        """Return the type of an expression over the table of kinds, once it is planned."""
        body = expression if expression.startswith("x FROM") else f"{expression} FROM kinds"
        try:
            [row, *_] = self.rows(f"DESCRIBE (SELECT {body})")
        except ERRORS:
            return None
        return row[1]

    def analyzed(self, expression: str) -> str | None:
        """Return the type of an expression by its analysis alone; empty: no type is at fault."""
        try:
            text = self._tree(f"{expression} AS result_")
        except ERRORS as error:
            found = re.search(r"Code: (\d+)", str(error))
            return None if found and int(found[1]) in OF_TYPES else ""
        found = re.search(r"^\s*result_ (.*)$", text, re.MULTILINE)
        return found[1].strip() if found else None

    def all_analyzed(self, expressions: list[str]) -> list[str] | None:
        """Return the types of several expressions by their analysis; None: one is rejected."""
        items = ", ".join(f"{one} AS result_{place}" for place, one in enumerate(expressions))
        try:
            text = self._tree(items)
        except ERRORS:
            return None
        found = re.findall(r"^\s*result_\d+ (.*)$", text, re.MULTILINE)
        return [one.strip() for one in found]

    def _tree(self, items: str) -> str:
        found = self._session.query(f"EXPLAIN QUERY TREE SELECT {items} FROM kinds", "TSVRaw")
        return bytes(found.bytes()).decode("utf-8", "replace")

    def is_refused(self, sql: str) -> bool:
        """Return whether the engine answers with an error; only queries are planned."""
        sql = re.sub(r"\bUNION (?!ALL|DISTINCT)", "UNION ALL ", sql)
        return self.is_syntax_error(sql) or self.code(sql) not in {0, NO_QUERY}

    def is_syntax_error(self, sql: str) -> bool:
        """Return whether the grammar refuses a statement."""
        return bool(self.code(sql, "AST"))


def main() -> None:
    """Ask the engine and write its catalog."""
    engine = Engine(tempfile.mkdtemp(dir=sys.argv[1]))
    [[version]] = engine.rows("SELECT version()")
    number = ".".join(version.split(".")[:2])
    listed = engine.rows(NAMES)
    if sys.argv[2:]:
        measure_again(engine, listed, number, sys.argv[2:])
        return
    words = sqlglot_keywords() | {word for (word,) in engine.rows(KEYWORDS)}
    words |= {row[0] for row in listed if row[2] == "1"}
    write(
        "clickhouse",
        number,
        {
            "engine": f"clickhouse {number}",
            "generated_by": "scripts/catalog/from_clickhouse.py",
            **types(engine, listed, sys.argv[1]),
            "any_case": [row[0] for row in listed if row[2] == "1"] + grammar_names(engine),
            "constant_arguments": constant_arguments(engine, listed),
            "deprecated": [row[0] for row in listed if is_deprecated(engine, row[0])],
            "null_arguments": [row[0] for row in listed if spares_null(engine, row[0])],
            "parameters": parameter_counts(engine, listed),
            "words": words_of_calls(engine),
            "settings": settings(engine),
            "storages": storages(engine),
            "suffixes": suffixes(engine),
            "summed_items": summed_items(engine),
            "table_columns": table_columns(engine),
            "types": [name for name, _ in engine.rows(TYPES)],
            "value_words": value_words(words, is_refused=engine.is_refused),
            **units(is_refused=engine.is_refused, more=SHORT_UNITS),
            "forms": verdicts(engine),
            "reserved": reserved_words(words, is_syntax_error=engine.is_syntax_error),
        },
    )


def measure_again(engine: Engine, listed: list[list[str]], number: str, names: list[str]) -> None:
    """Measure the signatures of some functions again, and of their aliases."""
    known = document("clickhouse", number)
    sets, found, shown = (
        TypeSets(clickhouse_types.KINDS),
        dict(known["functions"]),
        examples(engine),
    )
    sets.keep(known["implicit"])
    _workers.append(engine)
    for row in listed:
        if row[0] in names and not row[3]:
            entries, _ = measured((row, shown.get(row[0], [])))
            found[row[0]] = [named(sets, one) for one in entries]
    for row in listed:
        if row[3] in names:
            found[row[0]] = found[row[3]]
    write_section("clickhouse", number, "functions", found)
    write_section("clickhouse", number, "implicit", {**sets.implicit(), "DYNAMIC": []})


def types(engine: Engine, listed: list[list[str]], folder: str) -> dict[str, Any]:
    """Return the sections of types, and the functions with signatures where they are known."""
    known, lambdas, sets = functions(engine, listed, folder)
    return {
        "functions": known,
        "lambdas": lambdas,
        "literals": clickhouse_types.LITERALS,
        "nodes": clickhouse_types.NODES,
        "constants": clickhouse_types.CONSTANTS,
        "type_names": clickhouse_types.NAMES,
        "implicit": {**sets.implicit(), "DYNAMIC": []},
        "operators": clickhouse_types.operators(engine.described, engine.analyzed),
        "negated": clickhouse_types.negated(engine.described),
        "conditions": clickhouse_types.conditions(engine.is_refused),
        **clickhouse_types.keys(engine.is_refused),
        "casts": clickhouse_types.casts(engine.described),
        "texts": clickhouse_types.readable(engine.described),
        "shapes": [[name, shape] for name, (_, shape) in clickhouse_types.SHAPES.items()],
    }


def verdicts(engine: Engine) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(
        is_refused=engine.is_refused, is_syntax_error=engine.is_syntax_error, probes=PROBES
    )


def functions(
    engine: Engine, listed: list[list[str]], folder: str
) -> tuple[dict[str, Entries], dict[str, Entries], TypeSets]:
    """Return name to entries, those of calls with a lambda, and the sets of types of both.

    Each of `WORKERS` processes measures a part: chDB waits for 10 ms after every error.
    """
    known: dict[str, Entries] = {}
    lambdas: dict[str, Entries] = {}
    sets = TypeSets(clickhouse_types.KINDS)
    shown = examples(engine)
    own = [(row, shown.get(row[0], [])) for row in listed if not row[3]]
    with ProcessPoolExecutor(
        WORKERS, mp_context=get_context("spawn"), initializer=start, initargs=(folder,)
    ) as pool:
        for (row, _), found in zip(own, pool.map(measured, own, chunksize=4), strict=True):
            entries, of_lambdas = ([named(sets, one) for one in some] for some in found)
            known[row[0]] = entries
            if of_lambdas:
                lambdas[row[0]] = of_lambdas
    for name, is_aggregate, _, alias_of, *_ in listed:
        if alias_of:
            kind = "aggregate" if is_aggregate == "1" else "scalar"
            known[name] = known.get(alias_of) or [[kind, 0, -1]]
            lambdas |= {name: lambdas[alias_of]} if alias_of in lambdas else {}
    for name in ("CAST", *grammar_names(engine)):
        known[name] = [["scalar", *COUNTS_OF_GRAMMAR.get(name, (0, -1))]]
    known["countDistinct"] = known["uniqExact"]  # what a setting says it stands for
    known["untuple"] = [["scalar", 1, 1]]  # of the grammar, and compared with case
    for (name,) in engine.rows(TABLE_FUNCTIONS):
        known[name] = [*known.get(name, []), ["table", *counts_of(engine, name)]]
    for name in SHIFTS:  # analysis alone does not count their arguments
        known[name] = [[*entry[:3], ""] for entry in known[name]]
    return known, lambdas, sets


SHIFTS = ("lag", "lagInFrame", "lead", "leadInFrame")


def counts_of(engine: Engine, name: str) -> tuple[int, int]:
    """Return the least and the most arguments of a table function; -1: any number."""
    if name not in SAFE_TABLE_FUNCTIONS:
        return 0, -1
    calls = {count: f"SELECT * FROM {name}({', '.join(['2'] * count)})" for count in range(6)}
    accepted = [count for count, sql in calls.items() if engine.code(sql) != WRONG_COUNT_IN_FROM]
    return min(accepted), max(accepted)


def named(sets: TypeSets, entry: list[Any]) -> list[Any]:
    """Return an entry with names of sets in place of their types."""
    if isinstance(entry[1], int):
        return entry
    kind, result, taken, further = entry

    def name_of(types: str) -> str:
        return sets.named(types.split("|")) if "|" in types or types == LIST else types

    return [kind, result, [*map(name_of, taken)], name_of(further)]


_workers: list[Engine] = []
"""That of this process."""


def start(folder: str) -> None:
    """Start the engine of a process that measures functions."""
    _workers.append(Engine(tempfile.mkdtemp(dir=folder)))


def measured(task: tuple[list[str], list[Example]]) -> tuple[Entries, Entries]:
    """Return the entries of a function, and those of its calls with a lambda."""
    (name, is_aggregate, _, _, syntax, is_higher), shown = task
    [engine] = _workers
    kind = "aggregate" if is_aggregate == "1" else "scalar"
    parameters = parameters_of(engine, name, shown) if is_aggregate == "1" else ""
    template = name + parameters + ("({}) OVER (ORDER BY i)" if name in WINDOWS else "({})")
    taken = counts(engine, template, documented(syntax), {len(call) for _, call in shown})
    calls = clickhouse_types.Calls(engine.analyzed, engine.all_analyzed)
    rows = [
        row for count in (2, 3) for row in calls.with_lambda(template, count) if is_higher == "1"
    ]
    if is_higher == "1" or OF_PLANES in name:
        taken = [*range(min(taken, default=0), MOST_ARGUMENTS + 1)]
    known = [[kind, *run] for run in runs(taken, unlimited_from=MANY)] or [[kind, 0, -1]]
    if name.startswith(BY_COUNT):
        return known, []
    arguments = [call for _, call in shown]
    entries = clickhouse_types.typed(calls, template, known, arguments)
    entries = clickhouse_checks.corrected(engine.analyzed, template, entries, arguments)
    return entries, [["scalar", *row, ""] for row in rows]


def grammar_names(engine: Engine) -> list[str]:
    """Return the names of calls that only the grammar knows."""
    listed = {row[0].lower() for row in engine.rows(NAMES) if row[2] == "1"}
    return [
        name
        for name in OF_GRAMMAR
        if name not in listed and engine.code(f"SELECT {name.upper()}(x) FROM typed") not in UNKNOWN
    ]


def parameters_of(engine: Engine, name: str, shown: list[Example]) -> str:
    """Return parameters that an aggregate accepts; several need some (`quantiles(0.5)(x)`)."""
    for parameters in dict.fromkeys(("", *(one for one, _ in shown), *PARAMETERS)):
        for count in (1, 2, 3):
            for first, rest in ARGUMENTS[:5]:
                arguments = ", ".join([first] + [rest] * (count - 1))
                if not engine.code(f"SELECT {name}{parameters}({arguments}) FROM typed"):
                    return parameters
    return ""


def counts(engine: Engine, template: str, documented: range | None, shown: set[int]) -> list[int]:
    """Return the numbers of arguments that a function accepts, as far as its errors tell.

    Where these complain about types, the documented syntax decides; without one, any is accepted.
    The counts of calls that the documentation shows are accepted.
    """
    taken = []
    for count in range(MOST_ARGUMENTS + 1):
        found = True if count in shown else accepts(engine, template, count)
        if found is None:
            found = documented is None or count in documented
        if found:
            taken.append(count)
    return taken


def summed_items(engine: Engine) -> dict[str, list[str]]:
    """Return, by lower-case function, the types of the items of the arrays that it can sum."""
    return {
        name.lower(): [
            kind
            for kind, value in ITEMS.items()
            if not engine.code(f"SELECT {name}(materialize([{value}]))")
        ]
        for name in SUMMING
    }


def accepts(engine: Engine, template: str, count: int) -> bool | None:
    """Return whether a call with so many arguments is accepted; None: its errors do not tell."""
    wrong, others = 0, 0
    for first, rest in ARGUMENTS if count else ARGUMENTS[:1]:
        arguments = ", ".join(([first] + [rest] * (count - 1)) if count else [])
        # the number of a window function is checked when it is planned
        explained = "PLAN" if "OVER" in template else "QUERY TREE"
        code = engine.code(f"SELECT {template.format(arguments)} FROM typed", explained)
        if not code:
            return True
        wrong += code in WRONG_COUNT
        others += code not in WRONG_COUNT
        if wrong >= ENOUGH and not others:
            return False
    return None if others else False


def documented(syntax: str) -> range | None:
    """Return the counts that a documented syntax allows; None: it has none, or any number.

    >>> documented("substring(s, offset[, length])")
    range(2, 4)
    """
    calls = re.findall(r"\(((?:[^()]|\([^()]*\))*)\)", syntax)
    if not calls or "..." in syntax or "…" in syntax:
        return None
    arguments = calls[-1]
    if not arguments.strip():
        return range(1)
    groups = re.findall(r"\[[^\[\]]*(?:\[[^\[\]]*\])*[^\[\]]*\]", arguments)
    most = arguments.count(",") + 1
    optional = sum(one.count(",") + (not one[1:].lstrip().startswith(",")) for one in groups)
    return range(most - optional, most + 1)


def examples(engine: Engine) -> dict[str, list[Example]]:
    """Return, by function, the calls that the engine's documentation of it shows."""
    found: dict[str, list[Example]] = {}
    for name, text in engine.rows(EXAMPLES):
        calls = [call for call in calls_of(name, text) if "{" not in call[0]]
        found[name] = list(dict.fromkeys(calls))
    for name, shown in SHOWN.items():
        more = [call for text in shown for call in calls_of(name, f"{name}({text})")]
        found[name] = list(dict.fromkeys([*found.get(name, []), *more]))
    return found


def calls_of(name: str, text: str) -> Iterator[Example]:
    """Yield parameters and arguments of the calls of a function in a text.

    >>> list(calls_of("quantile", "quantile(0.5)(x), quantile(f(a, b))"))
    [('(0.5)', ('x',)), ('', ('f(a, b)',))]
    """
    for found in re.finditer(rf"\b{name}(?=\()", text, re.IGNORECASE):
        arguments, end = arguments_at(text, found.end())
        if text[end : end + 1] == "(":
            parameters = text[found.end() : end]
            yield parameters, arguments_at(text, end)[0]
        else:
            yield "", arguments


def arguments_at(text: str, begin: int) -> tuple[tuple[str, ...], int]:
    """Return the arguments in the parentheses that open at a place, and the place behind them."""
    arguments, depth, start = [], 0, begin + 1
    for token in re.finditer(r"'(?:[^'\\]|\\.)*'|[(\[{]|[)\]}]|,", text[begin:]):
        place, sign = begin + token.start(), token[0]
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or not depth:
            arguments.append(text[start:place].strip())
            start = place + 1
        if not depth:
            return tuple(filter(None, arguments)), start
    return (), len(text)


def constant_arguments(engine: Engine, listed: list[list[str]]) -> dict[str, list[int]]:
    """Return the places of arguments that must be constant, by lower-case name of the function.

    A literal of a documented call is replaced by a value that the engine takes for no constant,
    alone and beside such a first argument: `countSubstrings(text, 'a', start)`.
    """
    shown, found = examples(engine), {}
    for name, is_aggregate, _, alias_of, *_ in listed:
        if is_aggregate == "1" or name.startswith(UNTRIED):
            continue
        codes: dict[int, list[int]] = {}
        for _, call in shown.get(alias_of or name, [])[:MOST_CALLS]:
            places = [place for place, one in enumerate(call) if LITERAL.fullmatch(one)]
            if not places or engine.code(f"SELECT {name}({', '.join(call)}) FROM kinds"):
                continue
            for place, first in product(places, (False, True)):
                varying = {place, 0} if first else {place}
                again = [
                    f"materialize({one})" if at in varying else one for at, one in enumerate(call)
                ]
                code = engine.code(f"SELECT {name}({', '.join(again)}) FROM kinds")
                codes.setdefault(place, []).append(code)
        if fixed := [place for place in sorted(codes) if {*codes[place]} <= NO_CONSTANT]:
            found[name.lower()] = fixed
    return found


def is_deprecated(engine: Engine, name: str) -> bool:
    """Return whether a function fails unless a setting allows it."""
    calls = (f"{name}({arguments})" for arguments in ("i", "i, 1", "st"))
    return DEPRECATED in {engine.code(f"SELECT {call} FROM kinds", "QUERY TREE") for call in calls}


def spares_null(engine: Engine, name: str) -> bool:
    """Return whether a call with NULL is accepted with more arguments than it has."""
    return not engine.code(f"SELECT {name}({', '.join(['NULL'] * MOST_ARGUMENTS)})", "QUERY TREE")


def parameter_counts(engine: Engine, listed: list[list[str]]) -> dict[str, list[int]]:
    """Return how many parameters aggregates accept, by lower-case name, where that is limited."""
    return {
        row[0].lower(): counts
        for row in listed
        if row[1] == "1" and len(counts := accepted_parameters(engine, row[0])) <= MOST_PARAMETERS
    }


def accepted_parameters(engine: Engine, name: str) -> list[int]:
    """Return the numbers of parameters of an aggregate that are not rejected as such."""

    def code(parameters: str, arguments: str) -> int:
        return engine.code(f"SELECT {name}{parameters}({arguments}) FROM kinds", "QUERY TREE")

    given = product(("", *PARAMETERS), ARGUMENTS_OF_AGGREGATES)
    base = next(
        (arguments for parameters, arguments in given if not code(parameters, arguments)), None
    )
    if base is None:
        return list(range(MOST_PARAMETERS + 1))
    codes = [{code(one, base) for one in some} for some in parameters_by_count()]
    return [
        count
        for count, found in enumerate(codes)
        if 0 in found or (count and not found & NO_PARAMETERS)
    ]


def parameters_by_count() -> list[list[str]]:
    """Return lists of parameters by their number: those of the probes, and one repeated."""
    repeated = ("1", "0.5", "'a'", "[1]")
    found = [
        [f"({', '.join([one] * count)})" for one in repeated]
        for count in range(MOST_PARAMETERS + 1)
    ]
    found[0] = [""]
    for one in PARAMETERS:
        found[one.count(",") + 1].append(one)
    return found


def words_of_calls(engine: Engine) -> dict[str, list[str]]:
    """Return the texts that calls accept as a unit of time, by the lower-case name of the call."""
    return {
        name.lower(): [
            unit
            for unit in (*UNITS, *SHORT_UNITS)
            if any(not engine.code(f"SELECT {call.format(unit)} FROM kinds") for call in calls)
        ]
        for name, calls in CALLS_WITH_UNITS.items()
    }


def settings(engine: Engine) -> dict[str, list[str]]:
    """Return the settings of a query, and the values that each rejects.

    Of a setting with few values, those that it accepts, each behind `=`.
    """
    return {name: values_of(engine, name) for (name,) in engine.rows(SETTINGS)}


def values_of(engine: Engine, name: str) -> list[str]:
    """Return the samples that a setting rejects, or the words that it accepts."""
    if name in UNTRIED_SETTINGS:
        return []
    found = CHOICES.search(engine.error(f"SELECT 1 SETTINGS {name} = 'abc'", "AST"))
    if found is not None:
        return sorted(f"={one}" for one in re.findall("'(.*?)'", found[1]))
    rejected = [
        value.strip("'")
        for value in VALUES_OF_SETTINGS
        if engine.code(f"SELECT 1 SETTINGS {name} = {value}", "AST")
    ]
    # what rejects 1, too, reads a text of a certain form: a time zone, JSON
    return [one for one in rejected if one != "abc" or "1" not in rejected]


def storages(engine: Engine) -> dict[str, list[str]]:
    """Return the storage engines that chDB can make, with the modifiers that each supports."""
    found = {}
    for (name,) in engine.rows(ENGINES):
        shapes = [(given, keys) for given in GIVEN_TO_ENGINES for keys in KEYS_OF_TABLES]
        if any(engine.makes(f"ENGINE = {name}{given}{keys}") for given, keys in shapes):
            found[name] = [
                modifier.split()[0]
                for modifier in MODIFIERS
                if not engine.code(f"SELECT x FROM stored {modifier}")
            ]
    return found


def suffixes(engine: Engine) -> dict[str, int | None]:
    """Return the combinators with how many arguments they add (`sumIf` has a condition).

    -1: any number (`sumMap(keys, values)` is like `sumMap(map)`).
    """
    added = {"If": 1, "Resample": 1, "ArgMin": 1, "ArgMax": 1, "Map": -1, "Merge": None}
    return {name: added.get(name, 0) for (name,) in engine.rows(COMBINATORS)}


def table_columns(engine: Engine) -> dict[str, list[list[Any]]]:
    """Return the columns of table functions that open nothing."""
    return {
        name: [
            [column, 0, kind] for column, kind, *_ in engine.rows(f"DESCRIBE {name}({arguments})")
        ]
        + [
            [column, 1, "String"]
            for column in ("_database", "_table")
            if not engine.code(f"SELECT {column} FROM {name}({arguments})")
        ]
        for name, arguments in SAFE_TABLE_FUNCTIONS.items()
        if name != "null"
    }


if __name__ == "__main__":
    main()
