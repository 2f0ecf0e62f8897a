"""Makes the catalog of ClickHouse from the chDB installed in this Python.

`python scripts/catalog/from_clickhouse.py FOLDER`: chDB leaves its files in the folder.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import clickhouse_types
from asking import forms, units, value_words
from chdb.session import Session
from probing import reserved_words, runs, sqlglot_keywords
from writing import write

WRONG_COUNT = {34, 35, 42}
"""TOO_MANY_ARGUMENTS_FOR_FUNCTION, TOO_FEW_…, NUMBER_OF_ARGUMENTS_DOESNT_MATCH."""
UNKNOWN = {46, 63}
"""UNKNOWN_FUNCTION, UNKNOWN_AGGREGATE_FUNCTION."""
OF_TYPES = {34, 35, 42, 43, 44, 46, 53, 59, 70, 130, 386}
"""Errors of types and of numbers of arguments: ILLEGAL_TYPE_OF_ARGUMENT, NO_COMMON_TYPE, …"""
NO_QUERY = 80
"""INCORRECT_QUERY: only queries can be explained."""
MOST_ARGUMENTS = 9
MANY = MOST_ARGUMENTS - 1
"""Taken for no limit: of `map`, the counts are even."""
ARGUMENTS = (
    ("x", "x"),
    ("d", "'UTC'"),
    ("s", "s"),
    ("a", "a"),
    ("s", "1"),
    ("'a'", "1"),
    ("u -> u", "a"),
    ("m", "'a'"),
    ("d", "1"),
    ("'day'", "d"),
    ("tuple(x, x)", "x"),
)
"""The first and the further arguments of the probes that ask how many a function has."""
ENOUGH = 5
"""So many probes with all kinds of arguments tell a wrong count; the others need one kind."""
PARAMETERS = ("", "(1)", "(0.5, 0.9)", "(3, 0, 10)", "('a')", "(10, 0.1)")
WINDOWS = (
    "row_number rank dense_rank denseRank percent_rank percentRank cume_dist ntile lag lead"
    " lagInFrame leadInFrame nth_value first_value last_value"
).split()
"""Functions whose arguments are checked only with OVER."""
OF_GRAMMAR = (
    "cast extract substring substr mid trim ltrim rtrim position exists date_add dateadd date_sub"
    " datesub timestamp_add timestampadd timestamp_sub timestampsub date_diff datediff"
    " timestamp_diff timestampdiff lambda tuple array grouping columns any all some interval"
).split()
"""Names that the grammar may know beside the functions of the system table."""
TYPED = "x Int32, s String, d DateTime, a Array(Int32), m Map(String, Int32)"
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
    "several_aliases": "SELECT quantile(0.5)(x) FROM probe",
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
    "extract_with_comma": "SELECT extract('a', 'b')",
    "recursion_without_recursive": "SELECT 1",
}
"""Probes of forms whose other parts ClickHouse spells in another way."""


class Engine:
    """chDB with the tables of the probes. `implicit_select` would read `1 + 1` as a query."""

    def __init__(self, folder: str) -> None:
        self._session = Session(folder)
        for sql in (
            "SET implicit_select = 0",
            clickhouse_types.TABLE,
            "CREATE TABLE probe (x Int32) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE keyed (x Int32) ENGINE = MergeTree PRIMARY KEY x ORDER BY x",
            f"CREATE TABLE typed ({TYPED}) ENGINE = MergeTree ORDER BY x",
            "CREATE TABLE sampled (x UInt32) ENGINE = MergeTree ORDER BY x SAMPLE BY x",
        ):
            self._session.query(sql)

    def rows(self, sql: str) -> list[list[str]]:
        """Return the rows of a query as texts."""
        text = str(self._session.query(sql, "TSV").data())
        return [line.split("\t") for line in text.splitlines()]

    def code(self, sql: str, explain: str = "PLAN") -> int:
        """Return the number of the error that explaining a statement ends with; 0: none."""
        try:
            self._session.query(f"EXPLAIN {explain} {sql}")
        except RuntimeError as error:
            found = re.search(r"Code: (\d+)", str(error))
            return int(found[1]) if found else -1
        return 0

    def described(self, expression: str) -> str | None:
        """Return the type of an expression over the table of kinds, once it is planned."""
        body = expression if expression.startswith("x FROM") else f"{expression} FROM kinds"
        try:
            [row, *_] = self.rows(f"DESCRIBE (SELECT {body})")
        except RuntimeError:
            return None
        return row[1]

    def analyzed(self, expression: str) -> str | None:
        """Return the type of an expression by its analysis alone; empty: no type is at fault."""
        try:
            text = self._session.query(
                f"EXPLAIN QUERY TREE SELECT {expression} AS result_ FROM kinds", "TSVRaw"
            )
        except RuntimeError as error:
            found = re.search(r"Code: (\d+)", str(error))
            return None if found and int(found[1]) in OF_TYPES else ""
        found = re.search(r"^\s*result_ (.*)$", str(text), re.MULTILINE)
        return found[1].strip() if found else None

    def is_refused(self, sql: str) -> bool:
        """Return whether the engine answers with an error; only queries are planned."""
        sql = re.sub(r"\bUNION (?!ALL|DISTINCT)", "UNION ALL ", sql)
        return self.is_syntax_error(sql) or self.code(sql) not in {0, NO_QUERY}

    def is_syntax_error(self, sql: str) -> bool:
        """Return whether the grammar refuses a statement."""
        return bool(self.code(sql, "AST"))


def main() -> None:
    """Ask the engine and write its catalog."""
    engine = Engine(sys.argv[1])
    [[version]] = engine.rows("SELECT version()")
    number = ".".join(version.split(".")[:2])
    listed = engine.rows(NAMES)
    words = sqlglot_keywords() | {word for (word,) in engine.rows(KEYWORDS)}
    words |= {row[0] for row in listed if row[2] == "1"}
    write(
        "clickhouse",
        number,
        {
            "engine": f"clickhouse {number}",
            "generated_by": "scripts/catalog/from_clickhouse.py",
            **types(engine, listed),
            "any_case": [row[0] for row in listed if row[2] == "1"] + grammar_names(engine),
            "suffixes": suffixes(engine),
            "table_columns": table_columns(engine),
            "types": [name for name, _ in engine.rows(TYPES)],
            "value_words": value_words(words, is_refused=engine.is_refused),
            **units(is_refused=engine.is_refused),
            "forms": verdicts(engine),
            "reserved": reserved_words(words, is_syntax_error=engine.is_syntax_error),
        },
    )


def types(engine: Engine, listed: list[list[str]]) -> dict[str, Any]:
    """Return the sections of types, and the functions with signatures where they are known."""
    calls = clickhouse_types.Calls(engine.analyzed)
    lambdas: dict[str, list[list[Any]]] = {}
    known = functions(engine, listed)
    for name, is_aggregate, _, alias_of, _, is_higher in listed:
        if alias_of in known:
            known[name] = known[alias_of]
            continue
        parameters = parameters_of(engine, name) if is_aggregate == "1" else ""
        template = name + parameters + ("({}) OVER (ORDER BY i)" if name in WINDOWS else "({})")
        known[name] = clickhouse_types.typed(calls, template, known[name])
        rows = calls.with_lambda(template, 2) if is_higher == "1" else []
        if rows:
            lambdas[name] = [["scalar", *row, ""] for row in rows]
    return {
        "functions": known,
        "lambdas": lambdas,
        "literals": clickhouse_types.LITERALS,
        "nodes": clickhouse_types.NODES,
        "constants": clickhouse_types.CONSTANTS,
        "type_names": clickhouse_types.NAMES,
        "implicit": calls.sets.implicit(),
        "operators": clickhouse_types.operators(engine.described, engine.analyzed),
        "negated": clickhouse_types.negated(engine.described),
        "conditions": clickhouse_types.conditions(engine.is_refused),
        "casts": clickhouse_types.casts(engine.described),
        "texts": clickhouse_types.readable(engine.described),
    }


def verdicts(engine: Engine) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(
        is_refused=engine.is_refused, is_syntax_error=engine.is_syntax_error, probes=PROBES
    )


def functions(engine: Engine, listed: list[list[str]]) -> dict[str, list[list[Any]]]:
    """Return name to kinds with the least and the most arguments."""
    found: dict[str, list[list[Any]]] = {}
    for name, is_aggregate, _, alias_of, syntax, is_higher in listed:
        if alias_of in found:
            found[name] = found[alias_of]
            continue
        kind = "aggregate" if is_aggregate == "1" else "scalar"
        parameters = parameters_of(engine, name) if is_aggregate == "1" else ""
        template = name + parameters + ("({}) OVER (ORDER BY x)" if name in WINDOWS else "({})")
        taken = counts(engine, template, documented(syntax))
        if is_higher == "1":
            taken = [*range(min(taken, default=0), MOST_ARGUMENTS + 1)]
        found[name] = [[kind, *run] for run in runs(taken, unlimited_from=MANY)] or [[kind, 0, -1]]
    for name in ("CAST", *grammar_names(engine)):
        found[name] = [["scalar", 0, -1]]
    for (name,) in engine.rows(TABLE_FUNCTIONS):
        found.setdefault(name, []).append(["table", 0, -1])
    return found


def grammar_names(engine: Engine) -> list[str]:
    """Return the names of calls that only the grammar knows."""
    listed = {row[0].lower() for row in engine.rows(NAMES) if row[2] == "1"}
    return [
        name
        for name in OF_GRAMMAR
        if name not in listed and engine.code(f"SELECT {name.upper()}(x) FROM typed") not in UNKNOWN
    ]


def parameters_of(engine: Engine, name: str) -> str:
    """Return parameters that an aggregate accepts; several need some (`quantiles(0.5)(x)`)."""
    for parameters in PARAMETERS:
        for count in (1, 2, 3):
            for first, rest in ARGUMENTS[:5]:
                arguments = ", ".join([first] + [rest] * (count - 1))
                if not engine.code(f"SELECT {name}{parameters}({arguments}) FROM typed"):
                    return parameters
    return ""


def counts(engine: Engine, template: str, documented: range | None) -> list[int]:
    """Return the numbers of arguments that a function accepts, as far as its errors tell.

    Where these complain about types, the documented syntax decides; without one, any is accepted.
    """
    taken = []
    for count in range(MOST_ARGUMENTS + 1):
        found = accepts(engine, template, count)
        if found is None:
            found = documented is None or count in documented
        if found:
            taken.append(count)
    return taken


def accepts(engine: Engine, template: str, count: int) -> bool | None:
    """Return whether a call with so many arguments is accepted; None: its errors do not tell."""
    wrong, others = 0, 0
    for first, rest in ARGUMENTS if count else ARGUMENTS[:1]:
        arguments = ", ".join(([first] + [rest] * (count - 1)) if count else [])
        code = engine.code(f"SELECT {template.format(arguments)} FROM typed", "QUERY TREE")
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
    optional = "".join(re.findall(r"\[[^\[\]]*(?:\[[^\[\]]*\])*[^\[\]]*\]", arguments))
    most = arguments.count(",") + 1
    return range(most - optional.count(","), most + 1)


def suffixes(engine: Engine) -> dict[str, int | None]:
    """Return the combinators with how many arguments they add (`sumIf` has a condition)."""
    added = {"If": 1, "Resample": 1, "ArgMin": 1, "ArgMax": 1, "Merge": None}
    return {name: added.get(name, 0) for (name,) in engine.rows(COMBINATORS)}


def table_columns(engine: Engine) -> dict[str, list[list[Any]]]:
    """Return the columns of table functions that open nothing."""
    return {
        name: [[column, 0] for column, *_ in engine.rows(f"DESCRIBE {name}({arguments})")]
        for name, arguments in SAFE_TABLE_FUNCTIONS.items()
        if name != "null"
    }


if __name__ == "__main__":
    main()
