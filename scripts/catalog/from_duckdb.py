"""Makes the catalog of DuckDB from the library installed in this Python.

`python scripts/catalog/from_duckdb.py`
"""

from __future__ import annotations

import re
from typing import Any

import duckdb as engine
from asking import forms, units, value_words
from probing import reserved_words
from writing import write

OWN_GRAMMAR = {
    name: [["scalar", "ANY", ["ANY"], "ANY"]]
    for name in (
        "cast",
        "try_cast",
        "coalesce",
        "struct",
        "row",
        "grouping",
        "grouping_id",
        "try",
    )
} | {name: [["scalar", "ANY", ["ANY", "ANY"], ""]] for name in ("ifnull", "nullif")}
"""Calls that the grammar itself knows."""

OF_LANGUAGE = re.compile(r"[a-z]{2,3}(_|$)")
"""Collations that depend on the build."""
VALUE_WORDS = (
    "user current_user session_user current_role current_schema current_catalog localtime"
    " localtimestamp"
).split()
"""Words to ask about beside the keywords."""
MOST_ARGUMENTS = 3
MOST_ASKED = 6
WINDOWS = (
    "row_number rank dense_rank rank_dense percent_rank cume_dist ntile"
    " first_value last_value nth_value lag lead fill first last"
).split()
"""Window functions are in no table of DuckDB; each is asked for."""

PLAIN = (
    "BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UBIGINT FLOAT DOUBLE DECIMAL VARCHAR DATE TIME"
    " TIMESTAMP TIMESTAMPTZ INTERVAL BLOB UUID UTINYINT USMALLINT UINTEGER JSON BIT TIMESTAMP_S"
    " TIMESTAMP_MS TIMESTAMP_NS TIMETZ"
).split()
BASE = (
    *PLAIN,
    "STRUCT(x INTEGER)",
    "INTEGER[]",
    "FLOAT[3]",
    "MAP(VARCHAR, INTEGER)",
    "ENUM('a', 'b')",
    "UNION(a INTEGER, b VARCHAR)",
)
"""Types whose combinations are tried; one of those that hold others stands for all of its kind."""
SPELLINGS = (
    "DOUBLE PRECISION",
    "CHARACTER",
    "CHARACTER VARYING",
    "CHAR VARYING",
    "NATIONAL CHARACTER",
    "NATIONAL CHARACTER VARYING",
    "DEC",
    "TIME WITH TIME ZONE",
    "TIME WITHOUT TIME ZONE",
    "TIMESTAMP WITH TIME ZONE",
    "TIMESTAMP WITHOUT TIME ZONE",
)
"""Names of types that the grammar knows, in no table."""
LITERALS = {"STRING_LITERAL": "'1'", "INTEGER_LITERAL": "1"}
COLUMNS = {
    "STRING_LITERAL": "VARCHAR",
    "INTEGER_LITERAL": "INTEGER",
    "DECIMAL_LITERAL": "DECIMAL",
    "BOOLEAN_LITERAL": "BOOLEAN",
}
"""The type of a column with the value of a literal."""
NODES = {
    "Struct": ["struct_pack", ["expressions"]],
    "Substring": ["substring", ["this", "start", "length"]],
    "Max": ["max", ["this", "expressions", "count"]],
    "Min": ["min", ["this", "expressions", "count"]],
    "Ceil": ["ceil", ["this"]],
    "Floor": ["floor", ["this"]],
    "Trim": ["trim", ["this", "expression"]],
    "Extract": ["date_part", ["this", "expression"]],
    "Chr": ["chr", ["expressions"]],
    "PercentileCont": ["quantile_cont", ["this", "expression"]],
    "ApproxQuantile": ["approx_quantile", ["this", "quantile"]],
}
"""Calls that sqlglot reads its own way, by its class: the function, and where its arguments are."""
CONSTANTS = {
    "CurrentDate": "DATE",
    "CurrentTime": "TIME WITH TIME ZONE",
    "Localtime": "TIME",
    "Localtimestamp": "TIMESTAMP",
    "CurrentTimestamp": "TIMESTAMP WITH TIME ZONE",
    "Interval": "INTERVAL",
}
"""The types of nodes that always have the same one, by sqlglot's class."""
OPERATORS = {
    **{name: f"{{}} {name} {{}}" for name in "= <> < <= > >= + - * / % || AND OR".split()},
    "~~": "{} LIKE {}",
    "~~*": "{} ILIKE {}",
    "~": "{} ~ {}",
    **{name: f"{{}} {name} {{}}" for name in ("&&", "@>", "<@")},
    "IN": "{} IN ({})",
    "IN_QUERY": "{} IN (SELECT {})",
    "BETWEEN": "{0} BETWEEN {1} AND {1}",
    "CASE": "CASE WHEN true THEN {} ELSE {} END",
    "COALESCE": "coalesce({}, {})",
}
"""Ways to combine two values; a UNION is tried by its own statement."""

FUNCTIONS = """
SELECT DISTINCT lower(function_name), function_type, coalesce(return_type, 'ANY'),
       coalesce(parameter_types, []), coalesce(varargs, ''), len(coalesce(parameters, []))
FROM duckdb_functions()
WHERE function_type IN ('scalar', 'aggregate', 'macro', 'table', 'table_macro')
"""
RELATIONS = """
SELECT DISTINCT view_name FROM duckdb_views()
WHERE internal AND schema_name <> 'information_schema' ORDER BY 1
"""


def main() -> None:
    """Ask the engine and write its catalog."""
    database = connect()
    words = [
        word
        for (word,) in database.execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()
    ]
    known = functions(database)
    for place, kind in enumerate(BASE):
        database.execute(f"CREATE TABLE base{place} (x {kind})")
    write(
        "duckdb",
        ".".join(engine.__version__.split(".")[:2]),
        {
            "engine": f"duckdb {engine.__version__}",
            "generated_by": "scripts/catalog/from_duckdb.py",
            "functions": known | OWN_GRAMMAR,
            "types": types(database),
            "type_names": type_names(database),
            "implicit": implicit(database, sorted(parameter_types(known))),
            "literals": COLUMNS,
            "nodes": NODES,
            "constants": CONSTANTS,
            "operators": operators(database),
            "negated": {
                kind: result
                for kind, value in operands().items()
                if (result := result_of(database, "-{}", value, value))
            },
            "collations": [
                name
                for name in collations(database)
                if not is_refused(database, f"SELECT 'a' COLLATE \"{name}\"")
            ],
            "table_columns": table_columns(database),
            "relations": [name for (name,) in database.execute(RELATIONS).fetchall()],
            "value_words": value_words(
                [*words, *VALUE_WORDS],
                is_refused=lambda sql: is_refused(database, sql),
            ),
            **units(is_refused=lambda sql: is_refused(database, sql)),
            "forms": verdicts(database),
            "reserved": reserved_words(
                words, is_syntax_error=lambda sql: is_syntax_error(database, sql)
            ),
        },
    )


def connect() -> Any:
    """Return a database with the tables of the probes."""
    database = engine.connect(config={"enable_external_access": "false"})
    database.execute("CREATE TABLE probe (x INTEGER)")
    database.execute("CREATE TABLE keyed (x INTEGER PRIMARY KEY)")
    return database


def verdicts(database: Any) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(
        is_refused=lambda sql: is_refused(database, sql),
        is_syntax_error=lambda sql: is_syntax_error(database, sql),
    )


def functions(database: Any) -> dict[str, list[list[Any]]]:
    """Return name to signatures: kind, result, arguments, variadic."""
    found: dict[str, list[list[Any]]] = {}
    for name, kind, result, arguments, variadic, count in database.execute(FUNCTIONS).fetchall():
        if not name.replace("_", "a").isalnum():
            continue
        known = [argument or "ANY" for argument in arguments] or ["ANY"] * count
        signature = [kind, result, known, variadic]
        if signature not in found.setdefault(name, []):
            found[name].append(signature)
    for name in WINDOWS:
        for count in range(MOST_ARGUMENTS + 1):
            call = f"{name}({', '.join(['x'] * count)})"
            kind = result_of(database, f"{call} OVER (ORDER BY x)", "probe.x", "probe.x")
            if kind:
                result = "ANY" if kind == "INTEGER" else kind  # that of x
                found.setdefault(name, []).append(["window", result, ["ANY"] * count, ""])
    for name, signatures in found.items():
        if all(signature[0] == "macro" for signature in signatures):
            found[name] = [
                ["aggregate" if aggregates(database, name, count) else "macro", count, count]
                for count in counts(database, name)
            ]
    return {name: sorted(found[name], key=str) for name in sorted(found)}


def counts(database: Any, name: str) -> list[int]:
    """Return how many arguments a macro takes."""
    taken = []
    for count in range(MOST_ASKED + 1):
        try:
            database.execute(f"EXPLAIN SELECT {name}({', '.join(['NULL'] * count)})")
        except engine.Error as error:
            if "does not support the supplied arguments" in str(error):
                continue
        taken.append(count)
    return taken


def aggregates(database: Any, name: str, count: int) -> bool:
    """Return whether a macro is made of aggregates: it may stand beside one, and not in WHERE."""
    call = f"{name}({', '.join(['x'] * count)})"
    may_stand_beside = not is_refused(database, f"SELECT {call}, count(*) FROM probe")
    return may_stand_beside and is_refused(database, f"SELECT 1 FROM probe WHERE {call} IS NULL")


def types(database: Any) -> list[str]:
    """Return the names of types."""
    rows = database.execute("SELECT DISTINCT upper(type_name) FROM duckdb_types() ORDER BY 1")
    return [name for (name,) in rows.fetchall()]


def parameter_types(known: dict[str, list[list[Any]]]) -> set[str]:
    """Return the plain types that parameters of functions have."""
    declared = {
        kind
        for rows in known.values()
        for row in rows
        if isinstance(row[2], list)
        for kind in row[2]
    }
    named = {kind for kind in declared if kind.replace(" ", "").replace("_", "").isalpha()}
    return named | {*PLAIN}


def table_columns(database: Any) -> dict[str, list[list[Any]]]:
    """Return the columns of table functions that take nothing, or a document, and open no file."""
    found = {}
    rows = database.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"
    )
    for (name,) in rows.fetchall():
        for argument in ("", "'{}'", "3"):
            try:
                columns = database.execute(f"DESCRIBE SELECT * FROM {name}({argument})").fetchall()
            except engine.Error:
                continue
            if len(columns) > 1 or argument == "3":
                found[name] = [[column, 0] for column, *_ in columns]
            break
    return found


def collations(database: Any) -> list[str]:
    """Return the names of collations that no language has, listed or not."""
    listed = [name for (name,) in database.execute("FROM pragma_collations()").fetchall()]
    return [*(name for name in listed if not OF_LANGUAGE.match(name)), "binary", "c", "posix"]


def operands() -> dict[str, str]:
    """Return a value of each type and literal, as an expression over the base tables."""
    columns = {canonical(kind): f"base{place}.x" for place, kind in enumerate(BASE)}
    return columns | LITERALS


def canonical(kind: str) -> str:
    """Return DuckDB's own name of a type, without its parameters."""
    row = engine.connect().execute(f"SELECT typeof(CAST(NULL AS {kind}))").fetchone()
    return str(row[0]).partition("(")[0]


def type_names(database: Any) -> dict[str, str]:
    """Return every spelling of a type with DuckDB's own name of it."""
    found = {}
    for name in (*types(database), *SPELLINGS):
        try:
            found[name] = canonical(name)
        except engine.Error:
            continue
    return found


def implicit(database: Any, targets: list[str]) -> dict[str, list[str]]:
    """Return, for each type and literal, the types it is converted to without a cast."""
    found: dict[str, list[str]] = {source: [] for source in operands()}
    for place, target in enumerate(targets):
        try:
            database.execute(f"CREATE MACRO takes{place}(a {target}) AS 1")
        except engine.Error:
            continue
        for source, value in operands().items():
            if not is_refused(database, f"SELECT takes{place}({value}) FROM {tables(value)}"):
                found[source].append(target)
    return found


def tables(*values: str) -> str:
    """Return the FROM list that the values need."""
    names = sorted({value.partition(".")[0] for value in values if value.startswith("base")})
    return ", ".join(names) or "probe"


def operators(database: Any) -> dict[str, list[list[str]]]:
    """Return, for each operator, left and right type and the type of the result."""
    values = operands()
    return {
        name: [
            [left, right, result]
            for left in values
            for right in values
            if (result := result_of(database, template, values[left], values[right]))
        ]
        for name, template in OPERATORS.items()
    } | {
        "UNION": [
            [left, right, ""]
            for left in values
            for right in values
            if not is_refused(
                database,
                f"SELECT {values[left]} FROM {tables(values[left])} UNION"
                f" SELECT {values[right]} FROM {tables(values[right])}",
            )
        ]
    }


def result_of(database: Any, template: str, left: str, right: str) -> str:
    """Return the type of a combination; empty: the engine refuses it."""
    sql = f"SELECT {template.format(left, right)} FROM {tables(left, right)}"
    try:
        row = database.execute(f"DESCRIBE {sql}").fetchone()
    except engine.Error:
        return ""
    return str(row[1]).partition("(")[0]


def is_refused(database: Any, sql: str) -> bool:
    """Return whether the engine answers with an error."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except engine.Error:
        return True
    return False


def is_syntax_error(database: Any, sql: str) -> bool:
    """Return whether the grammar refuses a statement."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except engine.ParserException:
        return True
    except engine.Error:
        return False
    return False


if __name__ == "__main__":
    main()
