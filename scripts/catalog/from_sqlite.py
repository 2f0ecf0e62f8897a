"""Makes the catalog of SQLite from the library linked into this Python.

`python scripts/catalog/from_sqlite.py`
"""

from __future__ import annotations

import sqlite3

from asking import forms
from probing import reserved_words, sqlglot_keywords
from writing import write

MOST_ARGUMENTS = 6
KEYWORDS = frozenset(
    "ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN"
    " BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS"
    " CURRENT DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE"
    " END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN"
    " FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY"
    " INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH"
    " MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER"
    " OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP"
    " REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT"
    " SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING"
    " VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT".split()
)
"""What SQLite calls a keyword: sqlite.org/lang_keywords.html."""
OWN_GRAMMAR = {"cast": [["scalar", 1, 1]]}
"""Calls that the grammar itself knows."""


def main() -> None:
    """Ask the engine and write its catalog."""
    database = connect()
    write(
        "sqlite",
        ".".join(sqlite3.sqlite_version.split(".")[:2]),
        {
            "engine": f"sqlite {sqlite3.sqlite_version}",
            "generated_by": "scripts/catalog/from_sqlite.py",
            "functions": tables(database) | functions(database) | OWN_GRAMMAR,
            "table_columns": table_columns(database),
            "collations": [
                name.lower() for _, name in database.execute("PRAGMA collation_list").fetchall()
            ],
            "forms": verdicts(database),
            "reserved": reserved_words(
                sqlglot_keywords() | KEYWORDS,
                is_syntax_error=lambda sql: is_syntax_error(database, sql),
            ),
        },
    )


def connect() -> sqlite3.Connection:
    """Return a database with the tables of the probes."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE probe (x)")
    database.execute("CREATE TABLE keyed (x PRIMARY KEY)")
    return database


def verdicts(database: sqlite3.Connection) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(
        is_refused=lambda sql: not compiles(database, sql),
        is_syntax_error=lambda sql: is_syntax_error(database, sql),
    )


def functions(database: sqlite3.Connection) -> dict[str, list[list[object]]]:
    """Return name to signatures: kind, least and most arguments (-1: any number)."""
    rows = database.execute("SELECT DISTINCT name FROM pragma_function_list")
    return {
        name: signatures
        for name in sorted(name for (name,) in rows.fetchall())
        if (signatures := [list(signature) for signature in probed(database, name)])
    }


def tables(database: sqlite3.Connection) -> dict[str, list[list[object]]]:
    """Return the table-valued functions: modules that need no table of their own, and pragmas.

    The module of a pragma is listed only once it was used.
    """
    modules = database.execute("SELECT name FROM pragma_module_list").fetchall()
    pragmas = database.execute("SELECT 'pragma_' || name FROM pragma_pragma_list").fetchall()
    return {
        name: [["table", 0, -1]]
        for (name,) in sorted({*modules, *pragmas})
        if compiles(database, f"SELECT 1 FROM {name}")
    }


def table_columns(database: sqlite3.Connection) -> dict[str, list[list[object]]]:
    """Return the columns of each table-valued function, each with 1 where a star leaves it out."""
    return {
        name: [
            [row[1], row[6]] for row in database.execute(f"PRAGMA table_xinfo({name})").fetchall()
        ]
        for name in tables(database)
    }


def probed(database: sqlite3.Connection, name: str) -> list[tuple[str, int, int]]:
    """Return the signatures that SQLite compiles: as an aggregate, as a plain call, with OVER."""
    kinds: dict[str, list[int]] = {}
    for count in range(MOST_ARGUMENTS + 1):
        call = f"{name}({', '.join(['x'] * count)})"
        if compiles(database, f"SELECT {call} OVER () FROM probe"):
            kinds.setdefault("window", []).append(count)
        if compiles(database, f"SELECT 1 FROM probe WHERE {call}"):
            kinds.setdefault("scalar", []).append(count)
        elif compiles(database, f"SELECT {call} FROM probe"):
            kinds.setdefault("aggregate", []).append(count)
    return [
        (kind, min(counts), -1 if max(counts) == MOST_ARGUMENTS else max(counts))
        for kind, counts in kinds.items()
    ]


def compiles(database: sqlite3.Connection, sql: str) -> bool:
    """Return whether SQLite takes a statement."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except sqlite3.Error:
        return False
    return True


def is_syntax_error(database: sqlite3.Connection, sql: str) -> bool:
    """Return whether SQLite's grammar refuses a statement."""
    try:
        database.execute(f"EXPLAIN {sql}")
    except sqlite3.Error as error:
        return "syntax error" in str(error) or "incomplete input" in str(error)
    return False


if __name__ == "__main__":
    main()
