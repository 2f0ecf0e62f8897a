"""Makes the catalog of PostgreSQL from the system tables of a running server.

`python scripts/catalog/from_postgres.py "host=127.0.0.1 user=postgres"`

PostgreSQL 15 makes `sqlobs/dialects/data/postgres/15.json`. Ask later versions in order: each makes
a file with the differences from the one before it.
"""

from __future__ import annotations

import sys
from typing import Any

import psycopg
from asking import forms, units
from probing import reserved_words
from writing import write, write_differences

from sqlobs.check.forms import Calls

OWN_GRAMMAR = (
    {
        name: [["scalar", "any", ["any"], "any", 0, 0]]
        for name in (
            "cast",
            "coalesce",
            "greatest",
            "least",
            "xmlattributes",
            "xmlelement",
            "xmlforest",
            "xmlconcat",
        )
    }
    | {
        name: [["scalar", kind, ["any", "any"], "", 0, 0]]
        for name, kind in (("nullif", "any"), ("collation for", "text"))
    }
    | {"json": [["scalar", "json", ["any"], "", 0, 0]]}
    | {
        name: [["scalar", kind, ["integer"], "", 0, 0]]
        for name, kind in (
            ("current_time", "time with time zone"),
            ("current_timestamp", "timestamp with time zone"),
            ("localtime", "time without time zone"),
            ("localtimestamp", "timestamp without time zone"),
        )
    }
)
"""Calls that the grammar itself knows."""
OWN_GRAMMAR_SINCE = {
    16: {
        "json_array": [["scalar", "json", ["any"], "any", 1, 0]],
        "json_object": [["scalar", "json", ["any"], "any", 1, 0]],
        "json_arrayagg": [["aggregate", "json", ["any"], "any", 0, 0]],
        "json_objectagg": [["aggregate", "json", ["any"], "any", 0, 0]],
    },
    17: {
        "json_scalar": [["scalar", "json", ["any"], "", 0, 0]],
        "json_serialize": [["scalar", "text", ["any"], "", 0, 0]],
        "json_exists": [["scalar", "boolean", ["any", "any"], "any", 0, 0]],
        "json_query": [["scalar", "any", ["any", "any"], "any", 0, 0]],
        "json_value": [["scalar", "any", ["any", "any"], "any", 0, 0]],
        "json_table": [["table", "record", ["any"], "any", 0, 1]],
        "merge_action": [["scalar", "text", [], "", 0, 0]],
    },
}
"""Those that it knows since a version."""

FUNCTIONS = """
SELECT p.proname, p.prokind, format_type(p.prorettype, NULL),
       (SELECT coalesce(array_agg(format_type(t, NULL) ORDER BY place), '{}')
          FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(t, place)),
       CASE WHEN p.provariadic = 0 THEN '' ELSE format_type(p.provariadic, NULL) END,
       p.pronargdefaults, p.proretset::int, coalesce(a.aggkind, '')
FROM pg_proc p LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w')
"""
OPERATORS = """
SELECT oprname, CASE WHEN oprleft = 0 THEN '' ELSE format_type(oprleft, NULL) END,
       format_type(oprright, NULL), format_type(oprresult, NULL)
FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprresult <> 0
ORDER BY 1, 2, 3
"""
CASTS = """
SELECT format_type(castsource, NULL), format_type(casttarget, NULL), castcontext
FROM pg_cast ORDER BY 1, 2
"""
TYPES = """
SELECT format_type(t.oid, NULL), t.typname, t.typcategory, t.typispreferred::int,
       CASE WHEN t.typelem <> 0 AND t.typcategory = 'A'
            THEN format_type(t.typelem, NULL) ELSE '' END
FROM pg_type t
WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'p', 'r', 'm')
ORDER BY 1
"""
RANGES = """
SELECT format_type(unnest(ARRAY[rngtypid, rngmultitypid]), NULL), format_type(rngsubtype, NULL)
FROM pg_range ORDER BY 1
"""
"""Ranges, and ranges of these, with the type between whose values they are."""
COLLATIONS = """
SELECT DISTINCT collname FROM pg_collation
WHERE collencoding IN (-1, pg_char_to_encoding('UTF8')) AND collname !~ '^[a-z]{2,3}(_|-|$)'
ORDER BY 1
"""
"""Those of languages depend on the machine."""
TABLE_COLUMNS = """
SELECT p.proname, (SELECT array_agg(a.name ORDER BY a.place)
                   FROM unnest(p.proargnames, p.proargmodes::text[]) WITH ORDINALITY
                        AS a(name, mode, place)
                   WHERE a.mode IN ('o', 't', 'b'))
FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
"""
SHAPELESS = """
SELECT DISTINCT proname FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND prorettype = 'record'::regtype
  AND prokind = 'f' AND proargmodes IS NULL AND proname ~ '^jsonb?_' ORDER BY 1
"""
"""Functions whose columns the statement itself must define."""
RELATIONS = """
SELECT relname FROM pg_class
WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1
"""
SYNTAX_ERROR = "42601"
SYSTEM_USER_SINCE = 16
FIRST = "15"
"""The version whose catalog is written whole."""
KINDS = {"f": "scalar", "w": "window", "a": "aggregate"}


def main() -> None:
    """Ask the server and write its catalog."""
    with psycopg.connect(sys.argv[1], autocommit=True) as server:
        create_tables(server)
        words = [word for (word,) in server.execute("SELECT word FROM pg_get_keywords()")]
        version = server.info.server_version
        major = str(version // 10000)
        _write(
            major,
            {
                "engine": f"postgres {version // 10000}.{version % 10000}",
                "generated_by": "scripts/catalog/from_postgres.py",
                "functions": with_own_grammar(functions(server), int(major)),
                "operators": grouped(server, OPERATORS),
                "casts": [list(row) for row in server.execute(CASTS)],
                "types": {
                    row[0]: list(row[1:])
                    for row in server.execute(TYPES)
                    if not row[1].startswith("pg_") and not row[1].startswith("_pg_")
                },
                "ranges": {row[0]: row[1] for row in server.execute(RANGES)},
                "table_columns": table_columns(server),
                "value_names": value_names(server),
                "shapeless": [name for (name,) in server.execute(SHAPELESS)],
                "quoted_calls": quoted_calls(server),
                "value_words": ["system_user"] if int(major) >= SYSTEM_USER_SINCE else [],
                "relations": [name for (name,) in server.execute(RELATIONS)],
                "collations": [name for (name,) in server.execute(COLLATIONS)],
                **units(is_refused=lambda sql: sqlstate(server, sql) is not None),
                "forms": verdicts(server),
                "reserved": reserved_words(
                    words, is_syntax_error=lambda sql: sqlstate(server, sql) == SYNTAX_ERROR
                ),
            },
        )


def _write(major: str, catalog: dict[str, Any]) -> None:
    if major == FIRST:
        write("postgres", major, catalog)
    else:
        write_differences("postgres", major, catalog)


def create_tables(server: psycopg.Connection[Any]) -> None:
    """Create the tables of the probes."""
    server.execute("CREATE TEMP TABLE probe (x int)")
    server.execute("CREATE TEMP TABLE keyed (x int PRIMARY KEY)")


def verdicts(server: psycopg.Connection[Any]) -> dict[str, str]:
    """Return the verdict on every form."""
    return forms(is_refused=lambda sql: sqlstate(server, sql) is not None)


def functions(server: psycopg.Connection[Any]) -> dict[str, list[list[Any]]]:
    """Return name to signatures: kind, result, arguments, variadic, defaults, set-returning."""
    found: dict[str, list[list[Any]]] = {}
    for name, kind, result, arguments, variadic, defaults, is_set, agg in server.execute(FUNCTIONS):
        word, taken = KINDS[kind], arguments
        if agg == "o":
            word = "ordered"
        elif agg == "h":
            word, taken = "hypothetical", []
        found.setdefault(name, []).append([word, result, taken, variadic, defaults, is_set])
    return {name: sorted(found[name], key=str) for name in sorted(found)}


def with_own_grammar(found: dict[str, list[list[Any]]], major: int) -> dict[str, list[list[Any]]]:
    """Return the functions with the calls that only the grammar of a version knows."""
    found = found | OWN_GRAMMAR
    for since, calls in OWN_GRAMMAR_SINCE.items():
        if since <= major:
            found |= {name: [*found.get(name, []), *entries] for name, entries in calls.items()}
    return found


def quoted_calls(server: psycopg.Connection[Any]) -> list[str]:
    """Return the functions that the grammar takes for something else where they are not quoted."""
    return [
        name
        for name in functions(server)
        if sqlstate(server, f"SELECT {name}(x) FROM probe") == SYNTAX_ERROR
        and sqlstate(server, f'SELECT "{name}"(x) FROM probe') != SYNTAX_ERROR
        and name not in {*OWN_GRAMMAR, *Calls.of_grammar} - {"time"}
    ]


def table_columns(server: psycopg.Connection[Any]) -> dict[str, list[list[Any]]]:
    """Return the columns of functions with several, but of those of the catalog itself."""
    return {
        name: [[column, 0] for column in columns]
        for name, columns in named_outputs(server).items()
        if len(columns) > 1 and not name.startswith("pg_")
    }


def value_names(server: psycopg.Connection[Any]) -> dict[str, str]:
    """Return the name that a function gives its only column, whatever its alias is."""
    return {
        name: columns[0]
        for name, columns in named_outputs(server).items()
        if len(columns) == 1 and columns[0]
    }


def named_outputs(server: psycopg.Connection[Any]) -> dict[str, tuple[str, ...]]:
    """Return the named outputs of functions, where all of one name have the same."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for name, columns in server.execute(TABLE_COLUMNS):
        found.setdefault(name, set()).add(tuple(columns or ()))
    return {name: next(iter(kinds)) for name, kinds in sorted(found.items()) if len(kinds) == 1}


def grouped(server: psycopg.Connection[Any], query: str) -> dict[str, list[list[str]]]:
    """Return the rows of a query by their first column."""
    found: dict[str, list[list[str]]] = {}
    for name, *rest in server.execute(query):
        found.setdefault(name, []).append(rest)
    return found


def sqlstate(server: psycopg.Connection[Any], sql: str) -> str | None:
    """Return the state of the error when a statement is prepared; None: there is none."""
    try:
        server.execute(f"PREPARE probing AS {sql}")
    except psycopg.Error as error:
        return error.sqlstate
    server.execute("DEALLOCATE probing")
    return None


if __name__ == "__main__":
    main()
