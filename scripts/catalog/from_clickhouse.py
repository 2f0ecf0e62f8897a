"""Makes the catalog of ClickHouse from the chDB installed in this Python.

`python scripts/catalog/from_clickhouse.py FOLDER`: chDB leaves its files in the folder. The
signatures of functions are kept (`SIGNATURES`). With names of functions or sections behind the
folder, but those of types, only these are measured again.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from itertools import product
from typing import TYPE_CHECKING, Any

import clickhouse_checks
import clickhouse_types
from asking import UNITS, forms, units, value_words
from clickhouse_dynamic import dynamic_arguments
from clickhouse_engine import Engine, each
from clickhouse_examples import Example, examples
from clickhouse_literals import argument_values, texts_in_language
from clickhouse_pairs import LETTERS, constant_kinds, rejected_pairs
from clickhouse_parameters import PARAMETERS, disabled, parameter_counts, parameter_values
from clickhouse_storages import storages
from clickhouse_zones import time_zones, zone_arguments
from probing import POSITIONS, reserved_words, runs, sqlglot_keywords
from type_sets import LIST, TypeSets
from writing import FOLDER, write, write_section

if TYPE_CHECKING:
    from collections.abc import Callable

Entries = list[list[Any]]
"""Kinds with the least and the most arguments, or with result and parameters."""

WRONG_COUNT = {34, 35, 42}
"""TOO_MANY_ARGUMENTS_FOR_FUNCTION, TOO_FEW_…, NUMBER_OF_ARGUMENTS_DOESNT_MATCH."""
UNKNOWN = {46, 63}
"""UNKNOWN_FUNCTION, UNKNOWN_AGGREGATE_FUNCTION."""
NO_CONSTANT = {35, 36, 42, 43, 44, 62}
"""Errors of a call with a column where only a constant is allowed: ILLEGAL_COLUMN, …"""
UNTRIED = ("__", "sleep")
"""How functions begin that are internal, or wait."""
MOST_CALLS = 5
LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?")
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
POSITIONS_OF_WORDS = {**POSITIONS, "column": "SELECT 1, {}, 1 FROM probe"}
"""Where words stand; `NOT` would read `FROM` behind it as a name."""
KEYWORDS = "SELECT arrayJoin(splitByNonAlpha(keyword)) FROM system.keywords"
TYPES = "SELECT name, case_insensitive FROM system.data_type_families ORDER BY name"
TABLE_FUNCTIONS = "SELECT name FROM system.table_functions ORDER BY name"
NAMES = """
SELECT name, is_aggregate, case_insensitive, alias_to, replaceAll(syntax, '\\n', ' '),
    ifNull(higher_order, 0)
FROM system.functions WHERE origin = 'System' ORDER BY alias_to <> '', name
"""
COMBINATORS = """
SELECT name FROM system.aggregate_function_combinators WHERE NOT is_internal
ORDER BY length(name) DESC, name
"""
WRONG_COUNT_IN_FROM = 42
"""The error of a table function with a wrong number of arguments."""
SETTINGS = "SELECT name FROM system.settings ORDER BY name"
VALUES_OF_SETTINGS = ("0", "1", "2", "-1", "1.5", "nan", "'abc'")
"""Samples: 2 for all other integers, -1 for negative numbers, abc for texts without a number."""
CHOICES = re.compile(r"Must be one of \[(.*?)\]")
OVERLOADED = 745
"""SERVER_OVERLOADED: of a setting that refuses statements while this machine is busy."""
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


def main() -> None:
    """Ask the engine and write its catalog."""
    folder, *names = sys.argv[1:]
    engine = Engine(tempfile.mkdtemp(dir=folder))
    [[version]] = engine.rows("SELECT version()")
    number = ".".join(version.split(".")[:2])
    if names:
        measure_again(engine, number, folder, names)
        return
    listed = engine.rows(NAMES)
    words = sqlglot_keywords() | {word for (word,) in engine.rows(KEYWORDS)}
    words |= {row[0] for row in listed if row[2] == "1"}
    found = {
        "engine": f"clickhouse {number}",
        "generated_by": "scripts/catalog/from_clickhouse.py",
        **signatures(engine, listed, folder, number),
        **types(engine),
        **{name: ask(engine, listed) for name, ask in OF_NAMES.items()},
        **{name: ask(engine) for name, ask in OF_ENGINE.items()},
        "value_words": value_words(words, is_refused=engine.is_refused),
        **units(is_refused=engine.is_refused, more=SHORT_UNITS),
        "reserved": reserved_words(
            words, is_syntax_error=engine.is_syntax_error, positions=POSITIONS_OF_WORDS
        ),
        "kind_letters": LETTERS,
    }
    for name, ask in OF_CALLS.items():
        found[name] = ask(found, folder)
    for name, ask in OF_LITERALS.items():
        found[name] = ask(engine, listed, folder)
    write("clickhouse", number, found)


def measure_again(engine: Engine, number: str, folder: str, names: list[str]) -> None:
    """Measure some sections again, and the signatures of some functions."""
    listed = engine.rows(NAMES)
    if "functions" in names:
        for name, section in measured_signatures(engine, listed, folder).items():
            write_section("clickhouse", number, name, section)
    for name in names:
        if name in OF_ENGINE:
            section = OF_ENGINE[name](engine)
        elif name in OF_NAMES:
            section = OF_NAMES[name](engine, listed)
        elif name in OF_CALLS:
            section = OF_CALLS[name](written(number), folder)
        elif name in OF_LITERALS:
            section = OF_LITERALS[name](engine, listed, folder)
        else:
            continue
        write_section("clickhouse", number, name, section)
    if some := {*names} - {"functions", *OF_ENGINE, *OF_NAMES, *OF_CALLS, *OF_LITERALS}:
        functions_again(engine, listed, number, some)


def written(number: str) -> dict[str, Any]:
    """Return the catalog as it is in the file now."""
    found: dict[str, Any] = json.loads((FOLDER / "clickhouse" / f"{number}.json").read_text())
    return found


def functions_again(engine: Engine, listed: list[list[str]], number: str, names: set[str]) -> None:
    """Measure the signatures of some functions again, and of their aliases."""
    known, shown = written(number), examples(engine)
    sets, found = TypeSets(clickhouse_types.KINDS), dict(known["functions"])
    sets.keep(known["implicit"])
    for row in listed:
        if row[0] in names and not row[3]:
            entries, _ = measured(engine, (row, shown.get(row[0], [])))
            found[row[0]] = [named(sets, one) for one in entries]
    for row in listed:
        if row[3] in names:
            found[row[0]] = found[row[3]]
    write_section("clickhouse", number, "functions", found)
    write_section("clickhouse", number, "implicit", {**sets.implicit(), "DYNAMIC": []})


SIGNATURES = ("functions", "lambdas", "implicit")
"""Sections that the whole run keeps where the file has them: it makes them for a new version only.

Of 1,992 functions, 157 were measured by older versions of this script, and would change: literals
have results of their own kind, `dictGet…` of a type have counts of arguments only, and `date_diff`
is taken for a name of the grammar alone. Which of them are right has not been asked yet. With the
word `functions` behind the folder, all are measured, which takes half an hour.
"""


def signatures(engine: Engine, listed: list[list[str]], folder: str, number: str) -> dict[str, Any]:
    """Return the sections of signatures: those of the file, or measured if it has none."""
    if (FOLDER / "clickhouse" / f"{number}.json").exists():
        known = written(number)
        return {section: known[section] for section in SIGNATURES}
    return measured_signatures(engine, listed, folder)


def measured_signatures(engine: Engine, listed: list[list[str]], folder: str) -> dict[str, Any]:
    """Return the functions with signatures where they are known, and the sets of types in them."""
    known, lambdas, sets = functions(engine, listed, folder)
    return {
        "functions": known,
        "lambdas": lambdas,
        "implicit": {**sets.implicit(), "DYNAMIC": []},
    }


def types(engine: Engine) -> dict[str, Any]:
    """Return the other sections of types."""
    return {
        "literals": clickhouse_types.LITERALS,
        "nodes": clickhouse_types.NODES,
        "constants": clickhouse_types.CONSTANTS,
        "type_names": clickhouse_types.NAMES,
        "operators": clickhouse_types.operators(engine.described, engine.analyzed)
        | {"KEYS": clickhouse_types.join_keys(engine.is_refused)},
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
    """Return name to entries, those of calls with a lambda, and the sets of types of both."""
    known: dict[str, Entries] = {}
    lambdas: dict[str, Entries] = {}
    sets = TypeSets(clickhouse_types.KINDS)
    shown = examples(engine)
    own = [(row, shown.get(row[0], [])) for row in listed if not row[3]]
    for (row, _), found in zip(own, each(folder, measured, own), strict=True):
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
    for name in TYPED_BY_LAST:
        known[name] = [*([*entry[:3], ""] for entry in known[name]), ["scalar", 4, -1]]
    for name in SHIFTS:  # analysis alone does not count their arguments
        known[name] = [[*entry[:3], ""] for entry in known[name]]
    return known, lambdas, sets


TYPED_BY_LAST = tuple(
    f"JSONExtract{what}{how}" for what in ("", "KeysAndValues") for how in ("", "CaseInsensitive")
)
"""Functions whose last argument names a type; before it is a path of any length."""
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


def measured(engine: Engine, task: tuple[list[str], list[Example]]) -> tuple[Entries, Entries]:
    """Return the entries of a function, and those of its calls with a lambda."""
    (name, is_aggregate, _, _, syntax, is_higher), shown = task
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


def constant_arguments(engine: Engine, listed: list[list[str]]) -> dict[str, list[int]]:
    """Return the places of arguments that must be constant, by lower-case name; -1: the last.

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
    return {**found, **{name.lower(): [-1] for name in TYPED_BY_LAST}}


def any_case(engine: Engine, listed: list[list[str]]) -> list[str]:
    """Return the functions whose name may be in any case."""
    return [row[0] for row in listed if row[2] == "1"] + grammar_names(engine)


def deprecated(engine: Engine, listed: list[list[str]]) -> list[str]:
    """Return the functions that fail unless a setting allows them."""
    return [row[0] for row in listed if is_deprecated(engine, row[0])]


def null_arguments(engine: Engine, listed: list[list[str]]) -> list[str]:
    """Return the functions that accept more arguments than they have if these are NULL."""
    return [row[0] for row in listed if spares_null(engine, row[0])]


def types_of_ddl(engine: Engine) -> list[str]:
    """Return the names of types."""
    return [name for name, _ in engine.rows(TYPES)]


def is_deprecated(engine: Engine, name: str) -> bool:
    """Return whether a function fails unless a setting allows it."""
    calls = (f"{name}({arguments})" for arguments in ("i", "i, 1", "st"))
    return DEPRECATED in {engine.code(f"SELECT {call} FROM kinds", "QUERY TREE") for call in calls}


def spares_null(engine: Engine, name: str) -> bool:
    """Return whether a call with NULL is accepted with more arguments than it has."""
    return not engine.code(f"SELECT {name}({', '.join(['NULL'] * MOST_ARGUMENTS)})", "QUERY TREE")


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
        if engine.code(f"SELECT 1 SETTINGS {name} = {value}", "AST") not in {0, OVERLOADED}
    ]
    # what rejects 1, too, reads a text of a certain form: a time zone, JSON
    return [one for one in rejected if one != "abc" or "1" not in rejected]


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


OF_NAMES: dict[str, Callable[[Engine, list[list[str]]], Any]] = {
    "any_case": any_case,
    "constant_arguments": constant_arguments,
    "deprecated": deprecated,
    "null_arguments": null_arguments,
    "parameters": parameter_counts,
    "parameter_values": parameter_values,
    "disabled": disabled,
}
"""Sections that are measured function by function, of those that the engine lists."""
OF_ENGINE: dict[str, Callable[[Engine], Any]] = {
    "words": words_of_calls,
    "settings": settings,
    "storages": storages,
    "suffixes": suffixes,
    "summed_items": summed_items,
    "table_columns": table_columns,
    "time_zones": time_zones,
    "types": types_of_ddl,
    "forms": verdicts,
}
OF_CALLS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "dynamic_arguments": dynamic_arguments,
    "zone_arguments": zone_arguments,
    "constant_kinds": constant_kinds,
    "rejected_pairs": rejected_pairs,
}
"""Sections that need the signatures in the sections before, and a folder for several engines."""
OF_LITERALS: dict[str, Callable[[Engine, list[list[str]], str], Any]] = {
    "texts_in_language": texts_in_language,
    "argument_values": argument_values,
}
"""Sections that need the documented calls, and a folder for several engines."""


if __name__ == "__main__":
    main()
