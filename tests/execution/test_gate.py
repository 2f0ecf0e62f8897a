"""What the gate lets pass, what it says about it, and what the engine gets to see."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.check.policy import Policy
from sqlobs.execution.admission import Admission, Refused
from sqlobs.execution.gate import admit

OPEN = Policy()

HONEST = {
    "postgres": [
        "SELECT 1",
        "select a.id, b.total from customers a join orders b on a.id = b.customer_id;",
        "(SELECT 1)",
        "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT (1)",
        "VALUES (1, 'a'), (2, 'b')",
        "SELECT count(*), count(DISTINCT id) FILTER (WHERE total > 5) FROM orders",
        "SELECT * FROM orders WHERE (id, total) IN ((1, 2), (3, 4)) AND NOT (total = ANY (ARRAY[1]))",
        "SELECT * FROM orders WHERE EXISTS (SELECT 1 FROM customers) AND total BETWEEN (1) AND (2)",
        "SELECT extract(year FROM day), date_trunc('month', day)::date FROM orders",
        "SELECT CAST(total AS numeric(10, 2)), total::varchar(3), day::timestamp(0) FROM orders",
        "SELECT coalesce(name, ''), nullif(id, 0), greatest(1, 2), CASE WHEN (true) THEN (1) END",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders",
        (
            "SELECT row_number() OVER (PARTITION BY id ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
            " FROM orders"
        ),
        "SELECT rank() OVER w FROM orders WINDOW w AS (ORDER BY total)",
        "SELECT day, sum(total) FROM orders GROUP BY GROUPING SETS ((day), ()), ROLLUP (id)",
        "WITH RECURSIVE r(x, y) AS (SELECT 1, 2 UNION SELECT x + 1, y FROM r WHERE x < 3) SELECT * FROM r",
        "WITH a AS MATERIALIZED (SELECT 1 AS x) SELECT * FROM a, LATERAL (SELECT a.x) b",
        "SELECT * FROM (VALUES (1, 2)) AS t(a, b)",
        'SELECT * FROM (VALUES (1, 2)) AS "T"(a, b)',
        "SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS g(x, n)",
        "SELECT * FROM unnest(ARRAY[1, 2]) AS u(x)",
        "SELECT * FROM json_to_recordset('[]') AS x(a int, b text)",
        "SELECT * FROM jsonb_array_elements('[1]'::jsonb) e WHERE e @> '1' AND e ->> 0 IS NULL",
        "SELECT DISTINCT ON (id) * FROM orders ORDER BY id, day DESC NULLS LAST",
        "SELECT a.* FROM customers a CROSS JOIN orders LEFT JOIN orders c USING (id)",
        "SELECT substring(name FROM 1 FOR 2), trim(BOTH 'x' FROM name), position('a' IN name) FROM customers",
        "SELECT overlay('abc' PLACING 'x' FROM 1), 'a' || 'b', name ILIKE '%a%', name ~* 'x' FROM customers",
        "SELECT name SIMILAR TO '(a|b)%', name LIKE 'a!%' ESCAPE '!' FROM customers",
        "SELECT interval '1 day' + now(), age(day), to_char(day, 'YYYY-MM') FROM orders",
        "SELECT array(SELECT id FROM orders), ARRAY[1, 2][1], (ARRAY[1, 2])[1:2]",
        "SELECT (SELECT max(total) FROM orders), pg_catalog.lower('X')",
        "SELECT id FROM orders EXCEPT SELECT id FROM customers INTERSECT SELECT 1",
        "SELECT string_agg(name, ', ' ORDER BY name) FROM customers HAVING count(*) > (1)",
        "SELECT * FROM orders ORDER BY id FETCH FIRST 3 ROWS ONLY",
        "SELECT * FROM orders OFFSET 1 LIMIT 2",
        'SELECT name COLLATE "C" FROM customers -- a final remark',
        "/* one */ SELECT 1 /* two */ ; /* three */",
        "SELECT $tag$ it's; $tag$, E'\\';', U&'\\0061', B'1', X'ff'",
        "SELECT day AT TIME ZONE 'UTC', current_date, localtimestamp(0) FROM orders",
        "SELECT id IS DISTINCT FROM (1), id IS NOT NULL, (total > 1) IS TRUE FROM orders",
        "SELECT similarity('a', 'b'), width_bucket(1, 0, 2, 4), regexp_replace('a', 'b', 'c', 'g')",
        "SELECT stddev_samp(total), corr(id, total), mode() WITHIN GROUP (ORDER BY id) FROM orders",
        'SELECT "Name" FROM "Order Lines" WHERE "a""b" = 1',
    ],
    "sqlite": [
        "SELECT 1",
        "VALUES (1), (2)",
        "SELECT [a b], `c`, \"d\" FROM [my table] WHERE x'00' <> 1",
        "SELECT iif(1, 2, 3), ifnull(1, 2), printf('%d', 1), char(65), unicode('a'), total(id) FROM orders",
        "SELECT date('now', '-1 day'), strftime('%Y', day), julianday(day) FROM orders",
        "SELECT group_concat(DISTINCT name), group_concat(name, '; ') FROM customers",
        "SELECT CAST(total AS REAL), CAST(id AS DECIMAL(10, 2)), CAST(a AS VARCHAR(9)) FROM orders",
        "SELECT * FROM json_each('[1]') j, json_tree('{}') t WHERE j.value ->> '$.a' IS NULL",
        "SELECT a GLOB 'x*', b LIKE 'y' ESCAPE '!', c REGEXP 'z', d MATCH 'w' FROM t",
        "SELECT * FROM orders INDEXED BY i WHERE id ISNULL",
        "SELECT * FROM orders NOT INDEXED LIMIT 1, 2",
        "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT * FROM c",
        "SELECT name COLLATE NOCASE FROM customers ORDER BY name COLLATE NOCASE DESC NULLS LAST",
        "SELECT id, lag(total, 1, 0) OVER (ORDER BY day) FROM orders",
        "SELECT max(1, 2), min(total), round(avg(total), 2), abs(-1), substr('abc', 2, 1) FROM orders",
        "SELECT rowid, main.orders.id FROM main.orders",
        "SELECT instr('ab', 'b'), replace('a', 'b', 'c'), trim(' a '), typeof(1), hex('a'), quote('a')",
        "SELECT sum(total) FILTER (WHERE id > 1) OVER (ORDER BY id) FROM orders",
        "SELECT like('a', name), glob('a', name), coalesce(1, 2), nullif(1, 2) FROM customers",
        "SELECT COUNT (*) FROM orders WHERE NOT (id = 1)",
    ],
}


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [(dialect, sql) for dialect, statements in HONEST.items() for sql in statements],
)
def test_honest_statements_pass(dialect: str, sql: str):
    """What people ask of a database is let through in every form the dialect has."""
    assert isinstance(admit(sql, dialect=dialect, policy=OPEN), Admission)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", Refused("empty")),
        (" -- nothing\n", Refused("empty")),
        (";;", Refused("empty")),
        ("SELECT '\0'", Refused("not_parsed", "NUL character")),
        ("SELECT '\ud800'", Refused("not_parsed", "text that is not valid Unicode")),
        ("SELECT 'open", Refused("not_parsed")),
        ("Here are the orders you asked for", Refused("not_parsed")),
        ("Sorry", Refused("not_parsed", "column")),
        ("SELECT frobnicate(1)", Refused("function_not_allowed", "frobnicate")),
        ('SELECT "Lower"(name) FROM customers', Refused("function_not_allowed", "Lower")),
        ("SELECT shop.lower('X')", Refused("function_not_allowed", "shop.lower")),
        ("SELECT * FROM pg_catalog.pg_class", Refused("system_object", "pg_catalog.pg_class")),
    ],
)
def test_a_refusal_names_its_reason_and_the_name_in_question(sql: str, expected: Refused):
    """The whole decision, for each kind of refusal that no attack of the list shows."""
    assert admit(sql, dialect="postgres", policy=OPEN) == expected


def test_a_policy_adds_functions_and_confines_tables():
    """An operator's function passes, with any schema; other tables than the listed do not."""
    policy = Policy(
        allowed_functions=frozenset({"st_area"}),
        allowed_tables=frozenset({"orders", "geo.shapes"}),
    )
    shapes = "SELECT geo.st_area(s.shape) FROM geo.shapes s"
    assert isinstance(admit(shapes, dialect="postgres", policy=policy), Admission)
    for sql, written in (
        ("SELECT * FROM shapes", "shapes"),
        ("SELECT * FROM orders, secrets", "secrets"),
        ('SELECT * FROM "Orders"', "Orders"),
        ("SELECT * FROM (WITH secrets AS (SELECT 1) SELECT 1) x, secrets", "secrets"),
        ("WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets", "secrets"),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", "b"),
    ):
        decision = admit(sql, dialect="postgres", policy=policy)
        assert decision == Refused("table_not_allowed", written)


RESTRICTED = Policy(
    denied_tables={"salaries"},
    denied_columns={"employees.salary", "iban"},
    required_filters={"orders.tenant_id"},
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM salaries", Refused("table_not_allowed", "salaries")),
        ("SELECT 1 FROM hr.Salaries", Refused("table_not_allowed", "hr.salaries")),
        ("SELECT salary FROM employees", Refused("column_not_allowed", "salary")),
        ("SELECT * FROM employees", Refused("column_not_allowed", "salary")),
        ("SELECT * FROM hr.employees e", Refused("column_not_allowed", "salary")),
        ("SELECT e FROM employees e", Refused("column_not_allowed", "salary")),
        ("SELECT to_jsonb(e) ->> 'sal' FROM employees e", Refused("column_not_allowed", "salary")),
        ("SELECT 1 FROM employees ORDER BY salary", Refused("column_not_allowed", "salary")),
        ("SELECT c FROM employees AS e (a, b, c)", Refused("column_not_allowed", "salary")),
        (
            "SELECT (SELECT salary FROM bonuses) FROM employees",
            Refused("column_not_allowed", "salary"),
        ),
        (
            "WITH g(salary) AS (VALUES (1)) SELECT count(*) FROM g NATURAL JOIN employees",
            Refused("column_not_allowed", "salary"),
        ),
        ("SELECT x.iban FROM anything x", Refused("column_not_allowed", "iban")),
        ('SELECT "IBAN" FROM anything', Refused("column_not_allowed", "IBAN")),
        ("SELECT count(*) FROM orders", Refused("filter_missing", "tenant_id")),
        (
            "SELECT id FROM orders WHERE tenant_id = 7 OR true",
            Refused("filter_missing", "tenant_id"),
        ),
        (
            "SELECT id FROM orders a, orders b WHERE a.tenant_id = 7",
            Refused("filter_missing", "tenant_id"),
        ),
        (
            "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM x WHERE orders.tenant_id = 7)",
            Refused("filter_missing", "tenant_id"),
        ),
    ],
)
def test_a_policy_denies_tables_and_columns_and_requires_filters(sql: str, expected: Refused):
    """Without a schema, what may be a denied column is one."""
    assert admit(sql, dialect="postgres", policy=RESTRICTED) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM employees",
        "SELECT count(*) FROM employees",
        "SELECT b.salary FROM employees e JOIN bonuses b ON b.id = e.id",
        "SELECT id FROM orders WHERE tenant_id = 7",
        "SELECT o.id FROM orders o JOIN employees e USING (id) WHERE tenant_id IN (7, 8)",
        "SELECT c.* FROM customers c",
        "SELECT '```sql SELECT 1```', name FROM employees",
    ],
)
def test_a_policy_lets_everything_else_pass(sql: str):
    """Other tables' columns of the same name, counts, and filtered reads."""
    policy = Policy(denied_columns={"employees.salary"}, required_filters={"orders.tenant_id"})
    assert isinstance(admit(sql, dialect="postgres", policy=policy), Admission)


def test_a_restriction_that_cannot_be_parsed_rejects_the_statement():
    """In a language without a parser a policy cannot be kept, so nothing passes."""
    for policy in (RESTRICTED, Policy(allowed_tables={"orders"})):
        decision = admit("SELECT 1", dialect="none", policy=policy)
        assert decision == Refused("not_parsed", "policy")
    allowing = Policy(allowed_functions={"tax"})
    assert isinstance(admit("SELECT tax(1)", dialect="none", policy=allowing), Admission)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH recent AS (SELECT * FROM orders) SELECT * FROM recent r JOIN Recent s ON true",
        "WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM a) SELECT * FROM b",
        "WITH RECURSIVE t AS (SELECT 1 AS x UNION SELECT x + 1 FROM t) SELECT * FROM t",
        "SELECT * FROM (WITH a AS (SELECT * FROM orders) SELECT * FROM a) x",
        "WITH a AS (SELECT 1) SELECT * FROM orders WHERE id IN (SELECT * FROM a)",
    ],
)
def test_a_cte_in_scope_hides_the_table_of_its_name(sql: str):
    """An allow-list of tables speaks of tables, not of the statement's own names."""
    policy = Policy(allowed_tables=frozenset({"orders"}))
    assert isinstance(admit(sql, dialect="postgres", policy=policy), Admission)


@pytest.mark.parametrize(
    ("sql", "facts"),
    [
        ("SELECT 1", (False, set())),
        ("SELECT * FROM orders ORDER BY id LIMIT 2", (True, set())),
        ("(SELECT * FROM orders ORDER BY id)", (True, set())),
        ("SELECT * FROM (SELECT * FROM orders ORDER BY id) x", (False, set())),
        ("SELECT rank() OVER (ORDER BY id), 'order by' FROM orders", (False, set())),
        ("SELECT * FROM orders LIMIT 3", (False, {"unordered_limit"})),
        ("SELECT * FROM (SELECT * FROM orders LIMIT 3) x ORDER BY id", (True, {"unordered_limit"})),
        ("SELECT count(*) FROM orders LIMIT 1", (False, set())),
        ("SELECT now(), CURRENT_DATE, 'today'::date, age(id)", (False, set())),
        ("SELECT clock_timestamp()", (False, {"clock"})),
        ("SELECT 1 WHERE EXISTS (SELECT 1 FROM orders LIMIT 1)", (False, set())),
        ("SELECT random(), gen_random_uuid(), current_user", (False, {"random", "session"})),
        ("SELECT * FROM orders TABLESAMPLE SYSTEM (10)", (False, {"random"})),
        ("SELECT name AS random, 'random' FROM customers", (False, set())),
    ],
)
def test_an_admission_returns_what_a_comparison_needs(sql: str, facts: tuple[bool, set[str]]):
    """Order counts at the top level only; what changes by itself is named."""
    policy = Policy(allowed_functions=frozenset({"system"}))
    admission = admit(sql, dialect="postgres", policy=policy)
    assert (admission.ordering.is_ordered, admission.volatile) == facts


@pytest.mark.parametrize(
    ("sql", "is_clock"),
    [
        ("SELECT datetime()", True),
        ("SELECT datetime('now')", True),
        ("SELECT strftime('%s', 'NOW')", True),
        ("SELECT CURRENT_TIMESTAMP", True),
        ("SELECT julianday('now') - julianday(day) FROM orders", True),
        ("SELECT date(), date('now', '-1 day'), CURRENT_DATE", False),
        ("SELECT strftime('%Y-%m', 'now')", False),
        ("SELECT datetime(day), 'later' FROM orders", False),
    ],
)
def test_a_moment_of_sqlite_is_the_clock_and_a_day_is_not(sql: str, is_clock: object):
    """Two statements of one pair do not see two days."""
    volatile = admit(sql, dialect="sqlite", policy=OPEN).volatile
    assert volatile == ({"clock"} if is_clock else set())


def test_comments_become_blanks_and_positions_stay():
    """The engine sees exactly the tokens that were judged, where they were."""
    sql = "SELECT /*! 1; */ id -- x\n FROM /* /* */ */ orders ; -- end"
    text = admit(sql, dialect="postgres", policy=OPEN).text
    assert text == f"SELECT {' ' * 9} id {' ' * 4}\n FROM {' ' * 11} orders"


@given(
    st.lists(
        st.sampled_from(
            [
                "SELECT",
                "a",
                "'b;--'",
                '"c"',
                "/* d */",
                "-- e\n",
                "(",
                ")",
                ",",
                "1.5",
                "E'\\''",
                "$$;$$",
                "FROM",
                "+",
            ]
        ),
        max_size=12,
    )
)
def test_what_is_sent_has_the_tokens_that_were_judged(pieces: list[str]):
    """Blanking changes no token: neither type, text nor place."""
    sql = " ".join(["SELECT 1,", *pieces])
    decision = admit(sql, dialect="postgres", policy=OPEN)
    if isinstance(decision, Admission):
        judged, sent = (
            [(t.token_type, t.text, t.start) for t in sqlglot.tokenize(text, "postgres")]
            for text in (sql, decision.text)
        )
        assert sent == judged


@pytest.mark.parametrize("name", ["system$abort_session", "load_file", "pg_read_file", "getenv"])
def test_a_dialect_without_a_function_list_allows_only_common_functions(name):
    """What systems share may be called; unknown means refused."""
    common = admit("SELECT lower(iff(a, 'X', 'Y')) FROM t", dialect="snowflake", policy=OPEN)
    assert isinstance(common, Admission)
    decision = admit(f"SELECT {name}('X')", dialect="snowflake", policy=OPEN)
    assert isinstance(decision, Refused)


@pytest.mark.parametrize(("sql", "name"), [("SELECT t.Été FROM t", "Été"), ("SELECT t.ÉTÉ", "ÉtÉ")])
def test_names_beyond_ascii_are_known_as_any_server_folds_them(sql: str, name: str):
    """PostgreSQL in UTF-8 folds ASCII letters only, in LATIN1 all."""
    admission = admit(sql, dialect="postgres", policy=Policy())
    assert isinstance(admission, Admission)
    assert admission.words >= {name, name.lower()}
