"""Strategies for statements: grown from a grammar, broken by tokens, nested, and plain noise."""

from __future__ import annotations

import re

from hypothesis import strategies as st

CANARY = "Kanarienvogel4711"
"""Stands in literals only: it may be in no masked text and no message."""
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "snowflake", "bigquery", "tsql", "oracle")
NAMES = st.sampled_from(
    [
        "id",
        "name",
        "city",
        "orders",
        "customers",
        "o",
        "c",
        "ghost",
        "total_revenue",
        "status",
        '"id"',
        '"a b"',
        "`id`",
        "[id]",
        "select",
        "c.id",
        "o.ghost",
        "main.orders",
        "ä",
        "*",
        "c.*",
    ]
)
LITERALS = st.sampled_from(
    [
        f"'{CANARY}'",
        "1",
        "1.5e3",
        "NULL",
        "TRUE",
        "''",
        f"'it''s {CANARY}'",
        f"$${CANARY}$$",
        f"N'{CANARY}'",
        f"E'{CANARY}\\n'",
        "0x1F",
        f"/* {CANARY} */ 2",
        "?",
        ":p",
        "INTERVAL '1' DAY",
    ]
)
OPERATORS = st.sampled_from(
    "= <> < >= + - * / % || AND OR LIKE IN IS -> :: BETWEEN ~ ^ & == != <=> // XOR".split()
)
CALLS = st.sampled_from(
    "count sum avg max coalesce lower abs year strftime date_trunc cast rank load_file pg_sleep"
    " read_csv ghost_function extract substring trim position if".split()
)


def _compound(inner):
    pair = st.tuples(inner, OPERATORS, inner).map(" ".join)
    call = st.tuples(CALLS, st.lists(inner, max_size=3)).map(lambda c: f"{c[0]}({', '.join(c[1])})")
    case = st.tuples(inner, inner).map(lambda c: f"CASE WHEN {c[0]} THEN {c[1]} END")
    wrapped = inner.map(lambda text: f"({text})")
    window = inner.map(lambda text: f"sum({text}) OVER (PARTITION BY {text} ORDER BY id)")
    query = inner.map(lambda text: f"(SELECT {text} FROM orders o WHERE o.customer_id = c.id)")
    cast = inner.map(lambda text: f"CAST({text} AS decimal(10, 2))")
    return st.one_of(pair, call, case, wrapped, window, query, cast)


EXPRESSIONS = st.recursive(st.one_of(NAMES, LITERALS), _compound, max_leaves=8)
SOURCES = st.one_of(
    st.sampled_from(["orders", "customers c", "ghosts", "orders o, customers c", "'a.csv'"]),
    st.sampled_from(["orders o JOIN customers c ON c.id = o.customer_id", "orders NATURAL JOIN c"]),
    EXPRESSIONS.map(lambda text: f"orders o LEFT JOIN customers c ON {text}"),
    EXPRESSIONS.map(lambda text: f"(SELECT {text} FROM orders) AS d (x, y)"),
    st.just("orders CROSS JOIN LATERAL (SELECT 1) t"),
)


def _select(parts):
    outputs, source, where, tail = parts
    return f"SELECT {', '.join(outputs)} FROM {source} WHERE {where} {tail}"


TAILS = st.sampled_from(
    [
        "",
        "GROUP BY name",
        "ORDER BY 1 DESC",
        "LIMIT 5, 10",
        "GROUP BY 1 HAVING count(*) > 1",
        ";",
        "FOR UPDATE",
        "UNION SELECT 1",
        "EXCEPT ALL SELECT * FROM orders",
        "; DROP TABLE orders",
        "OFFSET 2 ROWS FETCH FIRST 1 ROWS ONLY",
        "WINDOW w AS (ORDER BY id)",
        "QUALIFY 1 = 1",
    ]
)
QUERIES = st.tuples(st.lists(EXPRESSIONS, min_size=1, max_size=3), SOURCES, EXPRESSIONS, TAILS).map(
    _select
)
STATEMENTS = st.one_of(
    QUERIES,
    QUERIES.map(lambda text: f"WITH RECURSIVE d (x) AS ({text}) SELECT * FROM d"),
    QUERIES.map(lambda text: f"INSERT INTO orders (id, ghost) {text}"),
    EXPRESSIONS.map(lambda text: f"UPDATE orders SET status = {text} WHERE id = 1"),
    EXPRESSIONS.map(lambda text: f"DELETE FROM orders WHERE {text}"),
    QUERIES.map(lambda text: f"EXPLAIN ANALYZE {text}"),
    QUERIES.map(lambda text: f"Here you go:\n```sql\n{text}\n```\nIt shows {text}"),
)

_TOKEN = re.compile(r"\s+|\w+|'[^']*'|.", re.DOTALL)


@st.composite
def broken(draw):
    """Draw a statement with tokens dropped, doubled, swapped or put in."""
    tokens = _TOKEN.findall(draw(STATEMENTS))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(tokens) - 1)))
        change = draw(st.sampled_from(("drop", "double", "swap", "put")))
        if not tokens or change == "put":
            tokens.insert(
                place, draw(st.one_of(NAMES, OPERATORS, st.sampled_from("()[]{},.;'\"`")))
            )
        elif change == "drop":
            del tokens[place]
        elif change == "double":
            tokens.insert(place, tokens[place])
        else:
            other = draw(st.integers(0, len(tokens) - 1))
            tokens[place], tokens[other] = tokens[other], tokens[place]
    return "".join(tokens)


@st.composite
def nested(draw):
    """Draw something that repeats an opening, a link or a clause many times."""
    times = draw(st.integers(10, 400))
    opening, middle, closing = draw(
        st.sampled_from(
            [
                ("(", "1", ")"),
                ("CASE WHEN ", "1", " THEN 1 END"),
                ("abs(", "id", ")"),
                ("(SELECT ", "1", ")"),
                ("NOT ", "TRUE", ""),
                ("- ", "1", ""),
                ("[", "1", "]"),
                ("", "1", " + 1"),
                ("", "id", " AND id"),
                ("", "1", " UNION SELECT 1"),
            ]
        )
    )
    return f"SELECT {opening * times}{middle}{closing * times} FROM orders"


TEXTS = st.one_of(
    STATEMENTS.map(lambda text: (text, True)),
    st.one_of(broken(), nested(), st.text(max_size=200)).map(lambda text: (text, False)),
)
"""A text, and whether it is a whole statement."""
