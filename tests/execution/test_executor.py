"""What comes of a request: tables, failures, limits, and the pair in one snapshot."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest

from sqlobs.errors import ConfigError
from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest, PairOutcome
from sqlobs.execution.process import PoolClosedError
from sqlobs.execution.target import Limits, Target
from sqlobs.metrics.ordering import UNORDERED, Ordering
from sqlobs.types import ExecutionOutcome
from tests.execution.attacks import ENDLESS, ending
from tests.execution.conftest import BURN

if TYPE_CHECKING:
    from pathlib import Path


def run(executor: Executor, sql: str, **limits: float) -> Execution:
    """Run one statement on the target `shop`."""
    request = ExecutionRequest(sql=sql, target="shop", limits=Limits(**limits))
    return executor.run(request).prediction


@pytest.fixture
def made(tmp_path: Path):
    """Make an executor on a SQLite database with the given contents."""
    executors = []

    def make(script: str, *, journal: str = "delete") -> tuple[Executor, sqlite3.Connection]:
        """Make the database, an executor on it and a connection that may write."""
        connection = sqlite3.connect(tmp_path / "made.db", isolation_level=None)
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.executescript(script)
        executor = Executor([Target.from_url("shop", f"sqlite:///{tmp_path}/made.db")], workers=1)
        executors.append((executor, connection))
        return executor, connection

    yield make
    for executor, connection in executors:
        executor.close()
        connection.close()


def test_a_pair_gives_two_tables_of_one_snapshot(sqlite_shop: Executor):
    """Columns keep order, names repeat as they please, and the tree's facts come along."""
    outcome = sqlite_shop.run(
        ExecutionRequest(
            sql="SELECT id, name AS id FROM customers LIMIT 2",
            reference="SELECT name FROM customers ORDER BY 1",
            target="shop",
        )
    )
    assert outcome.same_snapshot
    table = outcome.prediction.outcome.table
    assert (table.columns, table.rows) == (("id", "id"), ((1, "Ann"), (2, "Bob")))
    assert outcome.prediction.volatile == {"unordered_limit"}
    assert outcome.reference.outcome.table.rows == (("Ann",), ("Bob",), ("Cleo",))
    assert outcome.reference.ordering == Ordering(is_ordered=True, keys=(0,))
    assert outcome.prediction.ordering == UNORDERED
    assert outcome.prediction.outcome.elapsed_s > 0


@pytest.mark.parametrize(
    ("sql", "verdict"),
    [
        ("SELECT * FROM invoices", ("schema.unknown_table", False)),
        ("SELECT revenue FROM orders", ("schema.unknown_column", False)),
        ("SELECT id FROM orders JOIN customers ON 1", ("schema.ambiguous_ref", False)),
        ("SELECT id FROM orders WHERE count(*) > 1", ("schema.grouping", False)),
        ("SELECT datediff(day, day) FROM orders", ("syntax.dialect_mismatch", False)),
        ("SELECT lower(name, 1) FROM customers", ("syntax.dialect_mismatch", False)),
        ("SELECT FROM WHERE", ("syntax.parse_error", False)),
        ("Here is the query you want", ("syntax.parse_error", False)),
        ("SELECT abs(-9223372036854775808)", ("execution.engine_error", None)),
        ("SELECT json('{')", ("execution.engine_error", None)),
        ("SELECT * FROM orders WHERE id = ?", ("execution.engine_error", None)),
        (ENDLESS, ("execution.timeout", None)),
    ],
)
def test_sqlite_errors_get_their_code(
    sqlite_shop: Executor, sql: str, verdict: tuple[str, bool | None]
):
    """Only what SQLite finds in preparing the statement is a verdict on the SQL."""
    execution = run(sqlite_shop, sql, timeout_s=0.3)
    assert (execution.failure_code, execution.accepted) == verdict
    assert execution.outcome.table is None
    assert execution.not_evaluated is None


def test_27_the_engine_itself_ends_a_statement_at_its_limit(sqlite_shop: Executor):
    """The test suite's 60 s never fire: its coroutine holds the loop that should end it."""
    execution = run(sqlite_shop, ENDLESS, timeout_s=0.2)
    assert (execution.outcome.status, execution.outcome.table) == ("timeout", None)
    assert run(sqlite_shop, "SELECT 1", timeout_s=5).outcome.table.rows == ((1,),)


def test_messages_name_no_values(sqlite_shop: Executor):
    """A literal of the question does not travel in an error."""
    execution = run(
        sqlite_shop, "SELECT * FROM customers WHERE name = \"North West\" 'Ann Example'"
    )
    assert execution.outcome.error == "near ?: syntax error"


def test_rows_beyond_the_cap_are_not_fetched(sqlite_shop: Executor):
    """A result of exactly the cap is whole; one more row makes it truncated."""
    whole = run(sqlite_shop, "SELECT id FROM customers", max_rows=3)
    cut = run(sqlite_shop, "SELECT id FROM customers", max_rows=2)
    assert (len(whole.outcome.table.rows), whole.is_truncated) == (3, False)
    assert (cut.outcome.table.rows, cut.is_truncated) == (((1,), (2,)), True)


def test_many_rows_arrive_in_order_and_whole(sqlite_shop: Executor):
    """Chunks are an affair of transport."""
    numbers = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 50000)"
    table = run(sqlite_shop, f"{numbers} SELECT x, 'row ' || x FROM r").outcome.table
    assert list(table.rows) == [(x, f"row {x}") for x in range(1, 50_001)]


def test_bytes_beyond_the_cap_are_not_fetched(sqlite_shop: Executor):
    """What arrives never weighs more than allowed, even where one row does."""
    numbers = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 5000)"
    cut = run(sqlite_shop, f"{numbers} SELECT x, printf('%1000d', x) FROM r", max_bytes=1_000_000)
    assert cut.is_truncated
    assert 100 < len(cut.outcome.table.rows) < 1000
    huge = run(sqlite_shop, "SELECT printf('%900000d', 1)", max_bytes=1000)
    assert (huge.is_truncated, huge.outcome.table.rows) == (True, ())


def test_a_cell_beyond_its_cap_is_no_verdict_on_the_sql(made):
    """A database may hold larger values than we read."""
    executor, _ = made("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000));")
    execution = run(executor, "SELECT a FROM t", max_cell_bytes=50_000)
    assert ending(execution) == "execution.timeout"
    assert (execution.engine_class, execution.accepted) == ("SQLITE_TOOBIG", None)


def test_every_kind_of_value_arrives_as_stored(made):
    """Text that is no UTF-8 stays bytes; infinities, blobs, NULLs and big integers stay."""
    executor, connection = made("CREATE TABLE t (a, b, c, d, e, f);")
    stored = (2**63 - 1, float("inf"), b"\x00\xff", None, "snow ☃\n", -0.0)
    connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", stored)
    connection.execute("INSERT INTO t (a) VALUES (CAST(x'616263ff' AS TEXT))")
    first, second = run(executor, "SELECT * FROM t").outcome.table.rows
    assert first == stored
    assert second == (b"abc\xff", None, None, None, None, None)


def test_text_that_is_no_utf8_costs_no_row(made):
    """Rows before it, after it, and those of the next statement arrive as they are stored."""
    executor, connection = made("CREATE TABLE t (a, b);")
    other = "INSERT INTO t VALUES (CAST(x'61ff' AS TEXT), CAST(x'c3' AS TEXT))"
    expected: list[tuple[object, ...]] = []
    for number in range(500):
        connection.execute("INSERT INTO t VALUES (?, ?)", (number, f"né {number}"))
        expected.append((number, f"né {number}"))
        if number in {0, 63, 64, 65, 498}:  # 64 rows are fetched first
            connection.execute(other)
            expected.append((b"a\xff", b"\xc3"))
    assert list(run(executor, "SELECT a, b FROM t").outcome.table.rows) == expected
    assert run(executor, "SELECT b FROM t WHERE a = 7").outcome.table.rows == (("né 7",),)


def test_no_columns_and_no_rows(sqlite_shop: Executor):
    """An empty result still has its columns."""
    table = run(sqlite_shop, "SELECT id, name FROM customers WHERE 0").outcome.table
    assert (table.columns, table.rows) == (("id", "name"), ())


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_pair_sees_one_state_while_another_writes(made, journal: str):
    """Counts taken before and after a long look agree, though rows are added all the time."""
    executor, connection = made("CREATE TABLE t (a); INSERT INTO t VALUES (1);", journal=journal)
    stop = threading.Event()

    def write(path: str) -> None:
        with sqlite3.connect(path, isolation_level=None, timeout=20) as writer:
            writer.execute("PRAGMA synchronous = OFF")  # a slow disk must not hold the lock
            while not stop.wait(0.01):
                writer.execute("INSERT INTO t VALUES (1)")
        writer.close()

    path = connection.execute("PRAGMA database_list").fetchone()[2]
    thread = threading.Thread(target=write, args=(path,))
    thread.start()
    try:
        for _ in range(20):
            outcome = executor.run(
                ExecutionRequest(
                    sql="SELECT count(*) FROM t", reference="SELECT sum(a) FROM t", target="shop"
                )
            )
            assert outcome.same_snapshot
            assert outcome.prediction.outcome.table.rows == outcome.reference.outcome.table.rows
    finally:
        stop.set()
        thread.join()


def test_a_killed_reference_does_not_take_the_prediction_with_it(sqlite_shop: Executor):
    """The other statement runs on a fresh worker; the two then share no snapshot."""
    outcome = sqlite_shop.run(
        ExecutionRequest(
            sql="SELECT count(*) FROM orders",
            reference=BURN,
            target="shop",
            reference_limits=Limits(timeout_s=0.1),
        )
    )
    assert outcome.reference.engine_class == "killed"
    assert outcome.reference.outcome.status == "timeout"
    assert outcome.prediction.outcome.table.rows == ((3,),)
    assert not outcome.same_snapshot


def test_a_refused_prediction_leaves_the_reference_its_table(sqlite_shop: Executor):
    """Whether the reference works is known anyway."""
    outcome = sqlite_shop.run(
        ExecutionRequest(sql="DROP TABLE orders", reference="SELECT 1", target="shop")
    )
    assert outcome.prediction.not_evaluated == "refused"
    assert outcome.prediction == Execution(
        outcome=ExecutionOutcome(status="refused", error="not_read_only: drop"),
        refusal="not_read_only",
    )
    assert outcome.reference.outcome.table.rows == ((1,),)


def test_an_unknown_target_is_reported_for_prediction_and_reference(sqlite_shop: Executor):
    """No target, no verdict."""
    missing = Execution(
        outcome=ExecutionOutcome(status="not_run", error="this target is not configured"),
        reason="no_target",
    )
    outcome = sqlite_shop.run(
        ExecutionRequest(sql="SELECT 1", reference="SELECT 1", target="elsewhere")
    )
    assert outcome == PairOutcome(prediction=missing, reference=missing)


def test_a_target_that_binds_the_tenant_rejects_units_without_one(shop_file: Path):
    """Session settings are those the target names: not fewer, not others."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}", session=("app.tenant",))
    with Executor([target], workers=1) as executor:
        for session in ({}, {"role": "admin"}, {"app.tenant": "1", "role": "admin"}):
            outcome = executor.run(ExecutionRequest(sql="SELECT 1", target="shop", session=session))
            assert outcome.prediction.refusal == "session_missing"
        bound = executor.run(
            ExecutionRequest(sql="SELECT 1", target="shop", session={"app.tenant": "1"})
        )
        assert bound.prediction.reason == "target_unavailable"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot open the file: no such file or directory"),
        (b"no database at all, but long enough to be looked at" * 40, "file is not a database"),
        (b"SQLite format 3\0" + bytes(range(256)) * 32, ""),
    ],
)
def test_a_file_that_is_no_database_is_no_target(
    tmp_path: Path, content: bytes | None, message: str
):
    """Missing, foreign or crafted: unavailable, with a sentence that names no path."""
    path = tmp_path / "broken.db"
    if content is not None:
        path.write_bytes(content)
    with Executor([Target.from_url("shop", f"sqlite:///{path}")], workers=1) as executor:
        execution = run(executor, "SELECT 1 FROM t")
    assert execution.not_evaluated == "target_unavailable"
    assert message in execution.outcome.error
    assert str(path) not in execution.outcome.error


def test_a_database_damaged_behind_its_header_is_no_verdict(made, tmp_path: Path):
    """Corruption speaks of the target, not of the SQL; the worker lives on."""
    executor, connection = made(
        "CREATE TABLE t (a); CREATE TABLE u (a); INSERT INTO u VALUES (1);"
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 5000)"
        "INSERT INTO t SELECT x FROM r;"
    )
    connection.close()
    path = tmp_path / "made.db"
    content = bytearray(path.read_bytes())
    content[4096 * 4 :] = b"\xff" * len(content[4096 * 4 :])
    path.write_bytes(content)
    assert run(executor, "SELECT sum(a) FROM t").reason == "target_unavailable"
    assert run(executor, "SELECT a FROM u").outcome.table.rows == ((1,),)


def test_a_replaced_file_is_opened_anew(made, tmp_path: Path):
    """A database that is swapped in place is read in its new form at once."""
    executor, _connection = made("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    assert run(executor, "SELECT a FROM t").outcome.table.rows == ((1,),)
    with sqlite3.connect(tmp_path / "next.db") as following:
        following.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (2);")
    following.close()
    (tmp_path / "next.db").rename(tmp_path / "made.db")
    assert run(executor, "SELECT a FROM t").outcome.table.rows == ((2,),)
    (tmp_path / "made.db").unlink()
    assert run(executor, "SELECT a FROM t").reason == "target_unavailable"


def test_a_writer_that_holds_the_file_makes_it_unavailable(made):
    """A lock says nothing about the SQL."""
    executor, connection = made("CREATE TABLE t (a);")
    connection.execute("BEGIN EXCLUSIVE")
    assert run(executor, "SELECT a FROM t").reason == "target_unavailable"
    connection.execute("ROLLBACK")
    assert run(executor, "SELECT a FROM t").outcome.status == "ok"


def test_full_text_tables_can_be_searched(made):
    """Virtual tables read their own shadow tables."""
    executor, _ = made("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('red fox');")
    table = run(executor, "SELECT a, rank < 0 FROM t WHERE t MATCH 'fox'").outcome.table
    assert table.rows == (("red fox", 1),)


def test_many_targets_share_few_workers(tmp_path: Path):
    """A worker holds a few targets open and lets the oldest go."""
    targets = []
    for number in range(12):
        path = tmp_path / f"{number}.db"
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS a")
        connection.close()
        targets.append(Target.from_url(str(number), f"sqlite:///{path}"))
    with Executor(targets, workers=1) as executor:
        for _ in range(2):
            rows = [
                executor.run(
                    ExecutionRequest(sql="SELECT a FROM t", target=target.alias)
                ).prediction.outcome.table.rows
                for target in targets
            ]
            assert rows == [((number,),) for number in range(12)]


def test_an_event_loop_is_not_blocked(sqlite_shop: Executor):
    """While a statement runs, the loop does other things."""

    async def both() -> tuple[PairOutcome, int]:
        """Run the statement and count what the loop does meanwhile."""
        ticks = 0
        request = ExecutionRequest(sql=ENDLESS, target="shop", limits=Limits(timeout_s=0.3))
        task = asyncio.ensure_future(sqlite_shop.run_async(request))
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return await task, ticks

    outcome, ticks = asyncio.run(both())
    assert ending(outcome.prediction) == "execution.timeout"
    assert ticks > 3


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nothing://ann:secret@host/shop", "target shop: cannot execute on 'nothing'"),
        ("sqlite://", "target shop: the URL has no file"),
        (
            "shop.db",
            "target shop: not a database URL; write it as sqlite:///shop.db, postgresql://…",
        ),
        ("postgresql://[::1/x", "target shop: the URL is invalid; check host and port"),
        ("mysql://ann:secret/s@h/x", "target shop: the URL is invalid; check host"),
    ],
)
def test_a_url_that_cannot_be_a_target_is_a_mistake(url: str, message: str):
    """Said when the target is made, without the password."""
    with pytest.raises(ConfigError, match=message) as raised:
        Target.from_url("shop", url)
    assert "secret" not in str(raised.value)


def test_a_targets_url_is_in_no_repr():
    """Passwords do not reach logs."""
    target = Target.from_url("shop", "postgresql+psycopg://ann:secret@host/shop")
    assert "secret" not in repr(target)
    assert target.dsn == "postgresql://ann:secret@host/shop"


@pytest.mark.parametrize("limits", [{"timeout_s": 0}, {"max_rows": -1}, {"max_bytes": 0}])
def test_limits_are_greater_than_nothing(limits: dict[str, float]):
    """A limit of zero is a mistake, not a wish for no limit."""
    with pytest.raises(ConfigError, match=f"the limit {next(iter(limits))} must be greater than 0"):
        Limits(**limits)


def test_two_targets_of_one_alias_are_a_mistake(shop_file: Path):
    """Which of them was meant cannot be known."""
    target = Target.from_url("shop", f"sqlite:///{shop_file}")
    with pytest.raises(ConfigError, match="two targets have the same alias"):
        Executor([target, target])


def test_a_closed_executor_rejects_requests(shop_file: Path):
    """Closing twice is fine."""
    executor = Executor([Target.from_url("shop", f"sqlite:///{shop_file}")], workers=1)
    executor.close()
    executor.close()
    with pytest.raises(PoolClosedError, match="the executor is closed"):
        run(executor, "SELECT 1")
