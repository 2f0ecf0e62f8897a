"""PostgreSQL as a target: values, errors, roles, tenants, and what is left behind: nothing."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from typing import TYPE_CHECKING

import psycopg
import pytest

from sqlobs.check.policy import Policy
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Limits, Target
from tests.execution.attacks import ENDLESS, ending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers import PostgresServer

pytestmark = pytest.mark.postgres


def run(executor: Executor, sql: str, target: str = "reader", **limits: float) -> Execution:
    """Run one statement."""
    return executor.run(
        ExecutionRequest(sql=sql, target=target, limits=Limits(**limits))
    ).prediction


@pytest.fixture
def admin(postgres: PostgresServer) -> Iterator[psycopg.Connection]:
    """The superuser's own connection to the shop."""
    with psycopg.connect(postgres.url("shop"), autocommit=True) as connection:
        yield connection


def test_a_long_statement_of_a_stream_has_its_whole_time(postgres_shop: Executor, monkeypatch):
    """The time for reading a statement ends when it starts, also while the driver blocks all."""
    monkeypatch.setattr("sqlobs.execution.target._GATE_S", 0.5)
    slow = "SELECT count(*) FROM generate_series(1, 4000000)"
    statements = [(sql, Limits(timeout_s=20)) for sql in ("SELECT 1", slow, "SELECT 2", slow)]
    found = list(postgres_shop.stream(statements, target="reader"))
    assert [execution.outcome.table.rows[0][0] for execution in found] == [
        *(1, 4_000_000, 2, 4_000_000)
    ]


def test_statements_of_a_stream_have_clocks_of_their_own(postgres_shop: Executor):
    """The clock of one holds for the next only where both have the same time."""
    slow = "SELECT count(*) FROM generate_series(1, 500000000)"
    quick = "SELECT count(*) FROM generate_series(1, 300000)"
    statements = [
        *((quick, Limits(timeout_s=20)), (slow, Limits(timeout_s=0.2))),
        *((quick, Limits(timeout_s=20)), (quick, Limits(timeout_s=20))),
        *((slow, Limits(timeout_s=0.2)), (slow, Limits(timeout_s=0.2))),
    ]
    with closing(postgres_shop.stream(statements, target="reader")) as found:
        statuses = [execution.outcome.status for execution in found]
    assert statuses == ["ok", "timeout", "ok", "ok", "timeout", "timeout"]


def test_code_of_users_is_found_after_statements_with_the_same_names(
    postgres: PostgresServer, admin: psycopg.Connection
):
    """The catalog is asked once about harmless names, and each time about others."""
    admin.execute(
        "CREATE OR REPLACE FUNCTION public.brand() RETURNS int LANGUAGE sql AS 'SELECT 1'"
    )
    admin.execute("CREATE OR REPLACE VIEW public.brands AS SELECT public.brand() AS id")
    admin.execute("GRANT SELECT ON public.brands TO reader")
    try:
        target = Target.from_url("shop", postgres.url("shop", user="reader"))
        statements = [
            (f"SELECT id FROM {table}", Limits())
            for table in ("orders", "brands", "orders", "brands", "orders AS brands", "brands")
        ]
        with Executor([target], workers=1) as executor:
            executions = list(executor.stream(statements, target="shop"))
        found = [(each.outcome.status, each.refusal) for each in executions]
        rejected = ("refused", "function_not_allowed")
        assert found == [("ok", None), rejected, ("ok", None), rejected, ("ok", None), rejected]
    finally:
        admin.execute("DROP VIEW public.brands; DROP FUNCTION public.brand()")


def test_every_kind_of_value_becomes_a_cell(postgres_shop: Executor):
    """Python's own types where they hold the value, the server's text where none does."""
    cells = {
        "NULL::int": None,
        "9223372036854775807": 2**63 - 1,
        "'1.5e40'::numeric": Decimal(15 * 10**39),
        "'NaN'::numeric": Decimal("NaN"),
        "'-Infinity'::float8": float("-inf"),
        "true": True,
        "'\\x00ff'::bytea": b"\x00\xff",
        "'snow ☃'": "snow ☃",
        "'2024-02-29'::date": dt.date(2024, 2, 29),
        "'infinity'::date": "infinity",
        "'0044-03-15 BC'::date": "0044-03-15 BC",
        "'20000-01-01'::timestamp": "20000-01-01 00:00:00",
        "'2024-01-01 12:00+02'::timestamptz": dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC),
        "'24:00'::time": "24:00:00",
        "'1 day 02:03'::interval": dt.timedelta(days=1, hours=2, minutes=3),
        "'{\"a\": [1, null]}'::jsonb": {"a": [1, None]},
        "'[1, 2)'::int4range": "[1,2)",
        "'{[1,2)}'::int4multirange": "{[1,2)}",
        "'10.0.0.1'::inet": "10.0.0.1",
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid": uuid.UUID(
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        ),
        "ARRAY[1, NULL, 3]": [1, None, 3],
        "ARRAY['infinity'::date]": ["infinity"],
        "ROW(1, 'a')": "(1,a)",
        "'12.50'::money::text": "$12.50",
        "B'101'": "101",
    }
    table = run(postgres_shop, f"SELECT {', '.join(cells)}").outcome.table
    (row,) = table.rows
    assert [repr(cell) for cell in row] == [repr(cell) for cell in cells.values()]


@pytest.mark.parametrize("depth", [100, 200, 201, 500, 700, 900, 990, 5000])
@pytest.mark.parametrize("form", ["json", "jsonb"])
def test_json_of_any_depth_arrives(postgres_shop: Executor, depth: int, form: str):
    """As a value, or from 201 levels on as text."""
    deep = "[" * depth + "]" * depth
    sql = f"SELECT (repeat('[', {depth}) || repeat(']', {depth}))::{form}"
    expected = json.loads(deep) if depth <= 200 else deep
    assert run(postgres_shop, sql).outcome.table.rows == ((expected,),)
    assert run(postgres_shop, "SELECT 1").outcome.table.rows == ((1,),)


def test_names_may_repeat_and_results_may_be_empty(postgres_shop: Executor):
    """Columns are known by position; the table keeps them without a row."""
    table = run(postgres_shop, "SELECT id, id, 1 FROM orders WHERE false").outcome.table
    assert (table.columns, table.rows) == (("id", "id", "?column?"), ())


@pytest.mark.parametrize(
    ("sql", "verdict"),
    [
        ("SELECT * FROM invoices", ("42P01", "schema.unknown_table", False)),
        ("SELECT revenue FROM orders", ("42703", "schema.unknown_column", False)),
        ("SELECT id FROM orders, customers", ("42702", "schema.ambiguous_ref", False)),
        ("SELECT id, sum(total) FROM orders", ("42803", "schema.grouping", False)),
        ("SELECT id::moneys FROM orders", ("42704", "schema.unknown_type", False)),
        ("SELECT ifnull(id, 0) FROM orders", ("42883", "syntax.dialect_mismatch", False)),
        ("SELECT 1, upper(id) FROM orders", ("42883", "schema.type_mismatch", False)),
        ("SELECT day - name FROM orders, customers", ("42883", "schema.type_mismatch", False)),
        ("SELECT CASE WHEN id THEN 1 END FROM orders", ("42804", "schema.type_mismatch", False)),
        ("SELECT * FORM orders", ("42601", "syntax.parse_error", False)),
        ("Here is the query", ("42601", "syntax.parse_error", False)),
        ("SELECT word FROM secrets", ("42501", "execution.permission", None)),
        ("SELECT 1 / (id - id) FROM orders", ("22012", "execution.engine_error", None)),
        (ENDLESS, ("57014", "execution.timeout", None)),
    ],
)
def test_errors_get_the_code_of_their_sqlstate(
    postgres_shop: Executor, sql: str, verdict: tuple[str, str, bool | None]
):
    """Class 42 without a missing permission is a verdict on the SQL."""
    execution = run(postgres_shop, sql, timeout_s=0.3)
    assert (execution.outcome.sqlstate, execution.failure_code, execution.accepted) == verdict


def test_messages_name_no_values(postgres_shop: Executor):
    """The server quotes the value it could not read; we do not."""
    execution = run(postgres_shop, "SELECT * FROM orders WHERE id = 'Ann Example'")
    assert execution.outcome.error == "invalid input syntax for type integer: ?"


def test_a_pair_sees_one_state_while_another_writes(
    postgres_shop: Executor, admin: psycopg.Connection, postgres: PostgresServer
):
    """Two looks at a table that grows all the time agree."""
    admin.execute("CREATE TABLE growing (a int); GRANT SELECT ON growing TO reader")
    stop = threading.Event()

    def write() -> None:
        with psycopg.connect(postgres.url("shop"), autocommit=True) as writer:
            while not stop.wait(0.001):
                writer.execute("INSERT INTO growing VALUES (1)")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(20):
            outcome = postgres_shop.run(
                ExecutionRequest(
                    sql="SELECT count(*) FROM growing",
                    reference="SELECT count(*) FROM growing WHERE a = 1",
                    target="reader",
                )
            )
            assert outcome.same_snapshot
            assert outcome.prediction.outcome.table.rows == outcome.reference.outcome.table.rows
    finally:
        stop.set()
        thread.join()
        admin.execute("DROP TABLE growing")


def test_a_failed_reference_leaves_the_prediction_its_snapshot(postgres_shop: Executor):
    """An error ends its statement, not the transaction."""
    outcome = postgres_shop.run(
        ExecutionRequest(sql="SELECT 1", reference="SELECT 1 / 0", target="reader")
    )
    assert ending(outcome.reference) == "execution.engine_error"
    assert outcome.prediction.outcome.table.rows == ((1,),)


def test_limits_truncate_and_mark_the_text(postgres_shop: Executor):
    """Rows and bytes are counted while they arrive."""
    whole = run(postgres_shop, "SELECT generate_series(1, 3)", max_rows=3)
    cut = run(postgres_shop, "SELECT generate_series(1, 100000)", max_rows=2)
    heavy = run(
        postgres_shop,
        "SELECT repeat('x', 1000) FROM generate_series(1, 100000)",
        max_bytes=1_000_000,
    )
    assert (len(whole.outcome.table.rows), whole.is_truncated) == (3, False)
    assert (cut.outcome.table.rows, cut.is_truncated) == (((1,), (2,)), True)
    assert (100 < len(heavy.outcome.table.rows) < 1000, heavy.is_truncated) == (True, True)


def test_slow_rows_end_with_the_clock(postgres_shop: Executor):
    """Rows that trickle in under the caps do not stretch a statement's time."""
    slow = "SELECT i, (SELECT count(*) FROM generate_series(1, 20000 + i)) FROM generate_series(1, 99999) i"
    assert ending(run(postgres_shop, slow, timeout_s=0.5)) == "execution.timeout"


def test_a_superuser_steps_down(postgres_shop: Executor):
    """Statements run as a role that reads and does nothing else."""
    table = run(postgres_shop, "SELECT current_user", target="postgres").outcome.table
    assert table.rows == (("pg_read_all_data",),)


def test_a_role_that_may_read_files_is_no_target(postgres: PostgresServer):
    """Said in one sentence that tells what to change."""
    target = Target.from_url("shop", postgres.url("shop", user="filer"))
    with Executor([target], workers=1) as executor:
        execution = run(executor, "SELECT 1", target="shop")
    assert execution.not_evaluated == "target_unavailable"
    assert execution.outcome.error == (
        "the role may do too much (pg_read_server_files); give the target a role with SELECT only"
    )


def test_a_role_that_bypasses_row_level_security_is_rejected_for_a_target_with_session_settings(
    postgres: PostgresServer, admin: psycopg.Connection
):
    """Its statements would see every tenant's rows; without a session it is as good as any."""
    admin.execute("CREATE ROLE seer LOGIN BYPASSRLS CONNECTION LIMIT 5")
    url = postgres.url("shop", user="seer")
    bound = Target.from_url("bound", url, session=("app.tenant",))
    with Executor([bound, Target.from_url("plain", url)], workers=1) as executor:
        request = ExecutionRequest(sql="SELECT 1", target="bound", session={"app.tenant": "a"})
        refused = executor.run(request).prediction
        assert run(executor, "SELECT 1", target="plain").outcome.status == "ok"
    assert refused.outcome.error == (
        "the role bypasses row-level security (BYPASSRLS), which the target's session settings rely"
        " on; give the target a role without it"
    )
    admin.execute("DROP ROLE seer")


def test_missing_limits_of_a_role_are_logged_once(
    postgres: PostgresServer, admin: psycopg.Connection, caplog: pytest.LogCaptureFixture
):
    """Without limits a statement may fill the server's disk, or its connections."""
    admin.execute(
        "CREATE ROLE limited LOGIN CONNECTION LIMIT 5;"
        "ALTER ROLE limited SET temp_file_limit = '64MB'"
    )
    alter = "ALTER ROLE …"
    users = {"lacking": "reader", "lofty": "postgres", "sound": "limited"}
    targets = [
        Target.from_url(alias, postgres.url("shop", user=user)) for alias, user in users.items()
    ]
    for _ in range(2):
        with Executor(targets, workers=1) as executor:
            for target in targets:
                assert run(executor, "SELECT 1", target=target.alias).outcome.status == "ok"
    assert [record.message for record in caplog.records] == [
        f"target {alias}: its {what}: {remedy}"
        for alias, what, remedy in (
            ("lacking", "role may open any number of connections", f"{alter} CONNECTION LIMIT 10"),
            (
                "lacking",
                "role may fill the disk with temporary files",
                f"{alter} SET temp_file_limit = '256MB'",
            ),
            (
                "lofty",
                "login is a superuser, which becomes pg_read_all_data for each statement",
                "give the target a role with SELECT only",
            ),
        )
    ]
    admin.execute("DROP ROLE limited")


def test_connections_to_a_target_have_a_cap(postgres: PostgresServer, admin: psycopg.Connection):
    """However many workers there are: further statements wait for a connection."""
    admin.execute("CREATE ROLE crowd LOGIN CONNECTION LIMIT 2")
    url = postgres.url("shop", user="crowd")
    target = Target.from_url("crowd", url, max_connections=2)
    other = Target.from_url("other", postgres.url("shop", user="reader"))
    with Executor([target, other], workers=4) as executor, ThreadPoolExecutor(8) as threads:
        aliases = ["crowd", "other"] * 20
        statuses = threads.map(
            lambda alias: run(executor, "SELECT 1", target=alias).outcome.status, aliases
        )
        assert list(statuses) == ["ok"] * len(aliases)
    admin.execute("DROP ROLE crowd")


def test_a_tenant_sees_its_own_rows(postgres: PostgresServer, admin: psycopg.Connection):
    """Settings are bound as values, for one request only."""
    admin.execute(
        """
        CREATE TABLE tickets_sold (tenant text, n int);
        INSERT INTO tickets_sold VALUES ('a', 1), ('b', 2);
        ALTER TABLE tickets_sold ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON tickets_sold
          USING (tenant = current_setting('app.tenant', true));
        GRANT SELECT ON tickets_sold TO reader
        """
    )
    target = Target.from_url("shop", postgres.url("shop", user="reader"), session=("app.tenant",))
    with Executor([target], workers=1) as executor:

        def rows(tenant: str) -> tuple[object, ...]:
            request = ExecutionRequest(
                sql="SELECT n FROM tickets_sold", target="shop", session={"app.tenant": tenant}
            )
            return executor.run(request).prediction.outcome.table.rows

        assert (rows("a"), rows("b"), rows("a' OR 'b"), rows("a")) == (
            ((1,),),
            ((2,),),
            (),
            ((1,),),
        )
    admin.execute("DROP TABLE tickets_sold")


def test_a_policy_may_allow_a_users_function(postgres: PostgresServer, admin: psycopg.Connection):
    """Functions that the operator lists run, even if they are named like a built-in one."""
    admin.execute("CREATE FUNCTION tax(numeric) RETURNS numeric LANGUAGE sql AS 'SELECT $1 * 0.2'")
    url = postgres.url("shop", user="reader")
    allowing = Target.from_url("allowing", url, policy=Policy(allowed_functions=frozenset({"tax"})))
    with Executor([allowing, Target.from_url("strict", url)], workers=1) as executor:
        ran = run(executor, "SELECT public.tax(10)", target="allowing")
        stopped = run(executor, "SELECT tax(10)", target="strict")
    assert ran.outcome.table.rows == ((Decimal("2.0"),),)
    assert ending(stopped) == "function_not_allowed"
    admin.execute("DROP FUNCTION tax")


def test_extensions_that_compute_may_be_called(postgres_shop: Executor):
    """A function of an extension is no trap of a user's."""
    table = run(postgres_shop, "SELECT similarity('abc', 'abc')").outcome.table
    assert table.rows == ((1.0,),)


def test_nothing_is_left_on_the_server(
    postgres: PostgresServer, postgres_shop: Executor, admin: psycopg.Connection
):
    """No lock, no setting, no transaction: not after success, failure or a kill."""
    for sql in ("SELECT * FROM orders", "SELECT nope", ENDLESS):
        run(postgres_shop, sql, timeout_s=0.2)
    deadline = time.monotonic() + 10  # a worker cleans up when it has answered
    busy = "SELECT FROM pg_stat_activity WHERE application_name = 'sqlobs' AND state <> 'idle'"
    while admin.execute(busy).fetchall():
        assert time.monotonic() < deadline
    locks = admin.execute(
        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
        " WHERE a.application_name = 'sqlobs'"
    ).fetchone()
    assert locks == (0,)


def test_an_unreachable_server_is_reported_without_its_address():
    """Neither host nor password reach the outcome."""
    target = Target.from_url("shop", "postgresql://ann:secret@127.0.0.1:1/shop")
    with Executor([target], workers=1) as executor:
        execution = run(executor, "SELECT 1", target="shop")
    assert execution == Execution(outcome=execution.outcome, reason="target_unavailable")
    assert execution.outcome.error == "the server cannot be reached or rejects the login"


def test_a_lost_connection_is_opened_anew(postgres_shop: Executor, admin: psycopg.Connection):
    """A restart of the server between two requests is not noticed."""
    assert run(postgres_shop, "SELECT 1").outcome.status == "ok"
    admin.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'sqlobs'"
    )
    assert run(postgres_shop, "SELECT 2").outcome.table.rows == ((2,),)


def test_a_backend_that_dies_during_a_statement_gives_no_verdict(
    postgres_shop: Executor, admin: psycopg.Connection
):
    """The server's trouble is not the statement's."""

    def end_it() -> None:
        while not admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'sqlobs' AND state = 'active' AND query LIKE 'FETCH%'"
        ).fetchall():
            pass

    thread = threading.Thread(target=end_it)
    thread.start()
    execution = run(postgres_shop, ENDLESS, timeout_s=20)
    thread.join()
    assert (execution.reason, execution.accepted) == ("target_unavailable", None)
    assert run(postgres_shop, "SELECT 2").outcome.table.rows == ((2,),)


@pytest.mark.parametrize(
    ("encoding", "stored", "cell"),
    [("SQL_ASCII", "E'caf\\xe9'", b"caf\xe9"), ("LATIN1", "chr(233)", "é")],
)
def test_databases_of_other_encodings(
    postgres: PostgresServer, encoding: str, stored: str, cell: object
):
    """Text is text where the server can say what it means, else bytes."""
    name = encoding.lower()
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        )
    with psycopg.connect(postgres.url(name), client_encoding=encoding) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {stored}::text AS a")
    with Executor([Target.from_url("shop", postgres.url(name))], workers=1) as executor:
        table = run(executor, "SELECT a, 'plain' FROM t", target="shop").outcome.table
    assert table.rows == ((cell, "plain"),)
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name}")
