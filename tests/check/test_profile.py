"""Dialect names and the profiles they stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlobs import Profile, Schema, check_sql
from sqlobs.check.engine.profile import profile_of
from sqlobs.dialects.catalog import catalog_of_version
from sqlobs.dialects.registry import all_dialects
from sqlobs.errors import DialectError
from tests.check.schemas import SHOP_DDL, shop


@pytest.mark.parametrize(
    ("name", "dialect", "version"),
    [
        ("PostgreSQL", "postgres", None),
        ("postgres:16", "postgres", "16"),
        ("T-SQL", "tsql", None),
        ("Spark SQL", "spark", "4.3"),
        ("Spark Legacy", "spark", "sparklegacy-4.3"),
        ("mysql", "mysql", None),
        ("mariadb", "mysql", "mariadb-10.11"),
        ("mysql:8.0", "mysql", "8.0"),
        ("MariaDB:11.4", "mysql", "mariadb-11.4"),
        ("SQLite", "sqlite", None),
        ("DuckDB", "duckdb", "2.0"),
    ],
)
def test_usual_spellings_are_understood(name, dialect, version):
    """Any case, spaces and punctuation; a version behind a colon."""
    profile = Profile.named(name)
    assert (profile.dialect, profile.version) == (dialect, version)


def test_function_lists_are_complete_for_full_dialects_only():
    """Elsewhere an unknown function is undecided."""
    assert Profile.named("sqlite").functions == "complete"
    assert Profile.named("snowflake").functions == "complete"  # by its manual
    assert Profile.named("hive").functions == "partial"


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("postgres", True),
        ("postgres:15.4", True),
        ("postgres:18", True),
        ("postgres:14", False),
        ("sqlite:3.40.1", True),
        ("sqlite:3.45", False),
        ("mysql:5.7", False),
        ("mariadb:10.11.8", True),
        ("mariadb:11.4", False),
        ("duckdb:1.4", False),
    ],
)
def test_a_function_list_is_complete_for_the_catalogs_own_version_only(name, measured):
    """What another version has, nobody has asked."""
    profile = Profile.named(name)
    assert profile.is_measured is measured
    assert profile.functions == ("complete" if measured else "partial")


@pytest.mark.parametrize(
    ("dialect", "version"),
    [(one.name, version) for one in all_dialects() for version in one.versions.measured],
)
def test_the_versions_of_profiles_are_those_of_the_catalogs(dialect, version):
    """A catalog that is made again moves the version."""
    engine = catalog_of_version(dialect, version).engine
    assert f"{engine}.".startswith(f"{dialect} {version}.")


SPARK = Schema.from_ddl(
    "CREATE TABLE t (a INT, s STRING, d DATE, b BOOLEAN, x DECIMAL(10, 2));", dialect="spark"
)


@pytest.mark.parametrize(
    ("sql", "in_ansi_mode", "without"),
    [
        ("SELECT CAST(d AS INT) FROM t", False, True),
        ("SELECT CAST(a AS BINARY) FROM t", False, True),
        ("SELECT CAST(b AS TIMESTAMP) FROM t", False, True),
        ("SELECT b = 1 FROM t", False, True),
        ("SELECT array(1, s), concat(a, s), x % s FROM t", True, True),
        ("SELECT a FROM t UNION SELECT s FROM t", True, True),
        ("SELECT coalesce(a, d) FROM t", False, False),
        ("SELECT a FROM t WHERE s", False, False),
        ("SELECT sum(d) FROM t", False, False),
        ("SELECT size(a) FROM t", False, False),
        ("SELECT nosuch(a) FROM t", False, False),
    ],
)
def test_spark_converts_more_without_ansi_mode(sql, in_ansi_mode, without):
    """Spark 4.3 said so in both modes; the schema is the same."""
    found = [check_sql(sql, schema=SPARK, dialect=name).ok for name in ("spark", "spark_legacy")]
    assert found == [in_ansi_mode, without]


def test_the_functions_of_mysql_are_listed_but_not_measured():
    """By its manual: an unknown name is wrong, and a wrong number of arguments."""
    for name in ("mysql", "mysql:8.0", "mysql:9"):
        profile = Profile.named(name)
        assert (profile.functions, profile.is_measured) == ("complete", False)


@pytest.mark.parametrize(
    ("dialect", "sql", "label"),
    [
        ("postgres:17", "SELECT any_value(name), random(1, 6) FROM customers", True),
        ("postgres:17", "SELECT uuidv7() FROM customers", False),
        ("postgres:17", "SELECT upper(name) FROM (SELECT name, 1_000 FROM customers)", True),
        ("postgres:15", "SELECT any_value(name) FROM customers", False),
        ("sqlite:3.45", "SELECT concat(name, 'a') FROM customers", None),
        ("sqlite:3.45", "SELECT upper(name) FROM customers", True),
        ("mysql:8.0", "SELECT nvl(name, 'a') FROM customers", False),
        ("mysql:8.0", "SELECT sformat('a'), median(id) OVER () FROM customers", False),
        ("mysql:8.0", "SELECT left(name, 2, 3) FROM customers", False),
        ("mysql:8.0", "SELECT any_value(name), regexp_like(name, 'a') FROM customers", True),
        ("mysql:8.0", "SELECT CAST(name AS JSON), CAST(born AS YEAR) FROM customers", True),
        (
            "mysql:8.0",
            "SELECT city, count(*) FROM customers GROUP BY city WITH ROLLUP ORDER BY city",
            True,
        ),
        ("mysql:8.0", "SELECT CAST(name AS INT) FROM customers", False),
        ("mysql:8.0", "SELECT id AS rank FROM customers", False),
        ("mariadb", "SELECT id AS rank FROM customers", True),
        ("mysql:5.7", "SELECT id AS rank FROM customers", True),
        ("mysql:5.7", "WITH a AS (SELECT 1 AS x) SELECT x FROM a", False),
        ("mysql:5.7", "SELECT row_number() OVER (ORDER BY id) FROM customers", False),
        ("mysql:5.7", "SELECT id FROM customers INTERSECT SELECT 1", False),
        ("mysql:5.7", "SELECT name ->> '$.a' FROM customers", True),
        ("mysql:5.7", "SELECT regexp_replace(name, 'a', 'b') FROM customers", None),
        ("mysql:5.7", "DELETE FROM customers AS c WHERE c.id = 1", False),
        ("mysql:8.0", "DELETE FROM customers AS c WHERE c.id = 1", True),
        ("mysql:8.0", "DELETE FROM customers WHERE id = 1 RETURNING id", False),
        ("mysql:8.0", "SELECT id FROM customers FETCH FIRST 2 ROWS ONLY", False),
        ("mysql:8.0", "VALUES ROW(1, 2)", True),
        (
            "postgres:12",
            "SELECT id FROM customers ORDER BY id FETCH FIRST 1 ROWS WITH TIES",
            False,
        ),
        ("postgres:13", "SELECT id FROM customers ORDER BY id FETCH FIRST 1 ROWS WITH TIES", True),
        ("postgres:13", "SELECT city FROM customers GROUP BY DISTINCT city", False),
        ("postgres:14", "SELECT regexp_count(name, 'a') FROM customers", None),
        (
            "postgres:14",
            "MERGE INTO customers USING orders ON orders.id = customers.id WHEN MATCHED THEN DELETE",
            False,
        ),
        ("mariadb", "SELECT CAST(name AS JSON) FROM customers", False),
    ],
)
def test_for_another_version_only_listed_facts_are_checked(dialect, sql, label):
    """Functions that the catalog lacks are undecided, never wrong; differences are data."""
    schema = shop(Profile.named(dialect).dialect)
    assert check_sql(sql, schema=schema, dialect=dialect, native=False).syntactic is label


def test_an_unknown_name_offers_the_nearest():
    """The error names what was given and what may have been meant."""
    with pytest.raises(DialectError, match=r"postgrse.*postgres"):
        Profile.named("postgrse")


def test_a_version_has_a_number():
    """A word behind the colon is a slip, and would switch the list of functions off."""
    with pytest.raises(DialectError, match="'snowflake:latest': 'latest' is no known version"):
        Profile.named("snowflake:latest")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("postgres:99", "'99' is no known version of postgres: use 11, 12, 13, .* 17 or 18"),
        ("postgres:latest", "'latest' is no known version of postgres: use 11"),
        ("postgres:", "the version is missing: use 11"),
        ("mysql:4", "'4' is no known version of mysql: use 5.6, .* or 9"),
        ("mariadb:5.5", "'5.5' is no known version of mariadb: use 10, 11 or 12"),
        ("sqlite:2", "'2' is no known version of sqlite: use 3"),
    ],
)
def test_a_version_that_a_user_writes_is_known(name, sentence):
    """It is rejected wherever a dialect is given; the sentence lists the known ones."""
    with pytest.raises(DialectError, match=sentence):
        Profile.named(name)
    with pytest.raises(DialectError, match=sentence):
        check_sql("SELECT 1", dialect=name)
    with pytest.raises(DialectError, match=sentence):
        Schema.from_mapping({"a": ["b"]}, dialect=name)
    with pytest.raises(DialectError, match=sentence):
        Schema.from_ddl("CREATE TABLE a (b int)", dialect=name)


def test_a_version_that_a_server_tells_need_not_be_known():
    """A newer one inherits the newest known; what only it may have is undecided."""
    schema = Schema(shop("postgres").tables, dialect="postgres", engine_version="21")
    assert check_sql("SELECT any_value(name) FROM customers", schema=schema).verdict == "ok"
    assert check_sql("SELECT from_the_future(name) FROM customers", schema=schema).syntactic is None
    assert check_sql("SELECT nme FROM customers", schema=schema).verdict == "failed"


@pytest.mark.parametrize("dialect", ["mariadb", "mariadb:11.4", "postgres:16", "mysql:8.4"])
def test_a_schema_keeps_the_version_of_its_dialect(dialect):
    """Through its document, and whatever spelling of the dialect a check gives beside it."""
    schema = Schema.from_ddl("CREATE TABLE a (b int)", dialect=dialect)
    again = Schema.from_json(schema.to_json())
    assert again == schema or again.engine_version == schema.engine_version
    assert Profile.of_schema(again) == Profile.named(dialect)
    assert profile_of(again, schema.dialect) == Profile.named(dialect)


@pytest.mark.parametrize(
    ("profile", "sql", "holds"),
    [
        (Profile.named("mysql"), "SELECT city, name FROM customers GROUP BY city", True),
        (Profile.named("mysql:8.0"), "SELECT city, name FROM customers GROUP BY city", False),
        (Profile.named("mysql:8.0"), "SELECT id, name FROM customers GROUP BY id", True),
        (Profile.named("mysql"), "SELECT name FROM Customers", False),
        (
            replace(Profile.named("mysql"), lower_case_table_names=1),
            "SELECT name FROM Customers",
            True,
        ),
        (
            replace(Profile.named("mysql"), sql_mode=("ANSI_QUOTES",)),
            'SELECT "name" FROM "customers" WHERE city = \'"ghost"\'',
            True,
        ),
        (
            replace(Profile.named("mysql"), sql_mode=("ANSI_QUOTES",)),
            'SELECT "ghost" FROM customers',
            False,
        ),
        (Profile.named("mysql"), 'SELECT "ghost" FROM customers', True),
        (Profile.named("sqlite"), 'SELECT name FROM customers WHERE city = "Oslo"', True),
        (
            replace(Profile.named("sqlite"), double_quoted_strings=False),
            'SELECT name FROM customers WHERE city = "Oslo"',
            False,
        ),
    ],
)
def test_settings_change_verdicts(profile, sql, holds):
    """What a setting decides in the engine, it decides here: grouping, case, quotes."""
    assert check_sql(sql, schema=shop(profile.dialect), dialect=profile).schematic is holds


@pytest.mark.parametrize(
    ("sql", "codes"),
    [
        ("SELECT any_value(name), max(id) FROM customers", ()),
        ("SELECT city, any_value(name) FROM customers GROUP BY city", ()),
        ("SELECT city, name FROM customers GROUP BY city", ("schema.grouping",)),
    ],
)
def test_any_value_accepts_an_ungrouped_column(sql, codes):
    """It is no aggregate in MySQL, but may stand where only those may."""
    assert check_sql(sql, schema=shop("mysql"), dialect="mysql:8.0").failure_codes == codes


@pytest.mark.parametrize(
    ("assignment", "unknown"),
    [("name = fresh.name", ()), ("name = fresh.ghost", ("ghost",)), ("name = old.name", ("old",))],
)
def test_the_row_to_be_inserted_has_the_alias_of_values(assignment, unknown):
    """MySQL 8 reads it in ON DUPLICATE KEY UPDATE."""
    sql = (
        "INSERT INTO customers (id, name) VALUES (1, 'a') AS fresh"
        f" ON DUPLICATE KEY UPDATE {assignment}"
    )
    report = check_sql(sql, schema=shop("mysql"), dialect="mysql:8.0")
    assert report.syntactic is True
    assert tuple(one.identifier for one in report.errors if one.code[:6] == "schema") == unknown


def test_mysql_accepts_statements_that_mariadb_rejects():
    """`->>` and LATERAL; a function that only MySQL has is undecided."""
    sql = "SELECT name ->> '$.a' FROM customers, LATERAL (SELECT 1) AS t"
    schema = Schema.from_ddl(SHOP_DDL, dialect="mysql")
    assert check_sql(sql, schema=schema).verdict == "ok"
    assert check_sql(sql, schema=shop("mysql"), dialect="mysql:8.0").failure_codes == ()
    assert check_sql(sql, schema=shop("mysql")).failure_codes == ("syntax.dialect_mismatch",)
