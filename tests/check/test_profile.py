"""Dialect names and the profiles they stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlobs import Profile, check_sql
from sqlobs.check.catalogue import catalogue_of
from sqlobs.check.profile import CATALOGUE_VERSIONS
from sqlobs.errors import DialectError
from tests.check.schemas import shop


@pytest.mark.parametrize(
    ("name", "dialect", "version"),
    [
        ("PostgreSQL", "postgres", "15"),
        ("postgres:16", "postgres", "16"),
        ("T-SQL", "tsql", None),
        ("Spark SQL", "spark", None),
        ("mysql", "mysql", "mariadb-10.11"),
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
    assert Profile.named("snowflake").functions == "partial"


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("postgres:15.4", True),
        ("postgres:16", False),
        ("postgres:1", False),
        ("sqlite:3.40.1", True),
        ("sqlite:3.45", False),
        ("mysql:8.0", False),
        ("mariadb:10.11.8", True),
        ("mariadb:11.4", False),
        ("duckdb:1.4", False),
    ],
)
def test_a_function_list_is_complete_for_the_catalogues_own_version_only(name, measured):
    """What another version has, nobody has asked."""
    profile = Profile.named(name)
    assert profile.is_measured is measured
    assert profile.functions == ("complete" if measured else "partial")


@pytest.mark.parametrize(("dialect", "version"), sorted(CATALOGUE_VERSIONS.items()))
def test_the_versions_of_profiles_are_those_of_the_catalogues(dialect, version):
    """A catalogue that is made anew moves the default version."""
    engine = catalogue_of(dialect).engine.replace("mariadb ", "mysql mariadb-")
    assert f"{engine}.".startswith(f"{dialect} {version}.")


@pytest.mark.parametrize(
    ("dialect", "sql", "label"),
    [
        ("postgres:17", "SELECT any_value(name), random(1, 6) FROM customers", None),
        ("postgres:17", "SELECT upper(name) FROM (SELECT name, 1_000 FROM customers)", True),
        ("postgres:15", "SELECT any_value(name) FROM customers", False),
        ("sqlite:3.45", "SELECT concat(name, 'a') FROM customers", None),
        ("sqlite:3.45", "SELECT upper(name) FROM customers", True),
        ("mysql:8.0", "SELECT nvl(name, 'a') FROM customers", None),
        ("mysql:8.0", "SELECT sformat('a'), median(id) OVER () FROM customers", None),
        ("mysql:8.0", "SELECT left(name, 2, 3) FROM customers", None),
        ("mysql:8.0", "SELECT any_value(name), regexp_like(name, 'a') FROM customers", True),
        ("mysql:8.0", "SELECT CAST(name AS JSON), CAST(born AS YEAR) FROM customers", True),
        (
            "mysql:8.0",
            "SELECT city, count(*) FROM customers GROUP BY city WITH ROLLUP ORDER BY city",
            True,
        ),
        ("mysql:8.0", "SELECT CAST(name AS INT) FROM customers", False),
        ("mysql:8.0", "SELECT id AS rank FROM customers", False),
        ("mysql", "SELECT id AS rank FROM customers", True),
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
        ("mysql", "SELECT CAST(name AS JSON) FROM customers", False),
    ],
)
def test_of_another_version_only_what_is_told_is_judged(dialect, sql, label):
    """Functions that the catalogue lacks are undecided, never wrong; differences are data."""
    schema = shop(Profile.named(dialect).dialect)
    assert check_sql(sql, schema=schema, dialect=dialect, native=False).syntactic is label


def test_an_unknown_name_offers_the_nearest():
    """The error names what was given and what may have been meant."""
    with pytest.raises(DialectError, match=r"postgrse.*postgres"):
        Profile.named("postgrse")


def test_a_version_has_a_number():
    """A word behind the colon is a slip, and would switch the list of functions off."""
    with pytest.raises(DialectError, match=r"'postgres:latest': latest is no version"):
        Profile.named("postgres:latest")


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
def test_settings_flip_verdicts(profile, sql, holds):
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
def test_any_value_takes_what_is_not_grouped(sql, codes):
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


def test_mysql_takes_what_mariadb_refuses():
    """`->>` and LATERAL; a function that only MySQL has is undecided."""
    sql = "SELECT name ->> '$.a' FROM customers, LATERAL (SELECT 1) AS t"
    assert check_sql(sql, schema=shop("mysql"), dialect="mysql:8.0").failure_codes == ()
    assert check_sql(sql, schema=shop("mysql")).failure_codes == ("syntax.dialect_mismatch",)
