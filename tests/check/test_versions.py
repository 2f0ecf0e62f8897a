"""A dialect without a version stands for its current ones: only what all of them reject is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest

from sqlobs import Schema, check_sql
from sqlobs.dialects.catalog import catalog_of_version
from sqlobs.dialects.registry import dialect_of
from tests.agreement.engines import engine_of
from tests.agreement.own import statements, tables
from tests.servers import PostgresServer

DDL = (
    "CREATE TABLE visits (id integer PRIMARY KEY, note text, doc jsonb, seen timestamptz);"
    "CREATE TABLE wards (id integer PRIMARY KEY, title text);"
)
SINCE = {
    "SELECT any_value(note) FROM visits": 16,
    "SELECT erf(1), random_normal()": 16,
    "SELECT date_add(seen, interval '1 day') FROM visits": 16,
    "SELECT array_shuffle(ARRAY[1, 2])": 16,
    "SELECT pg_input_is_valid('1', 'integer')": 16,
    "SELECT system_user": 16,
    "SELECT note FROM (SELECT note FROM visits)": 16,
    "SELECT 1_000": 16,
    "SELECT 0xff, 0b101": 16,
    "SELECT json_array(1, 2)": 16,
    "SELECT json_object('a': 1)": 16,
    "SELECT json_objectagg(note : id), json_arrayagg(id) FROM visits": 16,
    "SELECT json_array(id, note NULL ON NULL) FROM visits": 16,
    "SELECT note IS JSON FROM visits": 16,
    "SELECT id FROM visits WHERE note IS NOT JSON ARRAY": 16,
    "SELECT xmlserialize(CONTENT '<a/>' AS text INDENT)": 16,
    "SELECT to_bin(5), to_oct(8), xmltext('a')": 17,
    "SELECT random(1, 6)": 17,
    "SELECT json_query(doc, '$.a'), json_exists(doc, '$.a') FROM visits": 17,
    "SELECT json_value(doc, '$.a' RETURNING integer) FROM visits": 17,
    "SELECT json_value(doc, '$.a' DEFAULT 0 ON EMPTY) FROM visits": 17,
    "SELECT json_query(doc, '$.a' WITH WRAPPER) FROM visits": 17,
    "SELECT json_scalar(id), json_serialize(doc) FROM visits": 17,
    "SELECT t.a FROM visits, json_table(doc, '$[*]' COLUMNS (a integer PATH '$.a')) AS t": 17,
    "SELECT seen AT LOCAL FROM visits": 17,
    "SELECT 'infinity'::interval": 17,
    "MERGE INTO wards USING visits v ON wards.id = v.id WHEN NOT MATCHED BY SOURCE THEN DELETE": 17,
    "SELECT uuidv4(), uuidv7()": 18,
    "SELECT casefold(note), array_sort(ARRAY[3, 1]), array_reverse(ARRAY[1]) FROM visits": 18,
    "SELECT crc32('a'::bytea), gamma(2.0)": 18,
    "SELECT id::bytea FROM visits": 18,
    "SELECT reverse('a'::bytea)": 18,
    "UPDATE wards SET title = 'x' RETURNING old.title, new.title": 18,
    "UPDATE wards SET title = 'x' RETURNING WITH (OLD AS o) o.title": 18,
}
"""Statements and the first version of PostgreSQL that accepts them, as servers of 15 to 18 said."""
ALWAYS_WRONG = (
    "SELECT frobnicate(note) FROM visits",
    "SELECT nte FROM visits",
    "SELECT note FROM vists",
    "SELECT nte, json_value(doc, '$.a') FROM visits",
    "SELECT ifnull(note, 'a') FROM visits",
    "SELECT datediff('day', seen, seen) FROM visits",
    "SELECT note FROM visits WHERE",
    "SELECT note, count(*) FROM visits",
)
REMOVED = "SELECT interval_accum(ARRAY[interval '1 day'], interval '1 day')"


def labels(sql: str, dialect: str) -> set[bool | None]:
    """Return both labels of a statement."""
    schema = Schema.from_ddl(DDL, dialect=dialect)
    report = check_sql(sql, schema=schema, native=False)
    return {report.syntactic, report.schematic}


@pytest.mark.parametrize("sql", SINCE)
def test_what_a_later_version_accepts_is_not_wrong(sql: str):
    """Undecided without a version, with a finding that names the versions."""
    schema = Schema.from_ddl(DDL, dialect="postgres")
    report = check_sql(sql, schema=schema, native=False)
    assert False not in (report.syntactic, report.schematic)
    assert None in (report.syntactic, report.schematic)
    assert "undecided" in report.reasons.values()
    told = [one.message for one in report.findings if one.severity == "info"]
    assert any(f"dialect='postgres:{SINCE[sql]}'" in one or "postgres:18" in one for one in told)
    accepting = [one for one in ("16", "17", "18") if int(one) >= SINCE[sql]]
    assert all(version in " ".join(told).partition("disagree")[2] for version in accepting)


@pytest.mark.parametrize("sql", SINCE)
def test_a_version_accepts_what_it_has_and_rejects_what_comes_later(sql: str):
    """What our parser cannot read is undecided, never wrong, in a version that has it."""
    for version in (15, 16, 17, 18):
        found = labels(sql, f"postgres:{version}")
        if version >= SINCE[sql]:
            assert False not in found, version
        elif "IS JSON" not in sql and "IS NOT JSON" not in sql:
            assert False in found, version


@pytest.mark.parametrize("sql", ALWAYS_WRONG)
def test_what_all_versions_reject_is_wrong(sql: str):
    """An invented name stays one."""
    for dialect in ("postgres", "postgres:15", "postgres:18"):
        assert False in labels(sql, dialect), dialect


def test_what_a_later_version_has_dropped_is_undecided():
    """The first version accepts it, the last ones do not."""
    assert labels(REMOVED, "postgres:16") == {True}
    assert False in labels(REMOVED, "postgres:17")
    assert labels(REMOVED, "postgres") == {None, True}


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_a_label_without_a_version_is_the_one_that_all_versions_give(dialect: str):
    """Where they differ it is undecided; the checker asks only the versions that may differ."""
    schema = Schema.from_ddl(";\n".join(tables(dialect)), dialect=dialect)
    expected, found = {}, {}
    for sql in statements(dialect)[::20]:
        each = [
            check_sql(sql, schema=schema, dialect=f"{dialect}:{version}", native=False)
            for version in dialect_of(dialect).versions.current
        ]
        report = check_sql(sql, schema=schema, native=False)
        expected[sql] = (
            agreed(one.syntactic for one in each),
            agreed(one.schematic for one in each),
        )
        found[sql] = (report.syntactic, report.schematic)
    assert found == expected
    assert {label for labels in found.values() for label in labels} == {None, True, False}


def agreed(labels: Iterable[bool | None]) -> bool | None:
    """Return the label that all give; None if they differ."""
    different = set(labels)
    return different.pop() if len(different) == 1 else None


@pytest.mark.postgres
def test_the_server_of_the_tests_says_the_same():
    """Whatever its version: what it has since it accepts, what comes later it rejects."""
    server = PostgresServer().start()
    try:
        engine = engine_of("postgres", f"host=127.0.0.1 port={server.port} user=postgres")
        engine.prepare("versions", [one for one in DDL.split(";") if one])
        major = int(server.bin.parts[-2])
        accepted = {sql for sql in SINCE if engine.refusal("versions", sql) is None}
        refused = [engine.refusal("versions", sql) for sql in ALWAYS_WRONG]
        engine.close()
    finally:
        server.stop()
    assert accepted == {sql for sql, since in SINCE.items() if since <= major}
    assert all(refused)


def test_nothing_but_words_is_accepted_only_by_versions_in_the_middle():
    """So that the first and the last version speak for those between them."""
    known = [catalog_of_version("postgres", one) for one in ("15", "16", "17", "18")]
    forms = [one.rejected for one in known]
    assert all(forms[0] & forms[-1] <= one for one in forms)
    casts = [set(map(tuple, one.raw["casts"])) for one in known]
    assert all(one <= casts[0] | casts[-1] for one in casts)
    units = [one.units["written"] for one in known]
    assert all(one <= units[0] | units[-1] for one in units)


def test_each_version_has_the_functions_of_the_one_before():
    """But for a few that were dropped; differences are applied one after the other."""
    known = [set(catalog_of_version("postgres", str(one)).functions) for one in (15, 16, 17, 18)]
    for before, after in pairwise(known):
        assert len(before - after) < 20
        assert len(after - before) > 20


MYSQL_DDL = "CREATE TABLE visits (id int PRIMARY KEY, note varchar(20), doc json, seen datetime)"
MYSQL = (
    "SELECT ANY_VALUE(note) FROM visits GROUP BY seen",
    "SELECT x.id FROM visits v, LATERAL (SELECT id FROM visits w WHERE w.id = v.id) x",
    "SELECT doc ->> '$.a', doc -> '$.b' FROM visits",
    "SELECT REGEXP_LIKE(note, 'a'), BIN_TO_UUID(UUID_TO_BIN(UUID())) FROM visits",
    "SELECT note, GROUPING(note), COUNT(*) FROM visits GROUP BY note WITH ROLLUP",
    "SELECT JSON_STORAGE_SIZE(doc), JSON_SCHEMA_VALID('{}', doc) FROM visits",
    "SELECT id FROM visits WHERE 'a' MEMBER OF (doc)",
    "SELECT JSON_ARRAYAGG(id), JSON_OBJECTAGG(note, id) FROM visits",
    "SELECT JSON_VALUE(doc, '$.a' RETURNING UNSIGNED) FROM visits",
    "SELECT RANK() OVER () FROM visits",
    "SELECT CAST(seen AS YEAR), CAST(note AS JSON) FROM visits",
    "SELECT note COLLATE utf8mb4_0900_ai_ci FROM visits",
    "SELECT note COLLATE utf8mb4_ja_0900_as_cs FROM visits",
    "SELECT * FROM (VALUES ROW(1, 2)) AS v(x, y)",
    "SELECT ST_HausdorffDistance(POINT(1, 1), POINT(2, 2)), MBRCovers(POINT(1, 1), POINT(1, 1))",
    "SELECT mask_inner(note, 1, 1) FROM visits",
    "SELECT id FROM visits FOR SHARE SKIP LOCKED",
)
NO_MYSQL = (
    "SELECT frobnicate(note) FROM visits",
    "SELECT nte FROM visits",
    "SELECT NVL(note, 'a') FROM visits",
    "SELECT nextval(s)",
    "SELECT MEDIAN(id) OVER () FROM visits",
    "SELECT id FROM visits FETCH FIRST 1 ROWS ONLY",
    "SELECT DATE_TRUNC('month', seen) FROM visits",
    "SELECT seen AT TIME ZONE 'UTC' FROM visits",
    "SELECT note, COUNT(*) FROM visits",
)


def in_mysql(sql: str, dialect: str) -> tuple[bool | None, bool | None]:
    """Return the labels of a statement on a schema of a dialect of MySQL."""
    schema = Schema.from_ddl(MYSQL_DDL, dialect=dialect)
    report = check_sql(sql, schema=schema, native=False)
    return report.syntactic, report.schematic


@pytest.mark.parametrize("dialect", ["mysql", "mysql:8.0", "mysql:8.4", "mysql:9"])
@pytest.mark.parametrize("sql", MYSQL)
def test_mysql_is_mysql(sql: str, dialect: str):
    """What MySQL's manual has is right, whatever MariaDB says of it."""
    assert in_mysql(sql, dialect) == (True, True)


@pytest.mark.parametrize("dialect", ["mysql", "mysql:8.0", "mysql:9"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT NTH_VALUE(id, 2) FROM FIRST RESPECT NULLS OVER (ORDER BY id) FROM visits",
        "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00' AT TIME ZONE '+00:00' AS DATETIME)",
    ],
)
def test_what_only_our_parser_cannot_read_is_undecided(sql: str, dialect: str):
    """MySQL's manual has these forms."""
    labels = in_mysql(sql, dialect)
    assert False not in labels
    assert None in labels


@pytest.mark.parametrize("dialect", ["mariadb", "bigquery"])
def test_a_zone_within_cast_is_mysqls_alone(dialect: str):
    """A zone is no foreign form only behind the format of BigQuery's CAST."""
    sql = "SELECT CAST(CURRENT_TIMESTAMP AT TIME ZONE '+00:00' AS DATETIME)"
    assert check_sql(sql, dialect=dialect, native=False).syntactic is False


@pytest.mark.parametrize("sql", NO_MYSQL)
def test_what_only_mariadb_has_is_no_mysql(sql: str):
    """Nor is an invented name."""
    assert False in in_mysql(sql, "mysql")


@pytest.mark.parametrize(
    ("sql", "old", "new"),
    [
        ("SELECT TO_VECTOR('[1]')", False, True),
        ("SELECT id AS library FROM visits", True, False),
        ("SELECT id AS manual FROM visits", True, False),
    ],
)
def test_what_mysql_9_has_changed_is_undecided_without_a_version(
    sql: str, old: object, new: object
):
    """A new function, and words that are reserved since."""
    assert in_mysql(sql, "mysql:8.0")[0] is old
    assert in_mysql(sql, "mysql:9.4")[0] is new
    assert in_mysql(sql, "mysql")[0] is None


def test_mariadb_is_mariadb():
    """What it has, it has; what only MySQL has, it lacks."""
    assert in_mysql("SELECT NVL(note, 'a') FROM visits", "mariadb") == (True, True)
    assert False in in_mysql("SELECT ANY_VALUE(note) FROM visits", "mariadb")
    assert False in in_mysql("SELECT doc ->> '$.a' FROM visits", "mariadb:10.11")
