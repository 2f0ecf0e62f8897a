"""Statements that must do nothing: numbered as in the list of attacks, each with what stops it.

What stops a statement is a refusal of the gate, a failure code of the engine or the clock, or
`truncated` for results that were cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlobs.execution.outcome import Execution


class Attack(NamedTuple):
    """One hostile statement."""

    number: int
    sql: str
    stopped_by: str


def ending(execution: Execution) -> str:
    """Return in a word what came of a statement."""
    if execution.refusal or execution.reason:
        return execution.refusal or execution.reason
    if execution.outcome.status == "ok":
        return "truncated" if execution.is_truncated else "ok"
    return execution.failure_code


WRITE, CALL, SYSTEM = "not_read_only", "function_not_allowed", "system_object"
TIME, MANY, SYNTAX = "execution.timeout", "several_statements", "syntax.parse_error"
UNKNOWN, COST = "syntax.dialect_mismatch", "too_costly"

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"

POSTGRES = [
    Attack(1, "INSERT INTO orders VALUES (9, 9, 9, NULL)", WRITE),
    Attack(1, "UPDATE orders SET total = 0", WRITE),
    Attack(1, "DELETE FROM orders", WRITE),
    Attack(1, "TRUNCATE orders", WRITE),
    Attack(
        1,
        "MERGE INTO orders o USING customers c ON o.id = c.id WHEN MATCHED THEN DELETE",
        WRITE,
    ),
    Attack(2, "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x", WRITE),
    Attack(2, "WITH x AS (INSERT INTO orders VALUES (9) RETURNING *) SELECT * FROM x", WRITE),
    Attack(
        2,
        "SELECT * FROM (WITH x AS (UPDATE orders SET total = 0 RETURNING *) SELECT * FROM x) y",
        WRITE,
    ),
    Attack(3, "SELECT * INTO copied FROM orders", WRITE),
    Attack(3, "SELECT 1 INTO TEMP copied", WRITE),
    Attack(4, "CREATE TABLE copied AS SELECT * FROM orders", WRITE),
    Attack(4, "CREATE TEMP TABLE copied (a int)", WRITE),
    Attack(5, "SELECT * FROM orders FOR UPDATE", WRITE),
    Attack(5, "SELECT * FROM orders FOR SHARE", WRITE),
    Attack(5, "SELECT * FROM (SELECT * FROM orders FOR NO KEY UPDATE) x", WRITE),
    Attack(6, "SELECT nextval('tickets')", CALL),
    Attack(6, "SELECT setval('tickets', 100)", CALL),
    Attack(7, "SELECT pg_sleep(60)", CALL),
    Attack(7, "SELECT pg_catalog.pg_sleep(60)", CALL),
    Attack(7, 'SELECT "pg_sleep"(60)', CALL),
    Attack(7, 'SELECT pg_catalog . "pg_sleep" (60)', CALL),
    Attack(7, "SELECT pg_sleep/**/(60)", CALL),
    Attack(7, 'SELECT U&"pg\\005Fsleep"(60)', "not_parsed"),
    Attack(25, 'SELECT orders.U&"p\\0075rge" FROM orders', "not_parsed"),
    Attack(7, "SELECT * FROM pg_sleep(60)", CALL),
    Attack(7, "SELECT pg_sleep_for('1 minute')", CALL),
    Attack(7, "WITH pg_sleep(a) AS (SELECT 1) SELECT pg_sleep(60) FROM pg_sleep", CALL),
    Attack(8, "SELECT pg_read_file('/etc/passwd')", CALL),
    Attack(8, "SELECT pg_read_binary_file('/etc/passwd')", CALL),
    Attack(8, "SELECT pg_ls_dir('/')", CALL),
    Attack(8, "SELECT * FROM pg_stat_file('/etc/passwd')", CALL),
    Attack(9, "SELECT lo_import('/etc/passwd')", CALL),
    Attack(9, "SELECT lo_export(1, '/tmp/out')", CALL),
    Attack(9, "SELECT lo_from_bytea(0, 'x')", CALL),
    Attack(9, "SELECT lo_put(1, 0, 'x')", CALL),
    Attack(10, "COPY orders TO '/tmp/out'", WRITE),
    Attack(10, "COPY orders FROM '/etc/passwd'", WRITE),
    Attack(10, "COPY orders TO PROGRAM 'cat > /tmp/out'", WRITE),
    Attack(10, "COPY orders TO STDOUT", WRITE),
    Attack(10, "COPY (DELETE FROM orders RETURNING *) TO STDOUT", WRITE),
    Attack(11, "DO $$ BEGIN DELETE FROM orders; END $$", WRITE),
    Attack(11, "CALL purge()", WRITE),
    Attack(12, "SET statement_timeout = 0", WRITE),
    Attack(12, "SELECT set_config('statement_timeout', '0', false)", CALL),
    Attack(12, "RESET ALL", WRITE),
    Attack(13, "SET TRANSACTION READ WRITE", WRITE),
    Attack(13, "COMMIT", WRITE),
    Attack(13, "ROLLBACK", WRITE),
    Attack(13, "BEGIN", WRITE),
    Attack(13, "END", WRITE),
    Attack(13, "ABORT", WRITE),
    Attack(14, "SET ROLE postgres", WRITE),
    Attack(14, "SET SESSION AUTHORIZATION postgres", WRITE),
    Attack(14, "SELECT set_config('role', 'postgres', false)", CALL),
    Attack(15, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity", CALL),
    Attack(15, "SELECT pg_cancel_backend(1)", CALL),
    Attack(16, "SELECT pg_advisory_lock(1)", CALL),
    Attack(16, "SELECT pg_try_advisory_lock_shared(1)", CALL),
    Attack(17, "NOTIFY here", WRITE),
    Attack(17, "LISTEN here", WRITE),
    Attack(17, "SELECT pg_notify('here', 'x')", CALL),
    Attack(18, "LOCK TABLE orders", WRITE),
    Attack(19, "PREPARE p AS DELETE FROM orders", WRITE),
    Attack(19, "EXECUTE p", WRITE),
    Attack(19, "DEALLOCATE ALL", WRITE),
    Attack(20, "EXPLAIN ANALYZE DELETE FROM orders", WRITE),
    Attack(21, "DECLARE c CURSOR WITH HOLD FOR SELECT 1", WRITE),
    Attack(21, "FETCH ALL FROM sqlobs", WRITE),
    Attack(21, "CLOSE ALL", WRITE),
    Attack(22, "SELECT query_to_xml('DELETE FROM orders', true, true, '')", CALL),
    Attack(22, "SELECT table_to_xml('secrets', true, true, '')", CALL),
    Attack(22, "SELECT database_to_xml(true, true, '')", CALL),
    Attack(22, "SELECT cursor_to_xml('sqlobs', 1, true, true, '')", CALL),
    Attack(22, "SELECT * FROM ts_stat('SELECT to_tsvector(word) FROM secrets')", CALL),
    Attack(22, "SELECT * FROM crosstab('SELECT 1, 2, 3') AS t(a int, b int)", CALL),
    Attack(
        23,
        'SELECT xmlparse(DOCUMENT \'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        "<a>&e;</a>')",
        "not_parsed",
    ),
    Attack(24, "SELECT * FROM dblink('dbname=shop', 'DELETE FROM orders') AS t(a text)", CALL),
    Attack(24, "SELECT dblink_exec('dbname=shop', 'DELETE FROM orders')", CALL),
    Attack(24, "CREATE EXTENSION postgres_fdw", WRITE),
    Attack(24, "LOAD 'auto_explain'", WRITE),
    Attack(24, "IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c", WRITE),
    Attack(25, "SELECT purge()", CALL),
    Attack(25, "SELECT public.purge()", CALL),
    Attack(25, "SELECT purge(orders) FROM orders", CALL),
    Attack(25, "SELECT orders.purge FROM orders", CALL),
    Attack(25, 'SELECT (o)."purge" FROM orders o', CALL),
    Attack(26, "SELECT pg_logical_emit_message(true, 'a', 'b')", CALL),
    Attack(26, "SELECT pg_switch_wal()", CALL),
    Attack(26, "SELECT pg_export_snapshot()", CALL),
    Attack(26, "SELECT txid_current()", CALL),
    Attack(27, "SELECT * FROM pg_shadow", SYSTEM),
    Attack(27, "SELECT * FROM pg_catalog.pg_authid", SYSTEM),
    Attack(27, 'SELECT * FROM "pg_stat_activity"', SYSTEM),
    Attack(27, "SELECT * FROM information_schema.tables", SYSTEM),
    Attack(27, "WITH pg_shadow AS (SELECT * FROM pg_shadow) SELECT * FROM pg_shadow", SYSTEM),
    Attack(27, "SELECT current_setting('data_directory')", CALL),
    Attack(27, "SELECT inet_server_addr()", CALL),
    Attack(
        28,
        "SELECT count(*) FROM " + ", ".join(f"generate_series(1, 100000) g{i}" for i in "abcd"),
        TIME,
    ),
    Attack(28, ENDLESS, TIME),
    Attack(28, "SELECT * FROM generate_series(1, 100000000000)", TIME),
    Attack(28, "SELECT generate_series(1, 100000000000)", "truncated"),
    Attack(29, "SELECT repeat('x', 1000000000)", COST),
    Attack(29, "SELECT repeat('x', 2000000000)", COST),
    Attack(
        29,
        "SELECT length(string_agg(repeat('x', 1000000), '')) FROM generate_series(1, 100000)",
        COST,
    ),
    Attack(29, "SELECT array_length(array_agg(x), 1) FROM generate_series(1, 10000000000) x", COST),
    Attack(30, "SELECT x FROM generate_series(1, 1000000000) x ORDER BY md5(x::text)", TIME),
    Attack(31, "SELECT 1; DROP TABLE orders", MANY),
    Attack(31, "SELECT 1 /* ; */ ; /* x */ DELETE FROM orders --", MANY),
    Attack(31, "SELECT E'\\'; DELETE FROM orders; --'", "ok"),
    Attack(31, "SELECT '\\'; DELETE FROM orders; --'", MANY),
    Attack(31, "SELECT $tag$ ' $tag$; DELETE FROM orders; --'", MANY),
    Attack(31, "SELECT U&'\\0027'; DELETE FROM orders", MANY),
    Attack(31, "SELECT 1 /* /* */ ; DELETE FROM orders */", "ok"),
    Attack(
        32,
        "SELECT string_agg(md5(i::text), '') ~ '^(.+)(.+)(.+)\\3\\2\\1$' FROM generate_series(1, 30) i",
        TIME,
    ),
    Attack(33, "SELECT 1 WHERE 1 IN (" + ",".join(map(str, range(30_000))) + ")", "too_large"),
    Attack(33, "SELECT " + "(" * 10_000 + "1" + ")" * 10_000, "too_deep"),
    Attack(33, "SELECT " + "CASE WHEN true THEN " * 1000 + "1" + " END" * 1000, "too_deep"),
    Attack(33, "SELECT " + "NOT " * 10_000 + "true", "too_deep"),
    Attack(33, "SELECT '" + "x" * 10_000_000 + "'", "too_large"),
    Attack(33, "SELECT 1 FROM orders a" + " JOIN orders b" * 40, "too_deep"),
    Attack(33, "SELECT 1 FROM orders a" + " JOIN (SELECT 1) b" * 40, "too_deep"),
    Attack(33, "SELECT 1 FROM orders a" + " JOIN orders b" * 40 + " ON true" * 40, "too_deep"),
    Attack(33, "SELECT total" + "[1]" * 6000 + " FROM orders", "too_deep"),
    Attack(33, "FROM orders" + " |> SELECT 1" * 300, "too_deep"),
    Attack(34, "SELECT pg_stat_reset()", CALL),
    Attack(34, "SELECT pg_reload_conf()", CALL),
    Attack(34, "SELECT pg_rotate_logfile()", CALL),
    Attack(35, "SELECT round('1.5')", CALL),
    Attack(35, "SELECT round(name) FROM customers", CALL),
    Attack(35, "SELECT public.round('1.5'::text)", CALL),
    Attack(35, "SELECT 1 OPERATOR(public.*) 'x'::text", CALL),
    Attack(35, "SELECT 1 * 'x'::text", CALL),
]

SQLITE = [
    Attack(36, "ATTACH '/tmp/other.db' AS other", WRITE),
    Attack(36, "ATTACH ':memory:' AS other", WRITE),
    Attack(36, "DETACH main", WRITE),
    Attack(37, "PRAGMA query_only = 0", WRITE),
    Attack(37, "PRAGMA writable_schema = 1", WRITE),
    Attack(37, "PRAGMA journal_mode = WAL", WRITE),
    Attack(37, "SELECT * FROM pragma_table_info('orders')", CALL),
    Attack(37, "SELECT * FROM pragma_database_list", SYSTEM),
    Attack(37, "SELECT * FROM sqlite_master", SYSTEM),
    Attack(37, "SELECT * FROM main.sqlite_schema", SYSTEM),
    Attack(38, "VACUUM", WRITE),
    Attack(38, "VACUUM INTO '/tmp/out.db'", WRITE),
    Attack(38, "REINDEX", WRITE),
    Attack(38, "ANALYZE", WRITE),
    Attack(39, "SELECT load_extension('/tmp/evil.so')", CALL),
    Attack(39, "SELECT readfile('/etc/passwd')", UNKNOWN),
    Attack(39, "SELECT writefile('/tmp/out', 'x')", UNKNOWN),
    Attack(39, "SELECT edit('x', 'vi')", UNKNOWN),
    Attack(39, "SELECT fts3_tokenizer('simple')", CALL),
    Attack(40, "SELECT zeroblob(1000000000)", CALL),
    Attack(40, "SELECT hex(randomblob(1000000000))", CALL),
    Attack(40, "SELECT printf('%999999999d', 1)", COST),
    Attack(40, "SELECT printf('%.*c', 2000000000, 'x')", COST),
    Attack(40, "SELECT replace(hex(zeroblob(20000000)), '0', 'abcdef')", CALL),
    Attack(
        40,
        "WITH RECURSIVE r(x) AS (SELECT 'xx' UNION ALL SELECT x || x FROM r) "
        "SELECT max(length(x)) FROM r",
        COST,
    ),
    Attack(41, ENDLESS, TIME),
    Attack(
        41,
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 100000) "
        "SELECT count(*) FROM r a, r b, r c, r d",
        TIME,
    ),
    Attack(
        42,
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
        "SELECT group_concat(printf('%1000d', x)) FROM r",
        COST,
    ),
    Attack(
        42,
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
        "SELECT json_group_array(printf('%1000d', x)) FROM r",
        COST,
    ),
    Attack(43, "BEGIN IMMEDIATE", WRITE),
    Attack(43, "SAVEPOINT s", WRITE),
    Attack(43, "RELEASE s", WRITE),
    Attack(43, "COMMIT", WRITE),
    Attack(43, "END", WRITE),
    Attack(44, "CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM orders; END", WRITE),
    Attack(44, "CREATE TEMP TABLE t (a)", WRITE),
    Attack(44, "REPLACE INTO orders VALUES (1, 1, 1, NULL)", WRITE),
    Attack(44, "INSERT INTO orders VALUES (9, 9, 9, NULL)", WRITE),
    Attack(44, "WITH x AS (SELECT 1) DELETE FROM orders", WRITE),
    Attack(44, "INSERT INTO orders VALUES (9, 9, 9, NULL) RETURNING id", WRITE),
    Attack(
        45,
        "SELECT instr(printf('%.*c', 999000, 'a'), printf('%.*c', 499000, 'a') || 'b')",
        COST,
    ),
    Attack(46, "SELECT * FROM loading", "execution.permission"),
    Attack(46, "SELECT secret FROM computed", "execution.permission"),
    Attack(48, "EXPLAIN SELECT * FROM orders", WRITE),
    Attack(48, "EXPLAIN QUERY PLAN SELECT * FROM orders", WRITE),
    Attack(48, "SELECT 1; DELETE FROM orders", MANY),
    Attack(48, "SELECT 1; -- \n DELETE FROM orders", MANY),
    Attack(48, "SELECT 1 /* /* */; DELETE FROM orders; --*/", MANY),
]
