"""Every engine keeps the same contract: what it gives, what it refuses, how it says so."""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import duckdb
import pytest

from sqlobs.check.policy import Policy
from sqlobs.errors import ConfigError
from sqlobs.execution.access import Access, CostLimits
from sqlobs.execution.admission import Admission, Refused
from sqlobs.execution.executor import Executor
from sqlobs.execution.gate import admit
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import HttpQuery, Limits, Target
from tests.execution.conftest import SHOP
from tests.servers import MariaDbServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.execution.outcome import Execution

TYPED = {"mysql", "duckdb", "postgres"}
"""Systems that know decimal numbers and dates."""

HUGE = {
    "postgres": "SELECT count(*) FROM generate_series(1, 10000000) a, generate_series(1, 1000) b",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "duckdb": "SELECT count(*) FROM range(100000000) a, range(100000) b",
    "mysql": "SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d, numbers e",
}
MANY = {
    "postgres": "SELECT * FROM generate_series(1, 100000)",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "duckdb": "SELECT * FROM range(100000)",
    "mysql": "SELECT a.n FROM numbers a, numbers b, numbers c",
}


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaDbServer]:
    """A MariaDB server whose database `shop` holds the shop, and a role that reads."""
    server = MariaDbServer().start()
    try:
        numbers = ", ".join(f"({number})" for number in range(100))
        server.run(
            "CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;"
            + SHOP.replace("TEXT", "VARCHAR(100)").replace("NUMERIC", "DECIMAL(10,2)")
            + f"CREATE TABLE numbers (n INT); INSERT INTO numbers VALUES {numbers};"
            "CREATE USER reader@'%' IDENTIFIED BY 'secret'; GRANT SELECT ON shop.* TO reader@'%';"
        )
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def duckdb_file(tmp_path_factory):
    """A DuckDB file with the shop."""
    path = tmp_path_factory.mktemp("duck") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SHOP)
    return path


class Catalogue(BaseHTTPRequestHandler):
    """Runs statements on SQLite and answers as Denodo's data catalog does."""

    shop = ""

    def do_POST(self):
        """Run the posted statement."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        connection = sqlite3.connect(self.shop)
        try:
            found = connection.execute(body["vql"])
            names = [column[0] for column in found.description]
            rows = found.fetchmany(body["limit"])
            status, answer = (
                200,
                {
                    "rows": [
                        {
                            "values": [
                                {"column": n, "value": v} for n, v in zip(names, row, strict=True)
                            ]
                        }
                        for row in rows
                    ]
                },
            )
        except sqlite3.Error as error:
            status, answer = 400, {"message": str(error)}
        finally:
            connection.close()
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Stay silent."""


@pytest.fixture(scope="module")
def catalogue(shop_file) -> Iterator[str]:
    """The address of a service that runs statements."""
    Catalogue.shop = str(shop_file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Catalogue)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/execute"
    server.shutdown()
    server.server_close()
    thread.join()


QUERY = HttpQuery(
    body={"vql": "{sql}", "limit": "{limit}"}, cells="values", cell_name="column", error=None
)


@pytest.fixture(
    scope="module",
    params=[
        *("sqlite", "general", "duckdb", "http"),
        pytest.param("mysql", marks=pytest.mark.mariadb),
        pytest.param("postgres", marks=pytest.mark.postgres),
    ],
)
def running(request) -> Iterator[tuple[str, Executor]]:
    """An executor on the shop, behind each engine."""
    name = request.param
    if name in {"sqlite", "general"}:
        prefix = "sqlalchemy+" if name == "general" else ""
        url = f"{prefix}sqlite:///{request.getfixturevalue('shop_file')}"
        target = Target.from_url("shop", url)
    elif name == "duckdb":
        target = Target.from_url("shop", f"duckdb:///{request.getfixturevalue('duckdb_file')}")
    elif name == "http":
        url = request.getfixturevalue("catalogue")
        target = Target(alias="shop", system="http", url=url, spoken="sqlite", http=QUERY)
    elif name == "postgres":
        server = request.getfixturevalue("postgres")
        target = Target.from_url("shop", server.url("shop", user="reader"))
    else:
        server = request.getfixturevalue("mariadb")
        url = f"mysql+pymysql://reader:secret@127.0.0.1:{server.port}/shop"
        target = Target.from_url("shop", url)
    with Executor([target], workers=1) as executor:
        yield name, executor


def run(executor: Executor, sql: str, **limits) -> Execution:
    """Run one statement."""
    limits.setdefault("timeout_s", 5.0)
    return executor.run(
        ExecutionRequest(sql=sql, target="shop", limits=Limits(**limits))
    ).prediction


def test_an_invented_name_is_reported(running):
    """Whatever speaks for the engine, HTTP included: the name is the statement's own."""
    _, executor = running
    for sql, name in (
        ("SELECT invented_total FROM orders", "invented_total"),
        ("SELECT o.invented_total FROM orders o", "invented_total"),
        ("SELECT 1 FROM invented_orders", "invented_orders"),
    ):
        message = run(executor, sql).outcome.error
        assert message is not None
        assert name in message


COMPUTED = (
    "SELECT CAST({v} AS DATE)",
    "SELECT CAST({v} AS INTEGER)",
    "SELECT CAST({v} AS DECIMAL(3, 2)) + 1",
    "SELECT CAST({v} AS TIMESTAMP) FROM orders",
    "SELECT CAST({n} AS SMALLINT) * 1000000000000",
    "SELECT {n} * {n} * {n} * {n} * {n}",
    "SELECT 1 / ({n} - {n})",
    "SELECT {n} - 9223372036854775807 - {n} * 3",
    "SELECT json_extract({v}, '$.a')",
    "SELECT json_extract('[]', {v})",
    "SELECT 'a' LIKE 'b' ESCAPE {v}",
    "SELECT CAST({v} AS jsonb)",
    "SELECT regexp_replace('a', {v}, 'b')",
    "SELECT to_date({v}, 'YYYY-MM-DD')",
    "SELECT to_timestamp({v}, {v})",
    "SELECT date_trunc({v}, day) FROM orders",
    "SELECT extract(year FROM CAST({v} AS DATE))",
    "SELECT day AT TIME ZONE {v} FROM orders",
    "SELECT CAST({v} AS UUID)",
    "SELECT CAST({v} AS INTERVAL)",
    "SELECT chr({n})",
    "SELECT repeat({v}, {n})",
    "SELECT (SELECT {v} FROM orders), {n}",
    "SELECT EXP({n})",
    "SELECT POW({n}, {n})",
)
"""Statements with a text and a number that no literal of theirs has: like values of rows."""


def test_no_value_of_a_row_leaves_through_a_message(running):
    """The values are computed from pieces, so that only the engine can know them."""
    name, executor = running
    joined = (
        "CONCAT('Kana', 'rien\"vo', 'gel')" if name == "mysql" else "'Kana' || 'rien\"vo' || 'gel'"
    )
    statements = [sql.format(v=f"({joined})", n="(918273000 + 645)") for sql in COMPUTED]
    messages = [run(executor, sql).outcome.error or "" for sql in statements]
    assert sum(map(bool, messages)) >= 3
    leaks = [
        message for message in messages if re.search(r'Kanarien|vogel|rien"vo|918273645', message)
    ]
    assert leaks == []


def test_rows_come_with_names_nulls_and_their_own_types(running):
    """The same query gives the same cells, as far as the systems have the same types."""
    name, executor = running
    found = run(
        executor,
        "SELECT c.name AS n, c.note, o.total, o.id AS n2 FROM customers c"
        " LEFT JOIN orders o ON o.customer_id = c.id ORDER BY c.id, o.id",
    )
    table = found.outcome.table
    assert table.columns == ("n", "note", "total", "n2")
    total = Decimal("10.50") if name in TYPED else 10.5
    assert table.rows[0] == ("Ann", "x", total, 1)
    assert [row[0] for row in table.rows] == ["Ann", "Ann", "Bob", "Cleo"]
    assert table.rows[3][2:] == (None, None)
    assert (found.ordering.is_ordered, table.truncated) == (True, False)
    [(day,)] = run(executor, "SELECT max(day) FROM orders").outcome.table.rows
    typed = dt.date(2024, 2, 1)
    assert day == (typed if name in TYPED else typed.isoformat())


def test_an_empty_result_is_a_table(running):
    """No rows are no failure; names stay where the system tells them."""
    name, executor = running
    table = run(executor, "SELECT id FROM orders WHERE id < 0").outcome.table
    assert (table.columns, tuple(table.rows)) == (() if name == "http" else ("id",), ())


def test_more_rows_than_allowed_are_cut(running):
    """The table says that there was more; the next statement runs as if nothing were."""
    _, executor = running
    table = run(executor, "SELECT id FROM orders", max_rows=2).outcome.table
    assert (len(table.rows), table.truncated) == (2, True)
    assert run(executor, "SELECT 1 AS one").outcome.table.rows[0] == (1,)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT nmae FROM customers", "schema.unknown_column"),
        ("SELECT 1 FROM custmers", "schema.unknown_table"),
        ("SELECT id FROM customers, orders", "schema.ambiguous_ref"),
        ("SELECT id FROM WHERE", "syntax.parse_error"),
    ],
)
def test_a_mistake_has_the_code_of_the_catalog(running, sql, code):
    """Errors have the same codes on every system, as far as it reports them."""
    name, executor = running
    found = run(executor, sql)
    if name in {"general", "http"}:  # no SQLSTATE, and no way to ask
        assert found.outcome.status in {"error", "refused"}
        return
    assert (found.outcome.status, found.failure_code, found.is_fault) == ("error", code, True)
    assert "customers" not in found.outcome.error or code.startswith("schema.")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "SELECT 1; DROP TABLE orders",
        "WITH d AS (DELETE FROM orders RETURNING id) SELECT * FROM d",
        "SELECT load_file('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT getenv('HOME')",
        "SELECT sleep(10)",
        "SELECT * FROM information_schema.tables",
    ],
)
def test_nothing_but_a_query_passes(running, sql):
    """Writes, files, the environment, waits and catalogs do not get near the database."""
    _, executor = running
    assert run(executor, sql).outcome.status in {"refused", "error"}
    assert run(executor, "SELECT count(*) FROM orders").outcome.table.rows[0] == (3,)


@pytest.mark.parametrize("kind", ["huge", "many"])
def test_time_and_rows_are_limited_by_the_engine(running, kind):
    """A statement that would run for long is stopped, and the worker lives on."""
    name, executor = running
    if name not in HUGE:
        pytest.skip("held by the kill of the worker, or by the service")
    if kind == "huge":
        found = run(executor, HUGE[name], timeout_s=0.3)
        assert (found.outcome.status, found.failure_code) == ("timeout", "execution.timeout")
        assert found.engine_class != "killed"
    else:
        assert run(executor, MANY[name], max_rows=100).outcome.table.truncated
    assert run(executor, "SELECT 1 AS one").outcome.table.rows[0] == (1,)


def test_reference_and_prediction_run_in_one_batch(running):
    """Both come back, and see the same data."""
    _, executor = running
    found = executor.run(ExecutionRequest(sql="SELECT 2", reference="SELECT 1", target="shop"))
    assert [each.outcome.table.rows[0] for each in (found.reference, found.prediction)] == [
        (1,),
        (2,),
    ]


def test_a_target_that_cannot_be_reached_is_no_verdict(tmp_path):
    """No engine calls a missing database a failure of the statement."""
    (tmp_path / "text.duckdb").write_text("no database")
    targets = [
        Target.from_url("mysql", "mysql://ann:secret@127.0.0.1:1/x"),
        Target.from_url("duckdb", f"duckdb:///{tmp_path}/none.duckdb"),
        Target.from_url("text", f"duckdb:///{tmp_path}/text.duckdb"),
        Target.from_url(
            "driver",
            "snowflake://ann:secret@nowhere/x",
            access=Access(cost=CostLimits(daily_seconds=600)),
        ),
        Target.from_url("general", f"sqlalchemy+sqlite:///{tmp_path}/no/such.db"),
        Target(alias="http", system="http", url="http://127.0.0.1:1/", http=QUERY),
        Target(alias="nothing", system="http", url="http://127.0.0.1:1/"),
    ]
    with Executor(targets, workers=1) as executor:
        for target in targets:
            found = executor.run(ExecutionRequest(sql="SELECT 1", target=target.alias)).prediction
            assert (found.outcome.status, found.reason) == ("not_run", "target_unavailable")
            assert "secret" not in found.outcome.error


@pytest.mark.mariadb
def test_a_privileged_mysql_login_is_rejected(mariadb):
    """A role that may write files gets no statement."""
    target = Target.from_url("root", mariadb.url("shop"))
    with Executor([target], workers=1) as executor:
        found = executor.run(ExecutionRequest(sql="SELECT 1", target="root")).prediction
    assert found.outcome.error.startswith("the role may do too much (ALL PRIVILEGES)")


@pytest.mark.mariadb
@pytest.mark.parametrize("scheme", ["mysql", "sqlalchemy+mysql+pymysql"])
def test_what_a_role_of_mysql_brings_counts(mariadb, scheme):
    """Also through a default role, and a role within it; all rights on one database are harmless."""
    mariadb.run(
        "CREATE ROLE filing; GRANT FILE ON *.* TO filing; CREATE ROLE office;"
        "GRANT filing TO office; GRANT SELECT ON shop.* TO office;"
        "CREATE USER filer@'%' IDENTIFIED BY 'secret'; GRANT office TO filer@'%';"
        "SET DEFAULT ROLE office FOR filer@'%';"
        "CREATE USER owner@'%' IDENTIFIED BY 'secret'; GRANT ALL PRIVILEGES ON shop.* TO owner@'%'"
    )
    try:
        url = f"{scheme}://{{}}:secret@127.0.0.1:{mariadb.port}/shop"
        targets = [Target.from_url(user, url.format(user)) for user in ("filer", "owner")]
        with Executor(targets, workers=1) as executor:
            found = [
                executor.run(ExecutionRequest(sql="SELECT 1", target=target.alias)).prediction
                for target in targets
            ]
    finally:
        mariadb.run("DROP USER filer@'%', owner@'%'; DROP ROLE office, filing")
    assert [one.outcome.status for one in found] == ["not_run", "ok"]
    assert found[0].outcome.error == (
        "the role may do too much (FILE); give the target a role with SELECT only"
    )


@pytest.fixture(scope="module", params=["mysql", "sqlalchemy+mysql+pymysql"])
def mysql_target(request, mariadb) -> Target:
    """MariaDB behind its own engine and behind the general one; only `orders` may be read."""
    url = f"{request.param}://reader:secret@127.0.0.1:{mariadb.port}/shop"
    return Target.from_url("shop", url, policy=Policy(allowed_tables=frozenset({"orders"})))


HIDDEN = [
    ("NO_BACKSLASH_ESCAPES", r"SELECT '\', (SELECT max(name) FROM customers) -- '"),
    ("ANSI_QUOTES", r'''SELECT 1 AS "\", (SELECT max(name) FROM customers) -- "'''),
    ("ANSI", r'''SELECT 1 AS "\", (SELECT max(name) FROM customers) -- "'''),
    ("ORACLE", r'''SELECT 1 AS "\", (SELECT max(name) FROM customers) -- "'''),
]
"""Modes of a server, and statements that read in them what the gate takes for a string."""


@pytest.mark.mariadb
@pytest.mark.parametrize(("modes", "sql"), HIDDEN, ids=[modes for modes, _ in HIDDEN])
def test_a_server_s_modes_hide_nothing_from_the_gate(mariadb, mysql_target, modes, sql):
    """Strings end where the gate sees their end, whatever the server's own modes."""
    mariadb.run(f"SET GLOBAL sql_mode = '{modes},STRICT_TRANS_TABLES'")
    try:
        with Executor([mysql_target], workers=1) as executor:
            hidden = run(executor, sql)
            plain = run(executor, r"""SELECT 'it\'s', "a", count(*) FROM orders""")
    finally:
        mariadb.run("SET GLOBAL sql_mode = DEFAULT")
    assert hidden.outcome.table is None or "Cleo" not in str(hidden.outcome.table.rows)
    assert plain.outcome.table.rows == (("it's", "a", 3),)


@pytest.mark.mariadb
def test_variables_of_a_statement_are_gone_at_the_next(mysql_target):
    """A user's variable lives within its statement; the server's own are rejected."""
    counted = (
        "SELECT count(*), max(n) FROM (SELECT @r := @r + 1 AS n FROM orders, (SELECT @r := 0) z) x"
    )
    unset = "SELECT id FROM orders WHERE @r IS NULL AND id = 1"
    texts = (counted, "SELECT @r", counted, unset)
    with Executor([mysql_target], workers=1) as executor:
        found = [run(executor, sql) for sql in texts]
        found += executor.run_all([(sql, Limits()) for sql in texts], target="shop")
        setting = run(executor, "SELECT @@datadir")
    assert [one.outcome.table.rows for one in found] == [
        ((3, 3),),
        ((None,),),
        ((3, 3),),
        ((1,),),
    ] * 2
    assert setting.refusal == "system_object"


@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        ("SELECT * FROM (SHOW TABLES)", "system_object"),
        ("SELECT * FROM (show orders) x", "system_object"),
        ("SELECT (SHOW TABLES)", "system_object"),
        ("SELECT * FROM (DESC orders)", "system_object"),
        ('SELECT * FROM ("show")', None),
        ("SELECT count('show') FROM orders ORDER BY (1) DESC", None),
    ],
)
def test_duckdb_s_catalog_is_not_shown_in_a_subquery(sql, refusal):
    """What shows tables and columns is the engine's own, where it stands as a relation too."""
    decision = admit(sql, dialect="duckdb", policy=Policy())
    assert getattr(decision, "refusal", None) == refusal


@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        ("SELECT a FROM v CONTEXT ('i18n' = 'us_est')", None),
        ("WITH x AS (SELECT 1) SELECT * FROM x;", None),
        ("SELECT 'delete; from' AS x, \"update\" FROM v", None),
        ("SELECT 1; SELECT 2", "several_statements"),
        ("DROP VIEW v", "not_read_only"),
        ("WITH x AS (SELECT 1) DELETE FROM v", "not_read_only"),
        ("", "empty"),
        (";", "empty"),
        ("SELECT 'a", "not_parsed"),
    ],
)
def test_without_a_dialect_the_leading_keyword_decides(sql, refusal):
    """A language that no parser reads passes as one statement that gives rows."""
    decision = admit(sql, dialect="none", policy=Policy())
    if refusal is None:
        assert isinstance(decision, Admission)
    else:
        assert isinstance(decision, Refused)
        assert decision.refusal == refusal


def test_a_url_names_its_engine():
    """Systems of their own, everything that SQLAlchemy knows, and nothing else."""
    assert Target.from_url("x", "mariadb+pymysql://h/x").system == "mysql"
    general = Target.from_url("x", "mssql+pyodbc://h/x")
    assert (general.system, general.dialect) == ("sqlalchemy", "tsql")
    for url, message in {
        "nothing://x": "cannot execute on 'nothing'",
        "duckdb://": "the URL has no file",
        "http://x": "needs an `HttpQuery`",
    }.items():
        with pytest.raises(ConfigError, match=message):
            Target.from_url("x", url)


def test_rows_that_are_digested_are_not_held(running):
    """All rows count, beyond the caps; both ways of sorting are one bag and two sequences."""
    name, executor = running
    limits = Limits(max_rows=1, max_bytes=1)
    statements = [
        (f"SELECT * FROM orders ORDER BY id {way}", limits) for way in ("ASC", "DESC", "ASC")
    ]
    up, down, again = (one.digest for one in executor.digest_all(statements, target="shop"))
    if name == "http":
        assert up is None
        return
    counted = run(executor, "SELECT count(*) FROM orders").outcome.table.rows[0][0]
    assert (up.count, down.count, up == again) == (counted, counted, True)
    assert (up.total, up.parity) == (down.total, down.parity)
    assert up.sequence != down.sequence
    [fault] = executor.digest_all([("SELECT gone FROM orders", limits)], target="shop")
    assert (fault.digest, fault.outcome.status) == (None, "error")
