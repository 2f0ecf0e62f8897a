"""What a statement may cost in one call is bounded by its text; ordinary statements are not hit."""

from __future__ import annotations

import pytest
import sqlglot

from sqlobs.check.policy import Policy
from sqlobs.execution.admission import Refused
from sqlobs.execution.cost import MOST_WORK, _Estimate
from sqlobs.execution.cost.plain import is_plain
from sqlobs.execution.gate import admit
from tests.execution.hostile_costs import ARENAS, attacked, attacks

TREE = (
    "WITH RECURSIVE tree AS (SELECT id, name AS path, 1 AS level FROM parts WHERE parent IS NULL"
    " UNION ALL SELECT p.id, t.path || ' > ' || p.name, t.level + 1"
    " FROM parts p JOIN tree t ON p.parent = t.id)"
)
DAYS = (
    "WITH RECURSIVE days(day) AS (SELECT DATE '2024-01-01'"
    " UNION ALL SELECT day + 1 FROM days WHERE day < DATE '2024-12-31')"
)

COSTLY = [
    ("postgres", "SELECT strpos(repeat('a', 10000000), 'b' || repeat('a', 5000000))", "strposition"),
    ("postgres", "SELECT strpos(h, n) FROM (SELECT repeat('a', 900000) h, repeat('a', 900000) n) x", "strposition"),
    ("postgres", "SELECT strpos(x.repeat, x.repeat || 'b') FROM (SELECT repeat('a', 900000)) x", "strposition"),
    ("postgres", "SELECT strpos(q::text, q::text || 'b') FROM (SELECT repeat('a', 900000)) q", "strposition"),
    ("postgres", "WITH t(h) AS (VALUES (repeat('a', 900000))) SELECT replace(h, h || 'b', '') FROM t", "replace"),
    ("postgres", "SELECT strpos(column1, 'b' || column1) FROM (VALUES (repeat('a', 900000))) x", "strposition"),
    ("postgres", "SELECT strpos(x.v, 'b' || x.v) FROM json_each_text(json_build_object('a', repeat('a', 900000))) x(k, v)", "strposition"),
    ("postgres", "SELECT repeat('a', 900000) LIKE ANY (ARRAY['%' || repeat('a', 400000) || 'b%'])", "like"),
    ("postgres", "SELECT format('%1000000000s', 'x')", "format"),
    ("postgres", "SELECT format('%*s', 1000000000, 'x')", "format"),
    ("postgres", "SELECT format('%' || 1000000000 || 's', 'x')", "format"),
    ("postgres", "SELECT repeat('x', (SELECT 1000000000))", "repeat"),
    ("postgres", "SELECT repeat('x', ('1' || '000000000')::int)", "repeat"),
    ("postgres", "SELECT repeat('x', (1 / 0.000000001)::int)", "repeat"),
    ("postgres", "SELECT repeat('x', length(repeat('x', 100000)) * 1000)", "repeat"),
    ("postgres", "SELECT repeat('x', n) FROM generate_series(1, 1000000000) AS n", "repeat"),
    ("postgres", "SELECT repeat(repeat(repeat('x', 1000), 1000), 1000)", "repeat"),
    ("postgres", "SELECT repeat('x', count(*)::int) FROM generate_series(1, 1000000000)", "repeat"),
    ("postgres", "SELECT " + " || ".join(["repeat('x', 1000000)"] * 100), "dpipe"),
    ("postgres", "SELECT replace(replace(replace(repeat('x', 99), 'x', repeat('y', 999)), 'y', repeat('z', 999)), 'z', 'zz')", "replace"),
    ("postgres", "SELECT array_fill(1, ARRAY[100000]) && array_fill(2, ARRAY[100000])", "arrayoverlaps"),
    ("postgres", "SELECT array_fill(1, '{1000,1000,1000}')", "array_fill"),
    ("postgres", "SELECT lpad('x', 1 << 30)", "pad"),
    ("postgres", "SELECT 9.9 ^ 140000 * 9.9 ^ 140000 / 7.7 ^ 140000", "pow"),
    ("postgres", "SELECT normalize(repeat(chr(777) || chr(803), 50000))", "normalize"),
    ("postgres", "SELECT never_heard_of(repeat('x', 100000))", "never_heard_of"),
    ("postgres", "WITH RECURSIVE r(x) AS (SELECT 'xx' UNION ALL SELECT x || x FROM r) SELECT max(length(x)) FROM r", "dpipe"),
    ("postgres", f"{TREE} SELECT strpos(string_agg(path, ''), string_agg(path, '') || 'b') FROM tree", "strposition"),
    ("mysql", "SELECT LOCATE(CONCAT(REPEAT('a', 5000000), 'b'), REPEAT('a', 10000000))", "strposition"),
    ("mysql", "SELECT @a := REPEAT('x', 1000), @a := CONCAT(@a, @a) FROM orders", "concat"),
    ("mysql", "SELECT CAST('x' AS BINARY(1000000000))", "cast"),
    ("mysql", "SELECT SFORMAT('{:1000000000}', 'x')", "sformat"),
    ("mysql", "SELECT LENGTH(UNCOMPRESS(COMPRESS(REPEAT('x', 1000000))))", "uncompress"),
    ("duckdb", "SELECT range(1000000000)", "generateseries"),
    ("duckdb", "SELECT list_resize([1], 1000000000)", "list_resize"),
    ("sqlite", "SELECT printf('%.*c', 2000000000, 'x')", "printf"),
]  # fmt: skip

ORDINARY = [
    ("postgres", "SELECT lpad(id::text, 10, '0'), repeat('-', 20), repeat('*', rating) FROM reviews"),
    ("postgres", "SELECT replace(replace(name, 'a', 'b'), ' ', '_'), format('%s (%5s)', name, id) FROM t"),
    ("postgres", "SELECT format(template, name), split_part(mail, '@', 2) FROM t WHERE note LIKE '%x%'"),
    ("postgres", "SELECT repeat('#', (100.0 * count(*) / sum(count(*)) OVER ())::int) FROM t GROUP BY day"),
    ("postgres", "SELECT rpad(name, max(length(name)) OVER (), ' ') FROM t"),
    ("postgres", "SELECT string_agg(DISTINCT name, ', ' ORDER BY name), json_agg(t) FROM t JOIN u USING (id)"),
    ("postgres", "SELECT jsonb_pretty(jsonb_agg(jsonb_build_object('a', a, 'b', b))) FROM t"),
    ("postgres", "SELECT array_agg(a) && array_agg(b), array_agg(a) @> ARRAY[1, 2], cardinality(array_agg(a)) FROM t"),
    ("postgres", f"{TREE} SELECT repeat('  ', level) || replace(path, ' > ', '/') FROM tree WHERE position('x' IN path) > 0"),
    ("postgres", f"{DAYS} SELECT day, count(o.id), string_agg(day::text, ',') OVER () FROM days LEFT JOIN orders o USING (day) GROUP BY day"),
    ("postgres", "SELECT x, repeat('.', x) FROM generate_series(1, 365) AS x"),
    ("postgres", "SELECT count(*) FROM generate_series(1, 100000000) AS x"),
    ("postgres", "SELECT d, length(string_agg(p.name, ',')) FROM generate_series('2024-01-01'::date, '2024-12-31', '1 day') d CROSS JOIN p GROUP BY d"),
    ("postgres", "SELECT power(1 + rate, 12), 2 ^ 10, sqrt(x), exp(ln(x) / 3), factorial(5) FROM t"),
    ("postgres", "SELECT regexp_replace(lower(trim(name)), '[^a-z]+', '-', 'g'), to_char(day, 'YYYY-MM') FROM t"),
    ("mysql", "SELECT @n := @n + 1 AS n, name FROM t, (SELECT @n := 0) start"),
    ("mysql", "SELECT GROUP_CONCAT(name ORDER BY id SEPARATOR ', '), LPAD(id, 8, '0'), SPACE(level * 2) FROM t GROUP BY kind"),
    ("mysql", "SELECT SUBSTRING_INDEX(GROUP_CONCAT(name), ',', 3), FORMAT(SUM(total), 2) FROM t"),
    ("sqlite", "SELECT printf('%.2f', total), printf('%05d', id), substr(day, 1, 7), group_concat(name, '; ') FROM t"),
    ("duckdb", "SELECT list_transform(range(100), x -> x * 2), [x for x in range(10)], list(name) FROM t"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "part"), COSTLY)
def test_values_that_only_the_statement_makes_long_are_refused(dialect: str, sql: str, part: str):
    """Wherever the parts stand: nested, in a subquery, a CTE, a recursion, a variable."""
    policy = Policy(allowed_functions={"never_heard_of"})
    assert admit(sql, dialect=dialect, policy=policy) == Refused("too_costly", part)


@pytest.mark.parametrize(("dialect", "sql"), ORDINARY)
def test_ordinary_statements_are_not_too_costly(dialect: str, sql: str):
    """Columns count as short and tables as small: the data are not the statement's fault."""
    decision = admit(sql, dialect=dialect, policy=Policy())
    assert not isinstance(decision, Refused), decision


def test_a_text_of_which_parts_may_be_computed_is_not_even_prepared():
    """Engines compute constants while they prepare: the cost comes before unknown functions."""
    sql = "SELECT no_such_function(1), strpos(repeat('a', 10000000), repeat('a', 5000000))"
    assert admit(sql, dialect="postgres", policy=Policy()) == Refused("too_costly", "strposition")


def test_names_that_are_given_again_and_again_do_not_add_up():
    """Twenty steps that call their column alike are read once each, not as a recursion."""
    steps = ", ".join(
        f"s{n} AS (SELECT coalesce(amount, 0) + round(amount, 2) AS amount FROM s{n - 1})"
        for n in range(1, 8)
    )
    sql = f"WITH s0 AS (SELECT amount FROM orders), {steps} SELECT sum(amount) FROM s7"
    assert not isinstance(admit(sql, dialect="postgres", policy=Policy()), Refused)


EVERY = 7
"""The suite runs one of so many attacks; `python -m tests.execution.hostile_costs` runs all."""


@pytest.mark.parametrize(
    "engine",
    [
        *("sqlite", "duckdb"),
        pytest.param("mysql", marks=pytest.mark.mariadb),
        pytest.param("postgres", marks=pytest.mark.postgres),
    ],
)
def test_attacks_on_time_and_memory_stop_and_leave_nothing(engine: str):
    """Under a role that reads and under a mighty one; no backend is busy a while later."""
    with ARENAS[engine]() as arena:
        before = arena.digest()
        endings = list(attacked(arena, attacks(engine)[::EVERY]))
        assert len(endings) >= 12
        assert [end for end in endings if not end.is_stopped] == []
        assert arena.digest() == before


def test_a_text_that_only_the_server_reads_is_prepared_where_its_calls_make_nothing_long():
    """MariaDB computes constants when it prepares: none that a builder made long."""
    for text, refusal in {
        "SELECT COUNT(* FROM orders": "not_parsed",
        "SELECT DATE_FORMAT(day, '%Y' FROM orders": "not_parsed",
        "SELECT 'x' REGEXP REPLACE(REPEAT('a', 60000), 'a', 'b' FROM": "too_costly",
        "SELECT 1 LIKE `repeat` /* x */ ('a', 60000) FROM FROM": "too_costly",
        "SELECT 1 LIKE CAST('x' AS BINARY(16000000)) FROM FROM": "too_costly",
    }.items():
        decision = admit(text, dialect="mysql", policy=Policy())
        assert isinstance(decision, Refused)
        assert decision.refusal == refusal, text


@pytest.mark.parametrize(
    ("dialect", "count"),
    [
        ("postgres", "extract(epoch FROM now())::int"),
        ("postgres", "(0.001 ^ -5)::int"),
        ("postgres", "substring('0.99999999' FROM 3)::int"),
        ("postgres", "reverse('00000001')::int"),
        ("postgres", "split_part('5,900000000', ',', 2)::int"),
        ("postgres", "$$900000000$$::int"),
        ("postgres", "(SELECT count(*) FROM t a, t b, t c)::int"),
        ("postgres", "(SELECT count(*) FROM t a JOIN t b ON true JOIN t c ON a.x = a.x)::int"),
        ("postgres", "(date '3000-01-01' - date '1000-01-01') * 2000"),
        ("mysql", "0xFFFFFFF"),
        ("mysql", "b'1111111111111111111111111111'"),
        ("mysql", "~0 >> 36"),
        ("mysql", "CAST(-1 AS UNSIGNED)"),
        ("mysql", "CURDATE() + 0"),
        ("mysql", "UNIX_TIMESTAMP()"),
    ],
)
def test_a_number_that_is_large_by_another_way_is_seen(dialect: str, count: str):
    """Lengths may be computed, encoded or cut from a text."""
    decision = admit(f"SELECT REPEAT('x', {count})", dialect=dialect, policy=Policy())
    assert decision == Refused("too_costly", "repeat")


@pytest.mark.parametrize(("dialect", "sql"), [case[:2] for case in (*COSTLY, *ORDINARY)])
def test_what_is_plain_needs_no_bound(dialect: str, sql: str):
    """A statement that only compares, counts and adds is never one that the estimate rejects."""
    for text in (sql, f"SELECT count(*) FROM t WHERE a = 1 AND b IN ({sql})"):
        nodes = tuple(sqlglot.parse_one(text, read=dialect).walk())
        if is_plain(nodes):
            assert _Estimate(nodes, dialect).bound(nodes[0]).work <= MOST_WORK
    assert not is_plain(tuple(sqlglot.parse_one(COSTLY[0][1], read="postgres").walk()))
    plain = (
        "SELECT a, sum(b) FROM t WHERE c LIKE 'x%' GROUP BY a HAVING sum(b) > 3 ORDER BY a LIMIT 5"
    )
    assert is_plain(tuple(sqlglot.parse_one(plain).walk()))
    long = f"SELECT a FROM t WHERE a LIKE '{'x' * 5000}'"
    assert not is_plain(tuple(sqlglot.parse_one(long).walk()))
