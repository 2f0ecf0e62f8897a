"""The public functions: labels, findings, reasons, fixes, the cache."""

from __future__ import annotations

import asyncio

import pytest

from sqlobs import Profile, Schema, check_sql, check_sql_async
from sqlobs.check import checker
from sqlobs.check.policy import Policy
from sqlobs.check.report.model import Finding
from sqlobs.errors import ConfigError, DialectError, FindingsError, InputError
from tests.check.schemas import shop

SQLITE = shop("sqlite")


def codes(sql: str, schema: Schema = SQLITE, *, native: bool = False) -> list[str]:
    """Return the codes of the errors, in order of position."""
    return [finding.code for finding in check_sql(sql, schema=schema, native=native).errors]


def test_a_grounded_statement_passes_both_labels():
    """What exists is no finding."""
    report = check_sql(
        "SELECT c.name, sum(o.total_revenue) FROM customers c"
        " JOIN orders o ON o.customer_id = c.id GROUP BY c.name",
        schema=SQLITE,
        native=False,
    )
    assert (report.syntactic, report.schematic, report.verdict) == (True, True, "ok")
    assert report.findings == ()
    assert report.tables == ("customers", "orders")
    assert report.columns == (
        "customers.name",
        "orders.total_revenue",
        "orders.customer_id",
        "customers.id",
    )
    assert (report.statement, report.summary) == ("select", "SELECT customers orders")


@pytest.mark.parametrize("native", [True, False])
def test_an_invented_column_is_named_placed_and_explained(native):
    """The finding carries the exact word, its place and the nearest name in scope."""
    report = check_sql("SELECT customer_revenue\nFROM orders", schema=SQLITE, native=native)
    assert report.findings == (
        Finding(
            "schema.unknown_column",
            "error",
            "Unknown column customer_revenue.",
            identifier="customer_revenue",
            suggestion="total_revenue",
            start=7,
            end=23,
            line=1,
            column=8,
        ),
    )
    assert (report.syntactic, report.schematic) == (True, False)
    assert report.fixed_sql == "SELECT total_revenue\nFROM orders"
    assert report.decided_by == ("native" if native else "static")
    assert "Did you mean total_revenue?" in report.explain()
    with pytest.raises(FindingsError):
        report.raise_for_findings()


def test_all_wrong_names_are_found_not_only_the_first():
    """Two invented columns are two findings."""
    report = check_sql("SELECT nme, citty FROM customers", schema=SQLITE)
    assert report.unknown_columns == ("nme", "citty")
    assert report.fixed_sql == "SELECT name, city FROM customers"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT name FROM clients", ["schema.unknown_table"]),
        ("SELECT clients.name FROM clients", ["schema.unknown_table"]),
        ("SELECT name FROM orders", ["schema.wrong_owner"]),
        ("SELECT o.name FROM orders o", ["schema.wrong_owner"]),
        ("SELECT x.name FROM customers c", ["schema.wrong_owner"]),
        ("SELECT customers.name FROM customers c", ["schema.wrong_owner"]),
        ("SELECT id FROM customers, orders", ["schema.ambiguous_ref"]),
        ("SELECT id FROM customers JOIN orders USING (id)", []),
        ("SELECT name FROM customers NATURAL JOIN orders", []),
        ("SELECT status, name FROM customers JOIN orders USING (name)", ["schema.wrong_owner"]),
        ("WITH c AS (SELECT name AS n FROM customers) SELECT n FROM c", []),
        ("WITH c AS (SELECT name AS n FROM customers) SELECT name FROM c", ["schema.wrong_owner"]),
        ("SELECT n FROM (SELECT name AS n FROM customers) AS t WHERE t.n > 1", []),
        (
            "SELECT * FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)",
            [],
        ),
        ("SELECT name AS n FROM customers WHERE n = 'x' GROUP BY n ORDER BY n", []),
        ("SELECT 1; SELECT 2", ["syntax.parse_error"]),
        ("SELECT name FROM", ["syntax.parse_error"]),
        ("DELETE FROM orders", ["safety.unsafe_statement"]),
    ],
)
def test_names_are_resolved_through_scopes(sql, expected):
    """CTEs, derived tables, correlation, USING, NATURAL and aliases are followed."""
    assert codes(sql) == expected


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM customers WHERE id = (SELECT max(id) FROM clients)",
        "SELECT city FROM customers WHERE id IN (SELECT id FROM clients GROUP BY id, city)",
        "SELECT count(*), (SELECT count(*) FROM clients WHERE city = 'x') FROM customers",
        "SELECT 1 FROM customers, orders WHERE status IN (SELECT id FROM clients)",
    ],
)
def test_names_beside_an_unknown_table_are_taken_for_its_own(sql, dialect):
    """They are in the query around, too: that they were meant there would be a second guess."""
    assert codes(sql, shop(dialect)) == ["schema.unknown_table"]


def test_a_recursive_cte_sees_itself():
    """The columns of a recursive CTE are those of its list, else of its first SELECT."""
    for head in ("t(n) AS (SELECT 1", "t AS (SELECT 1 AS n"):
        assert codes(f"WITH RECURSIVE {head} UNION ALL SELECT n + 1 FROM t) SELECT n FROM t") == []
        assert codes(f"WITH RECURSIVE {head} UNION ALL SELECT m + 1 FROM t) SELECT n FROM t") == [
            "schema.unknown_column"
        ]


def test_a_double_quoted_word_is_a_string_in_sqlite_only():
    """SQLite falls back to a string; PostgreSQL refuses."""
    sql = 'SELECT id FROM customers WHERE name = "Bob"'
    assert codes(sql) == []
    assert codes(sql, shop("postgres")) == ["schema.unknown_column"]


def test_quoted_names_keep_their_case_in_postgres():
    """An unquoted name is folded to lower case, a quoted one is not."""
    schema = Schema.from_ddl('CREATE TABLE "Sales" ("Total" int)', dialect="postgres")
    assert codes('SELECT "Total" FROM "Sales"', schema) == []
    assert codes('SELECT Total FROM "Sales"', schema) == ["schema.unknown_column"]
    report = check_sql('SELECT Total FROM "Sales"', schema=schema)
    assert report.fixed_sql == 'SELECT "Total" FROM "Sales"'


def test_without_a_schema_only_syntax_is_decided():
    """No schema is a reason, not a failure."""
    report = check_sql("SELECT anything FROM anywhere", dialect="postgres")
    assert (report.syntactic, report.schematic) == (True, None)
    assert dict(report.reasons) == {"schematic": "no_schema"}
    assert report.verdict == "not_evaluated"


def test_without_dialect_and_schema_nothing_is_decided():
    """Each label has its own reason; strict mode counts both as failed."""
    report = check_sql("SELECT 1")
    assert (report.syntactic, report.schematic) == (None, None)
    assert dict(report.reasons) == {"syntactic": "no_dialect", "schematic": "no_schema"}
    strict = check_sql("SELECT 1", strict="sql_correctness")
    assert (strict.syntactic, strict.schematic) == (False, False)
    assert dict(strict.reasons) == {"syntactic": "no_dialect", "schematic": "no_schema"}


@pytest.mark.parametrize(
    ("sql", "schematic"),
    [
        ("SELECT total_revenue FROM orders", True),
        ("SELECT ORDERS.Total_Revenue FROM Orders", True),
        ("SELECT `total_revenue` FROM `orders`", True),
        ("SELECT TOP 5 [total_revenue] FROM orders", True),
        ('SELECT total_revenue FROM orders WHERE customer = "x"', True),
        ("SELECT rowid, ctid, rownum, sysdate FROM orders", True),
        ("SELECT * FROM sqlite_master", True),
        ("SELECT revenue FROM orders", False),
        ("SELECT total_revenue FROM order", False),
    ],
)
def test_without_a_dialect_names_are_looked_up_as_any_engine_might(sql, schematic):
    """Grounding needs the schema alone; whether the SQL is valid is not decided."""
    schema = Schema.from_mapping({"orders": ["id", "total_revenue", "customer"]})
    report = check_sql(sql, schema=schema)
    assert (report.syntactic, report.schematic) == (None, schematic)
    assert dict(report.reasons) == {"syntactic": "no_dialect"}


def test_two_dialects_that_contradict_each_other_are_refused():
    """The schema's dialect and the argument must agree."""
    with pytest.raises(DialectError, match="the schema is sqlite"):
        check_sql("SELECT 1", schema=SQLITE, dialect="mysql")


def test_text_without_sql_is_a_finding():
    """An empty answer fails `syntactic`."""
    report = check_sql("  \n ", schema=SQLITE)
    assert [finding.code for finding in report.findings] == ["syntax.no_sql"]
    assert (report.syntactic, report.schematic) == (False, None)


def test_the_same_text_is_checked_once():
    """The second report is the first one, until an argument differs."""
    sql = "SELECT name FROM customers -- once"
    report = check_sql(sql, schema=SQLITE)
    assert check_sql(sql, schema=SQLITE) is report
    assert check_sql(sql, schema=SQLITE, native=False) is not report


def test_a_check_prepares_its_schema():
    """A schema counts as prepared after its first check, for its own profile."""
    schema = Schema.from_mapping({"warm": ["a"]}, dialect="duckdb")
    assert not checker.is_prepared(schema)
    check_sql("SELECT 1", schema=schema)
    assert checker.is_prepared(schema)


def test_the_asynchronous_check_says_the_same():
    """Deep text goes to a thread, the report is equal."""
    deep = "SELECT " + "(" * 30 + "name" + ")" * 30 + " FROM customers"
    for sql in ("SELECT nme FROM customers", deep):
        report = asyncio.run(check_sql_async(sql, schema=SQLITE))
        assert report is check_sql(sql, schema=SQLITE)


def test_denied_names_are_safety_errors():
    """A policy fails the verdict, not the labels."""
    policy = Policy(
        denied_tables=frozenset({"orders"}), denied_columns=frozenset({"customers.born"})
    )
    report = check_sql(
        "SELECT born FROM customers JOIN orders ON customer_id = customers.id",
        schema=SQLITE,
        policy=policy,
    )
    assert [(finding.code, finding.identifier) for finding in report.errors] == [
        ("safety.unsafe_statement", "born"),
        ("safety.unsafe_statement", "orders"),
    ]
    assert (report.syntactic, report.schematic, report.verdict) == (True, True, "failed")


def test_a_policy_accepts_any_collection_of_names():
    """Sets and lists become frozen ones; a single name is rejected in a sentence."""
    assert Policy(denied_tables={"orders"}) == Policy(denied_tables=["orders"])
    assert hash(Policy(required_filters=["tenant_id"])) == hash(
        Policy(required_filters={"tenant_id"})
    )
    with pytest.raises(ConfigError, match=r"denied_tables takes a set of names: write {'orders'}"):
        Policy(denied_tables="orders")


def test_fingerprints_ignore_literals_and_layout():
    """Texts that differ in literals, case of keywords and blanks have one fingerprint."""
    one = check_sql("SELECT name FROM customers WHERE id = 1", schema=SQLITE)
    other = check_sql("select  NAME\nfrom customers where id = 25", schema=SQLITE)
    third = check_sql("SELECT name FROM customers WHERE born = 1", schema=SQLITE)
    assert one.fingerprint == other.fingerprint != third.fingerprint


def test_fingerprints_ignore_words_that_may_be_left_out():
    """AS, INNER, semicolons and the spelling of an operator; the case of a quoted name counts."""
    texts = (
        "SELECT c.name AS n FROM customers AS c INNER JOIN orders AS o ON o.id <> c.id;",
        "SELECT c.name n FROM customers c JOIN orders o ON o.id != c.id",
    )
    assert len({check_sql(text, schema=SQLITE).fingerprint for text in texts}) == 1
    quoted = ('SELECT "Name" FROM customers', 'SELECT "name" FROM customers')
    assert len({check_sql(text, schema=SQLITE).fingerprint for text in quoted}) == 2


def test_a_report_has_all_its_fields():
    """It is filled in one go: a field that were left out would be missed where it is read."""
    from dataclasses import fields

    from sqlobs.check.report.model import CheckReport

    report = check_sql("SELECT name FROM customers", schema=SQLITE)
    assert set(vars(report)) == {field.name for field in fields(CheckReport)}


def test_a_profile_can_be_given_instead_of_a_name():
    """MySQL with `lower_case_table_names=1` compares table names without case."""
    from dataclasses import replace

    schema = shop("mysql")
    assert codes("SELECT name FROM Customers", schema) == ["schema.unknown_table"]
    profile = replace(Profile.named("mysql"), lower_case_table_names=1)
    assert check_sql("SELECT name FROM Customers", schema=schema, dialect=profile).errors == ()


def test_an_internal_error_gives_a_report_and_no_exception(monkeypatch):
    """Whatever breaks inside a check, both labels are None with the reason `error`."""
    from sqlobs.check import assessment

    def broken(_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(assessment, "_assessed", broken)
    report = check_sql("SELECT 'never seen before'", schema=SQLITE)
    assert dict(report.reasons) == {"syntactic": "error", "schematic": "error"}


def test_what_the_engine_tolerates_is_a_warning_and_in_strict_mode_an_error():
    """SQLite sums text: both labels hold and the verdict is suspect; SQL Correctness fails it."""
    sql = "SELECT sum(name) FROM customers"
    report = check_sql(sql, schema=SQLITE)
    assert (report.syntactic, report.schematic, report.verdict) == (True, True, "suspect")
    strict = check_sql(sql, schema=SQLITE, strict="sql_correctness")
    assert (strict.syntactic, strict.schematic, strict.verdict) == (True, False, "failed")


def test_strict_mode_counts_a_missing_dialect_or_schema_as_failed():
    """The labels are false, and the reasons stay."""
    report = check_sql("SELECT 1", dialect="sqlite", strict="sql_correctness")
    assert (report.syntactic, report.schematic) == (True, False)
    assert dict(report.reasons) == {"schematic": "no_schema"}
    report = check_sql("SELECT 1", strict="sql_correctness")
    assert (report.syntactic, report.schematic) == (False, False)


def test_a_wrong_name_in_a_cte_that_nothing_reads_is_a_warning_in_sqlite():
    """SQLite never looks there; PostgreSQL does."""
    sql = "WITH unused AS (SELECT ghost FROM customers) SELECT name FROM customers"
    report = check_sql(sql, schema=SQLITE, native=False)
    assert [(one.code, one.severity) for one in report.findings] == [
        ("schema.unknown_column", "warning")
    ]
    assert report.schematic is True
    assert check_sql(sql, schema=shop("postgres")).schematic is False


def test_nothing_of_a_statement_is_written_into_the_host_s_log(caplog):
    """sqlglot warns about what it keeps as text, and quotes it; the host's own use may continue."""
    import sqlglot

    check_sql("EXPLAIN ANALYZE SELECT 'secret'", schema=shop("postgres"))
    assert "secret" not in caplog.text
    sqlglot.parse_one("EXPLAIN ANALYZE SELECT 'mine'", read="postgres")
    assert "mine" in caplog.text


def test_invalid_names_give_no_internal_error():
    """DuckDB reads `x: 1` as an alias, of `:p` one without a name; `? -> id` looks like a lambda."""
    for sql in (
        "SELECT (:p) FROM orders",
        "SELECT count(*), :p FROM orders GROUP BY p",
        "SELECT sum(? -> id) FROM orders",
        "SELECT CAST(id AS " + "initcap(" * 8 + "int" + ")" * 8 + ") FROM orders",
    ):
        report = check_sql(sql, schema=shop("duckdb"), native=False)
        assert "error" not in report.reasons.values()


def test_a_star_in_a_scalar_subquery_gives_no_internal_error():
    """DuckDB's `column.*` has a name before its star, a query has none."""
    sql = "SELECT (SELECT * FROM customers) FROM orders"
    report = check_sql(sql, schema=shop("duckdb"), native=False)
    assert "error" not in report.reasons.values()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_what_stands_in_a_query_for_a_value_that_gives_a_star_is_judged(dialect):
    """Such a query is no star itself, though sqlglot calls it one."""
    sql = "SELECT (SELECT * FROM ghosts), (SELECT c.* FROM customers c WHERE ghost = 1) FROM orders"
    report = check_sql(sql, schema=shop(dialect), native=False)
    assert (report.unknown_tables, report.unknown_columns) == (("ghosts",), ("ghost",))


def test_an_operator_as_a_target_gives_no_internal_error():
    """sqlglot reads `<>id` as a column `<>` of the type `id`."""
    sql = "INSERT INTO orders (<>id, ghost) SELECT id FROM orders"
    report = check_sql(sql, schema=SQLITE, native=False)
    assert "error" not in report.reasons.values()


def test_a_literal_as_a_target_of_a_row_gives_no_internal_error():
    report = check_sql("UPDATE orders SET ('a', id) = (1, 2)", schema=SQLITE, native=False)
    assert "error" not in report.reasons.values()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_extract_of_a_week_is_resolved(dialect):
    """`week(d)` is a call with a unit in some engines; here, WEEK is the unit itself."""
    report = check_sql("SELECT extract(WEEK FROM ghost) FROM orders", schema=shop(dialect))
    assert report.unknown_columns == ("ghost",)


def test_text_that_only_another_dialect_can_cut_is_judged_by_it():
    """An open backtick: a write is reported, and so is a condition that is always true."""
    always = "A condition that is always true disables the conditions joined with OR."
    for sql, told in (
        ("UPDATE` orders SET status = id", "UPDATE is not read-only."),
        ("DELETE` FROM orders", "DELETE is not read-only."),
        ("SELECT id FROM orders` WHERE id = 1 OR 1 = 1", always),
    ):
        report = check_sql(sql, schema=SQLITE, native=False)
        assert report.syntactic is False
        found = [one.message for one in report.errors if one.code == "safety.unsafe_statement"]
        assert found == [told]


def test_texts_of_an_earlier_check_are_those_of_a_late_one():
    """Tokens that are made again are cut in the mode of the check: `"a"` is a name under ANSI_QUOTES."""
    from dataclasses import replace

    schema = shop("mysql")
    profile = replace(Profile.named("mysql"), sql_mode=("ANSI_QUOTES",))

    def checked(number: int):
        sql = f'SELECT "name" FROM customers LIMIT {number}'
        return check_sql(sql, schema=schema, dialect=profile)

    at_once = checked(1000)
    texts = (at_once.fingerprint, at_once.masked_sql)
    reports = [checked(number) for number in range(1001, 1041)]
    assert (reports[0].fingerprint, reports[0].masked_sql) == texts


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_a_name_in_order_by_is_told_to_be_ambiguous_once_its_columns_are_there(dialect):
    """Two columns of the name are; an unknown one is reported once, at its position."""
    schema = shop(dialect)

    def told(left: str, right: str):
        sql = f"SELECT {left}, {right} FROM orders o JOIN customers c ON c.id = o.customer_id"
        name = left.partition(".")[2]
        report = check_sql(f"{sql} ORDER BY {name}", schema=schema, native=False)
        return [(finding.code, finding.identifier) for finding in report.errors]

    assert told("o.id", "c.id") == [("schema.ambiguous_ref", "id")]
    assert told("o.id", "o.status") == []
    assert told("o.ghost", "c.ghost") == [("schema.unknown_column", "ghost")] * 2


@pytest.mark.parametrize(
    ("sql", "suggestion"),
    [
        ("SELECT customers.name FROM customers AS c", "c"),
        ("SELECT custmers.name FROM customers", "customers"),
        ("SELECT nme AS nme FROM customers", "name"),
    ],
)
def test_what_is_suggested_is_never_the_wrong_name_itself(sql, suggestion):
    """Behind an alias it is the alias, and the name that the list gives an item is no column."""
    report = check_sql(sql, schema=SQLITE)
    assert [finding.suggestion for finding in report.findings] == [suggestion]


def test_the_extension_of_every_postgres_database_brings_no_functions():
    """A schema read from a server has plpgsql: unknown functions stay unknown beside it."""
    schema = Schema.from_ddl("CREATE EXTENSION plpgsql; CREATE TABLE t (a int)", dialect="postgres")
    report = check_sql("SELECT nosuch(a), IFNULL(a, 0) FROM t", schema=schema)
    assert (report.syntactic, report.schematic) == (False, True)
    assert [finding.identifier for finding in report.findings] == ["nosuch", "IFNULL"]
    further = Schema.from_ddl(
        "CREATE EXTENSION postgis; CREATE TABLE t (a int)", dialect="postgres"
    )
    assert check_sql("SELECT nosuch(a) FROM t", schema=further).syntactic is None


def test_a_version_in_the_dialect_of_a_script_is_the_profiles():
    """A schema has a dialect; the version is given to the check."""
    schema = Schema.from_ddl("CREATE TABLE t (a int)", dialect="mysql:8.0")
    report = check_sql("SELECT a FROM t", schema=schema, dialect="mysql:8.0")
    assert (schema.dialect, report.engine, report.ok) == ("mysql", "mysql 8.0", True)


def test_an_unknown_strict_mode_is_rejected():
    """A misspelled one would judge by rules that nobody asked for."""
    with pytest.raises(InputError, match="strict: use 'sql_correctness', or None"):
        check_sql("SELECT 1", strict="correctness")
