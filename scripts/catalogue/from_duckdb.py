"""Makes the catalogue of DuckDB from the library installed in this Python.

`python scripts/catalogue/from_duckdb.py`
"""

from __future__ import annotations

from typing import Any

import duckdb as engine
from asking import refused
from probing import reserved_words
from writing import write

OWN_GRAMMAR = {
    name: [["scalar", "ANY", ["ANY"], "ANY"]]
    for name in ("cast", "try_cast", "coalesce", "ifnull", "struct", "row", "grouping", "try")
} | {"nullif": [["scalar", "ANY", ["ANY", "ANY"], ""]]}
"""Calls that the grammar itself knows."""

WINDOWS = (
    "row_number rank dense_rank rank_dense percent_rank cume_dist ntile"
    " first_value last_value nth_value lag lead fill first last"
).split()
"""Window functions are in no table of DuckDB; each is asked for."""

FUNCTIONS = """
SELECT DISTINCT lower(function_name), function_type, coalesce(return_type, 'ANY'),
       coalesce(parameter_types, []), coalesce(varargs, ''), len(coalesce(parameters, []))
FROM duckdb_functions()
WHERE function_type IN ('scalar', 'aggregate', 'macro', 'table', 'table_macro')
"""


def main() -> None:
    """Ask the engine and write `duckdb.json`."""
    database = engine.connect(config={"enable_external_access": "false"})
    database.execute("CREATE TABLE probe (x INTEGER)")
    words = [
        word
        for (word,) in database.execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()
    ]
    write(
        "duckdb",
        {
            "engine": f"duckdb {engine.__version__}",
            "generated_by": "scripts/catalogue/from_duckdb.py",
            "functions": functions(database) | OWN_GRAMMAR,
            "types": types(database),
            "refused": refused(is_refused=lambda sql: is_refused(database, sql)),
            "reserved": reserved_words(
                words, is_syntax_error=lambda sql: is_syntax_error(database, sql)
            ),
        },
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
        if exists(database, f"SELECT {name}(*) OVER () FROM probe"):
            found.setdefault(name, []).append(["window", "ANY", [], "ANY"])
    return {name: sorted(found[name], key=str) for name in sorted(found)}


def exists(database: Any, sql: str) -> bool:
    """Say whether an engine's error, if any, is about something else than a missing function."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except engine.Error as error:
        return "does not exist" not in str(error)
    return True


def types(database: Any) -> list[str]:
    """Return the names of types."""
    rows = database.execute("SELECT DISTINCT upper(type_name) FROM duckdb_types() ORDER BY 1")
    return [name for (name,) in rows.fetchall()]


def is_refused(database: Any, sql: str) -> bool:
    """Say whether the engine answers with an error."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except engine.Error:
        return True
    return False


def is_syntax_error(database: Any, sql: str) -> bool:
    """Say whether the grammar refuses a statement."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except engine.ParserException:
        return True
    except engine.Error:
        return False
    return False


if __name__ == "__main__":
    main()
