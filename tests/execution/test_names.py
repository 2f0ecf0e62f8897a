"""No code of a database's users runs, and nothing else is rejected: part of the whole lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import psycopg
import pytest

from sqlobs import Policy
from sqlobs.execution.executor import Executor
from sqlobs.execution.live import live_engine
from sqlobs.execution.outcome import ExecutionRequest
from sqlobs.execution.target import Target
from tests.execution.attacks import ending
from tests.execution.hostile_names import FileArena, MySqlArena, PostgresArena, failures, listed
from tests.servers import MariaDbServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers import PostgresServer

GRANT = "GRANT SET ON PARAMETER log_min_messages TO clerk"
PART = 5
"""Every fifth statement of the lists; `python -m tests.execution.hostile_names` runs all."""


@pytest.fixture(scope="module")
def postgres_arena(postgres: PostgresServer) -> PostgresArena:
    """The traps of PostgreSQL."""
    return PostgresArena(postgres)


@pytest.fixture(scope="module")
def mysql_arena() -> Iterator[MySqlArena]:
    """The traps of MariaDB."""
    server = MariaDbServer()
    try:
        yield MySqlArena(server.start())
    finally:
        server.stop()


@pytest.mark.parametrize("engine", ["duckdb", "mysql", "postgres", "sqlite"])
def test_the_word_lists_are_complete(engine: str):
    """Each engine has its attacks and its legitimate statements, each once."""
    attacks, legitimate = listed(engine, "attacks"), listed(engine, "legitimate")
    assert (len(attacks) >= 40, len(legitimate) >= 100) == (True, True)
    assert len({*attacks, *legitimate}) == len(attacks) + len(legitimate)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_a_file_calls_nothing_unlisted(engine: str, tmp_path: Path):
    """Neither macros in the place of functions and operators, nor what views and columns call."""
    if engine == "duckdb" and _keeps_its_own_macros():
        pytest.skip("this DuckDB lets nobody replace its own macros: the lists are of a later one")
    assert failures(FileArena(engine, tmp_path / "names.db"), "file", engine) == []


def _keeps_its_own_macros() -> bool:
    """Return whether this DuckDB refuses a macro in the place of one of its own."""
    with duckdb.connect() as connection:
        try:
            connection.execute("CREATE MACRO nullif(a, b) AS 1")
        except duckdb.CatalogException:
            return True
    return False


def test_duckdb_expands_what_the_policy_lists(tmp_path: Path):
    """By itself and in a view; another macro is rejected."""
    url = FileArena("duckdb", tmp_path / "names.db").targets["file"].url
    target = Target.from_url("listed", url, policy=Policy(allowed_functions={"sings"}))
    statements = ("SELECT sings(1)", "SELECT * FROM deep", "SELECT ran FROM computed")
    with Executor([target], workers=1) as executor:
        found = {
            sql: ending(executor.run(ExecutionRequest(sql=sql, target="listed")).prediction)
            for sql in (*statements, "SELECT outer_macro(1)")
        }
    assert found == dict.fromkeys(statements, "ok") | {
        "SELECT outer_macro(1)": "function_not_allowed"
    }


@pytest.mark.postgres
@pytest.mark.parametrize("role", ["reader", "clerk", "postgres"])
def test_postgres_runs_no_code_of_users(postgres_arena: PostgresArena, role: str):
    """Whatever leads to it: attribute notation, operators, casts, views, policies, planning."""
    assert failures(postgres_arena, role, "postgres", step=PART) == []


@pytest.mark.postgres
def test_postgres_runs_what_the_policy_lists(postgres_arena: PostgresArena):
    """A view calls a listed function; the same view is rejected without it."""
    url = postgres_arena.targets["postgres"].url
    policy = Policy(allowed_functions={"canary", "on_row"})
    targets = [Target.from_url("listed", url, policy=policy), Target.from_url("strict", url)]
    with Executor(targets, workers=1) as executor:
        found = {
            alias: ending(executor.run(ExecutionRequest(sql=sql, target=alias)).prediction)
            for alias, sql in (
                ("listed", "SELECT * FROM baited WHERE false"),
                ("strict", "SELECT * FROM baited WHERE false"),
            )
        }
    assert found == {"listed": "ok", "strict": "function_not_allowed"}
    assert postgres_arena.has_sung() is False


@pytest.mark.postgres
def test_the_server_s_log_is_suppressed_if_the_role_may_do_so(
    postgres: PostgresServer, postgres_arena: PostgresArena
):
    """A tree is written to the log, unless the role may set `log_min_messages`."""

    def trees() -> int:
        return (postgres.directory / "log").read_text().count("rewritten parse tree")

    with Executor([postgres_arena.targets["clerk"]], workers=1) as executor:
        counts = [trees()]
        for grant in ("REVOKE SET ON PARAMETER log_min_messages FROM clerk", GRANT):
            with psycopg.connect(postgres.url("names"), autocommit=True) as admin:
                admin.execute(grant)
            outcome = executor.run(
                ExecutionRequest(sql="SELECT t.on_row FROM bait t", target="clerk")
            )
            assert ending(outcome.prediction) == "function_not_allowed"
            counts.append(trees())
    assert (counts[1] > counts[0], counts[2] == counts[1]) == (True, True)


@pytest.mark.parametrize("role", ["reader", "plain"])
def test_mariadb_calls_no_function_of_users(mysql_arena: MySqlArena, role: str):
    """Under the names of built-in functions, behind views, and while preparing."""
    assert failures(mysql_arena, role, "mysql", step=PART) == []


def test_a_view_of_mariadb_whose_definition_is_hidden_is_refused(mysql_arena: MySqlArena):
    """What it calls cannot be known; the message says what to grant."""
    url = mysql_arena.targets["plain"].url.replace("plain", "blind")
    with Executor([Target.from_url("blind", url)], workers=1) as executor:
        outcome = executor.run(
            ExecutionRequest(sql="SELECT * FROM deep", target="blind")
        ).prediction
    assert (outcome.refusal, outcome.outcome.error) == (
        "function_not_allowed",
        "function_not_allowed: deep (its definition is hidden from the role: GRANT SHOW VIEW)",
    )
    assert mysql_arena.has_sung() is False


def test_mariadb_calls_what_the_policy_lists(mysql_arena: MySqlArena):
    """By itself, and where a view calls it."""
    url = mysql_arena.targets["reader"].url
    policy = Policy(allowed_functions={"any_value", "canary"})
    with Executor([Target.from_url("listed", url, policy=policy)], workers=1) as executor:
        found = [
            ending(executor.run(ExecutionRequest(sql=sql, target="listed")).prediction)
            for sql in ("SELECT any_value(id) FROM customers", "SELECT * FROM deeper")
        ]
    assert (found, mysql_arena.has_sung()) == (["ok", "ok"], True)


@pytest.mark.postgres
def test_a_live_engine_analyzes_no_literal_that_a_check_of_users_reads(
    postgres_arena: PostgresArena,
):
    """Reading `'{x}'` as an array of a domain calls the domain's check while parsing."""
    engine = live_engine(postgres_arena.targets["reader"].url)
    assert engine.verdict("SELECT '{x}'::price[]") is None
    engine.close()
    assert postgres_arena.has_sung() is False


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT round(1.234, sure())",
        "SELECT /*!50000 round(1.234, sure()), */ 1",
        "SELECT id FROM parts",
        "SELECT id FROM `names` . `parts`",
        "SELECT id FROM decimals WHERE '",
    ],
)
def test_a_live_engine_prepares_nothing_that_calls_functions(mysql_arena: MySqlArena, sql: str):
    """PREPARE calls deterministic functions whose value it wants to know."""
    engine = live_engine(mysql_arena.targets["reader"].url)
    found = engine.verdict(sql), engine.verdict("SELECT nme FROM customers")
    engine.close()
    assert (found[0], found[1].code) == (None, "schema.unknown_column")
    assert mysql_arena.has_sung() is False


NAMED_ONLY = """
CREATE TABLE t (id int);
INSERT INTO t VALUES (1);
CREATE FUNCTION "Été"(t) RETURNS text LANGUAGE sql AS $$ SELECT 'ran' $$;
CREATE FUNCTION note(anyelement) RETURNS text LANGUAGE sql AS $$ SELECT 'ran' $$;
CREATE FUNCTION abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk(t) RETURNS text
  LANGUAGE sql AS $$ SELECT 'ran' $$;
CREATE VIEW v AS SELECT note(id) FROM t;
CREATE VIEW w AS SELECT * FROM v;
CREATE TABLE guarded (id int);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON guarded USING (note(id) = 'ran');
GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC;
"""


@pytest.mark.postgres
def test_names_alone_determine_the_question_field(postgres: PostgresServer):
    """Where no operator or cast of users makes every statement suspicious, names must do."""
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute("CREATE DATABASE named_only")
    with psycopg.connect(postgres.url("named_only")) as connection:
        connection.execute(NAMED_ONLY)
    long = "abcdefghijklmnopqrstuvwxyz" * 3
    refused = (
        *("SELECT t.Été FROM t", 'SELECT t."Été" FROM t', "SELECT t.note FROM t"),
        *(f"SELECT t.{long} FROM t", "SELECT * FROM v", "SELECT * FROM w", "SELECT * FROM guarded"),
    )
    allowed = ("SELECT id FROM t", "SELECT id AS note FROM t", "SELECT round(id) FROM t")
    target = Target.from_url("t", postgres.url("named_only", user="reader"))
    with Executor([target], workers=1) as executor:
        found = {
            sql: ending(executor.run(ExecutionRequest(sql=sql, target="t")).prediction)
            for sql in (*refused, *allowed)
        }
    assert found == {
        **dict.fromkeys(refused, "function_not_allowed"),
        **dict.fromkeys(allowed, "ok"),
    }
