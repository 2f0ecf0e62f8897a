"""Makes the catalog of MariaDB by asking a running server, which lists names but no arguments.

`python scripts/catalog/from_mariadb.py mysql://root@127.0.0.1:3306`
"""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import urlsplit

import pymysql
from asking import forms, units
from probing import reserved_words, sqlglot_keywords
from writing import write

MOST_ARGUMENTS = 8
NO_GEOMETRY = 4079
UNKNOWN_COLUMN, SYNTAX, NO_FUNCTION, NO_SUCH_CALL, ARITY = 1054, 1064, 1305, 1630, {1582, 1318}
AGGREGATES = (
    "avg bit_and bit_or bit_xor count group_concat json_arrayagg json_objectagg max min std stddev"
    " stddev_pop stddev_samp sum var_pop var_samp variance"
).split()
WINDOWS = (
    "row_number rank dense_rank percent_rank cume_dist ntile first_value last_value nth_value lag"
    " lead median percentile_cont percentile_disc"
).split()
"""Window functions are in no table of MariaDB; each is asked for."""
OWN_GRAMMAR = {
    name: [["scalar", 0, -1]]
    for name in "cast convert trim position interval values default char json_table".split()
} | {
    "adddate": [["scalar", 2, 2]],
    "date_add": [["scalar", 2, 2]],
    "date_sub": [["scalar", 2, 2]],
    "extract": [["scalar", 1, 1]],
    "get_format": [["scalar", 2, 2]],
    "group_concat": [["aggregate", 1, -1]],
    "subdate": [["scalar", 2, 2]],
    "timestampadd": [["scalar", 3, 3]],
    "timestampdiff": [["scalar", 3, 3]],
}
"""Calls whose arguments have a grammar of their own."""
OTHERS = (
    "cast convert extract trim substring substr position mid char get_format timestampadd"
    " timestampdiff date_add date_sub adddate subdate if coalesce values default interval user"
    " database schema truncate mod year month day date time timestamp week quarter hour minute"
    " second microsecond left right insert replace repeat reverse password charset collation"
    " json_table row nullif ascii curdate curtime now utc_date utc_time utc_timestamp sysdate"
    " current_user current_role session_user system_user"
    " current_date current_time current_timestamp localtime localtimestamp"
).split()
NO_CALLS = frozenset(
    "all and distinct distinctrow exists high_priority in not or select sql_big_result"
    " sql_buffer_result sql_cache sql_calc_found_rows sql_no_cache sql_small_result straight_join"
    " unique values xor".split()
)
"""Words of the grammar before brackets: what stands in them is no argument."""
CONSTANTS = frozenset("null true false".split())
PROBES = {
    "position_in_order_of_call": "SELECT group_concat('a' ORDER BY 1) FROM probe",
    "quoted_collation": "SELECT 'a' AS y FROM probe ORDER BY y COLLATE 'utf8mb4_bin'",
}
"""Forms as MariaDB spells them."""


def main() -> None:
    """Ask the server and write its catalog."""
    with connect(sys.argv[1]).cursor() as cursor:
        create_tables(cursor)
        cursor.execute("CREATE OR REPLACE TABLE texts (t text)")
        cursor.execute("SELECT version(), @@sql_mode, @@lower_case_table_names")
        version, sql_mode, lower_case = cursor.fetchone() or ("", "", 0)
        cursor.execute("SELECT word FROM information_schema.keywords")
        words = {word for (word,) in cursor.fetchall()} | sqlglot_keywords()
        write(
            "mariadb",
            ".".join(version.split(".")[:2]),
            {
                "engine": f"mariadb {version.split('-')[0]}",
                "generated_by": "scripts/catalog/from_mariadb.py",
                "settings": {"sql_mode": sql_mode, "lower_case_table_names": lower_case},
                "functions": functions(cursor, words) | OWN_GRAMMAR,
                "spaced": spaced(cursor, words),
                "forms": verdicts(cursor),
                "cast_types": cast_types(cursor),
                "collations": collations(cursor),
                "value_words": value_words(cursor, words),
                **units(is_refused=lambda sql: error_of(cursor, sql) != 0),
                "reserved": reserved_words(
                    words, is_syntax_error=lambda sql: error_of(cursor, sql) == SYNTAX
                ),
            },
        )
        cursor.execute("DROP DATABASE probing")


def connect(url: str) -> Any:
    """Connect to the server of an address like `mysql://root@127.0.0.1:3306`."""
    address = urlsplit(url)
    return pymysql.connect(host=address.hostname, port=address.port or 3306, user=address.username)


def create_tables(cursor: Any) -> None:
    """Create the tables of the probes."""
    cursor.execute("CREATE DATABASE IF NOT EXISTS probing")
    cursor.execute("USE probing")
    cursor.execute("CREATE OR REPLACE TABLE probe (x int)")
    cursor.execute("CREATE OR REPLACE TABLE keyed (x int PRIMARY KEY)")


def verdicts(cursor: Any) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(is_refused=lambda sql: error_of(cursor, sql) != 0, probes=PROBES)


def functions(cursor: Any, words: set[str]) -> dict[str, list[list[object]]]:
    """Return name to signatures: kind, least and most arguments (-1: any number)."""
    return {
        name: signatures
        for name in candidates(cursor, words)
        if (signatures := [list(signature) for signature in probed(cursor, name)])
    }


def candidates(cursor: Any, words: set[str]) -> list[str]:
    """Return what may be a function: MariaDB lists only some of its own by that name."""
    cursor.execute(
        "SELECT lower(function) FROM information_schema.sql_functions"
        " UNION SELECT replace(lower(name), '\\\\_', '_') FROM mysql.help_topic"
        " UNION SELECT lower(plugin_name) FROM information_schema.plugins"
        " WHERE plugin_type = 'FUNCTION'"
    )
    listed = {name for (name,) in cursor.fetchall() if name.isidentifier()}
    names = listed | {*AGGREGATES, *WINDOWS, *OTHERS} | {word.lower() for word in words}
    return sorted(names - NO_CALLS)


def probed(cursor: Any, name: str) -> list[tuple[str, int, int]]:
    """Return the signatures that the server takes, over rows and as a window function."""
    kind = "aggregate" if name in AGGREGATES else "scalar"
    if kind == "scalar" and is_geometric(cursor, name):
        kind = "geometric"
    tails = [(kind, "")] if name not in WINDOWS else []
    if name in WINDOWS or name in AGGREGATES:
        tails.append(("window", " OVER (ORDER BY x)"))
    return [
        (kind, min(taken), -1 if max(taken) == MOST_ARGUMENTS else max(taken))
        for kind, tail in tails
        if (taken := [n for n in range(MOST_ARGUMENTS + 1) if takes(cursor, name, n, tail)])
        or (tail and (taken := [n for n in range(3) if takes(cursor, name, n, " OVER ()")]))
    ]


def is_geometric(cursor: Any, name: str) -> bool:
    """Return whether a call refuses a text as its first argument, because that is no geometry."""
    calls = (f"SELECT {name}({', '.join(['x.t'] * n)}) FROM texts AS x" for n in (1, 2, 3))
    return any(error_of(cursor, call) == NO_GEOMETRY for call in calls)


def takes(cursor: Any, name: str, count: int, tail: str) -> bool:
    """Return whether a call with so many arguments exists, whatever their types."""
    calls = [f"SELECT {name}({', '.join([value] * count)}){tail} FROM probe" for value in "x1"]
    if count == 0:
        calls.append(f"SELECT {name}(*){tail} FROM probe")
    refused = {SYNTAX, NO_FUNCTION, NO_SUCH_CALL, UNKNOWN_COLUMN, *ARITY}
    return any(error_of(cursor, call) not in refused for call in calls)


OWN_ARGUMENTS = {
    "cast": "x AS char",
    "convert": "x, char",
    "date_add": "x, INTERVAL 1 DAY",
    "date_sub": "x, INTERVAL 1 DAY",
    "extract": "YEAR FROM x",
    "get_format": "DATE, 'ISO'",
    "position": "'a' IN x",
    "timestampadd": "DAY, 1, x",
    "timestampdiff": "DAY, x, x",
}
"""What calls take that have a grammar of their own."""


def spaced(cursor: Any, words: set[str]) -> dict[str, int]:
    """Return the functions that a blank before the bracket breaks, with the server's error."""
    broken = {}
    for name in candidates(cursor, words):
        for signature in probed(cursor, name)[:1]:
            arguments = ", ".join(["x"] * int(signature[1]))
            tail = " OVER (ORDER BY x)" if signature[0] == "window" else ""
            error = error_of(cursor, f"SELECT {name} ({arguments}){tail} FROM probe")
            if error in {SYNTAX, NO_FUNCTION, NO_SUCH_CALL}:
                broken[name] = error
    for name, arguments in OWN_ARGUMENTS.items():
        if error := error_of(cursor, f"SELECT {name} ({arguments}) FROM probe"):
            broken[name] = error
    return dict(sorted(broken.items()))


CAST_TYPES = (
    "binary char nchar varchar varbinary character date datetime decimal"
    " dec fixed numeric"
    " double double_precision float real int integer bigint smallint tinyint mediumint signed"
    " unsigned time timestamp year text blob json bool boolean bit string interval"
    " longtext mediumtext tinytext inet6 uuid"
).split()
TWO_WORDS = ("signed integer", "unsigned integer", "double precision")


def cast_types(cursor: Any) -> list[str]:
    """Return the types that CAST takes; with brackets behind them those that take a length."""

    def is_taken(name: str) -> bool:
        return not error_of(cursor, f"SELECT CAST(1 AS {name})")

    plain = [name for name in (*CAST_TYPES, *TWO_WORDS) if is_taken(name)]
    return plain + [
        f"{name}()" for name in CAST_TYPES if is_taken(f"{name}(3)") or is_taken(f"{name}(3,2)")
    ]


def value_words(cursor: Any, words: set[str]) -> list[str]:
    """Return the words that are a value without a table and brackets; no NULL, no TRUE."""
    plain = sorted({word.lower() for word in words if word.isidentifier()} - CONSTANTS)
    return [word for word in plain if not error_of(cursor, f"SELECT {word}")]


def collations(cursor: Any) -> list[str]:
    """Return the names of collations, in lower case."""
    cursor.execute(
        "SELECT DISTINCT lower(full_collation_name) FROM"
        " information_schema.collation_character_set_applicability"
    )
    return sorted(name for (name,) in cursor.fetchall())


def error_of(cursor: Any, sql: str) -> int:
    """Return the number of the server's error when it prepares a statement; 0: none."""
    try:
        cursor.execute("PREPARE probing FROM %s", (sql,))
    except pymysql.Error as error:
        return int(error.args[0])
    cursor.execute("DEALLOCATE PREPARE probing")
    return 0


if __name__ == "__main__":
    main()
