"""The schema as a value: version, lookups, documents, rendering, mappings."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs import Column, ForeignKey, Schema, Sqlobs, Table, check_sql
from sqlobs.dialects.registry import DIALECTS, dialect_name, identifier_rules
from sqlobs.errors import ConfigError, DialectError, SchemaError

ORDERS = Table(
    "orders",
    (
        Column("id", "integer", nullable=False, primary_key=True),
        Column("order", "text", unique=True, default="'new'", description="its\n state"),
        Column("Customer Id", "integer", nullable=False, sample_values=("7", "9")),
    ),
    db="sales",
    primary_key=("id",),
    unique_keys=(("order", "Customer Id"),),
    foreign_keys=(
        ForeignKey(("Customer Id",), "sales.customers", ("id",)),
        ForeignKey(("id", "order"), "archive"),
    ),
    description="What was bought",
)
CUSTOMERS = Table("customers", (Column("id"),), db="sales")
VIEW = Table("top", (Column("id", "integer"), Column("n")), kind="view")
OPEN_VIEW = Table("open", (), kind="view")
SHOP = Schema((ORDERS, CUSTOMERS, VIEW, OPEN_VIEW), dialect="postgres", search_path=("sales",))

names = st.text(min_size=1, max_size=8)
texts = st.none() | names
name_lists = st.lists(names, max_size=3).map(tuple)
columns = st.builds(
    Column,
    names,
    texts,
    nullable=st.none() | st.booleans(),
    unique=st.booleans(),
    primary_key=st.booleans(),
    default=texts,
    generated=st.booleans(),
    hidden=st.booleans(),
    description=texts,
    sample_values=name_lists,
)
tables = st.builds(
    Table,
    names,
    st.lists(columns, max_size=3).map(tuple),
    db=texts,
    catalog=texts,
    primary_key=st.none() | name_lists,
    unique_keys=st.lists(name_lists, max_size=2).map(tuple),
    foreign_keys=st.lists(st.builds(ForeignKey, name_lists, names, name_lists), max_size=2).map(
        tuple
    ),
    kind=st.sampled_from(["table", "view"]),
    description=texts,
)
schemas = st.builds(
    Schema,
    st.lists(tables, max_size=3, unique_by=lambda t: (t.catalog, t.db, t.name)).map(tuple),
    dialect=st.sampled_from([None, "postgres", "sqlite"]),
    functions=name_lists,
    extensions=name_lists,
    search_path=name_lists,
    types=name_lists,
    enums=st.lists(name_lists, max_size=2).map(tuple),
)


@given(schemas)
def test_a_document_loses_nothing(schema):
    """`from_json` gives every field of every part back."""
    again = Schema.from_json(schema.to_json())
    assert (again.tables, again.dialect, again.functions, again.types) == (
        schema.tables,
        schema.dialect,
        schema.functions,
        schema.types,
    )
    assert (again.extensions, again.search_path) == (schema.extensions, schema.search_path)
    assert again.enums == schema.enums
    assert again.version == schema.version


@given(schemas, st.randoms(use_true_random=False))
def test_the_version_does_not_depend_on_the_order_of_tables(schema, random):
    """A catalog lists its tables in any order."""
    shuffled = list(schema.tables)
    random.shuffle(shuffled)
    assert Schema(tuple(shuffled), dialect=schema.dialect).version == (
        Schema(schema.tables, dialect=schema.dialect).version
    )


def test_the_version_changes_with_everything_the_schema_says():
    """Order of columns, keys that are unknown or known to be none, dialect, descriptions."""
    variants = [
        Schema((Table("t", (Column("a"), Column("b"))),)),
        Schema((Table("t", (Column("b"), Column("a"))),)),
        Schema((Table("t", (Column("a"), Column("b")), primary_key=()),)),
        Schema((Table("t", (Column("a", "int"), Column("b"))),)),
        Schema((Table("t", (Column("a", description="int"), Column("b"))),)),
        Schema((Table("t", (Column("a"), Column("b"))),), dialect="sqlite"),
        Schema((Table("t", (Column("a"), Column("b"))),), functions=("f",)),
    ]
    assert len({schema.version for schema in variants}) == len(variants)
    assert len(set(variants)) == len(variants)


def test_the_version_is_the_same_in_every_process():
    """Collectors and workers know a schema by it."""
    program = (
        "from sqlobs import Schema; "
        "print(Schema.from_ddl('CREATE TABLE t (id int)', dialect='postgres').version)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {Schema.from_ddl("CREATE TABLE t (id int)", dialect="postgres").version}


def test_rendering_shows_keys_descriptions_and_samples():
    """What a judge reads is DDL, with remarks where DDL has no place for them."""
    assert SHOP.render() == (
        "-- What was bought\n"
        "CREATE TABLE sales.orders (\n"
        "  id integer PRIMARY KEY,\n"
        "  \"order\" text UNIQUE DEFAULT 'new', -- its state\n"
        '  "Customer Id" integer NOT NULL REFERENCES sales.customers (id), -- e.g. 7, 9\n'
        '  UNIQUE ("order", "Customer Id"),\n'
        '  FOREIGN KEY (id, "order") REFERENCES archive\n'
        ");\n\n"
        "CREATE TABLE sales.customers (\n  id\n);\n\n"
        "CREATE VIEW top (\n  id integer,\n  n\n);\n\n"
        "CREATE VIEW open; -- columns unknown"
    )


def test_rendering_shows_the_chosen_tables_in_the_order_of_the_schema():
    """A pruned schema is what a prompt has room for."""
    assert SHOP.render(["top", "sales.customers"]) == (
        "CREATE TABLE sales.customers (\n  id\n);\n\nCREATE VIEW top (\n  id integer,\n  n\n);"
    )
    with pytest.raises(SchemaError, match=r"^the schema has no table 'nowhere'\.$"):
        SHOP.render(["nowhere"])


def test_rendered_ddl_is_read_back_as_the_same_schema():
    """Nothing that DDL can say is lost on the way."""
    ddl = (
        'CREATE TABLE "T" (a int PRIMARY KEY, "B c" text NOT NULL UNIQUE, d text DEFAULT \'x\','
        " e int REFERENCES u (id), PRIMARY KEY (a), UNIQUE (d, e)); CREATE TABLE u (id int);"
    )
    schema = Schema.from_ddl(ddl, dialect="postgres")
    assert Schema.from_ddl(schema.render(), dialect="postgres") == schema


def test_lookups_follow_the_case_rules_of_the_dialect():
    """PostgreSQL tells `Orders` from `orders`, SQLite does not."""
    exact = Schema((Table("Orders", ()), Table("orders", ())), dialect="postgres")
    assert exact.table("orders") is exact.tables[1]
    assert exact.table("ORDERS") is None
    loose = Schema((Table("Orders", (), db="main"),), dialect="sqlite")
    assert loose.table("ORDERS", db="MAIN") is loose.tables[0]
    assert loose.table("orders", db="other") is None


def test_two_tables_of_one_name_contradict_each_other():
    """No verdict could say which of them is meant."""
    with pytest.raises(SchemaError, match=r"^the schema has the table s\.t twice\.$"):
        Schema((Table("t", (), db="s"), Table("t", (), db="s")))


def test_a_mapping_gives_names_and_types_and_leaves_keys_unknown():
    """Types and lists of names may be mixed; dotted names carry their namespace."""
    schema = Schema.from_mapping(
        {"sales.orders": {"id": "int", "note": None}, "x": ["a", "b"]}, dialect="PostgreSQL"
    )
    assert schema == Schema(
        (
            Table("orders", (Column("id", "int"), Column("note")), db="sales"),
            Table("x", (Column("a"), Column("b"))),
        ),
        dialect="postgres",
    )
    assert schema.tables[0].primary_key is None


def test_a_mapping_in_lower_case_is_folded_where_the_catalog_is_upper_case():
    """Nobody's whole Snowflake catalog is in lower case; people's mappings are."""
    folded = Schema.from_mapping({"orders": {"id": "int"}}, dialect="snowflake")
    assert folded.tables[0] == Table("ORDERS", (Column("ID", "int"),))
    kept = Schema.from_mapping({"Orders": ["id"]}, dialect="snowflake")
    assert kept.tables[0] == Table("Orders", (Column("id"),))


def test_a_mapping_of_another_form_is_refused():
    """A string is a list of letters only by accident."""
    with pytest.raises(SchemaError) as caught:
        Schema.from_mapping({"orders": "id"})
    assert str(caught.value) == (
        "the columns of 'orders' must be a mapping of names to types, or a list of names."
    )


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            "{",
            "the schema document is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1).",
        ),
        ("[]", 'the schema document lacks "format": "sqlobs.schema/1".'),
        ('{"format": "sqlobs.schema/1"}', "the schema document lacks 'tables'."),
        ('{"format": "sqlobs.schema/1", "tables": [{"name": "t"}]}', "tables[0] lacks 'columns'."),
        (
            '{"format": "sqlobs.schema/1", "tables": [{"name": 1, "columns": []}]}',
            "tables[0].name has a value of the wrong kind: 1.",
        ),
        (
            '{"format": "sqlobs.schema/1", "tables": [{"name": "t", "columns": [{"name": "a", "typ": "x"}]}]}',
            "tables[0].columns[0] has an unknown key 'typ'.",
        ),
        ('{"format": "sqlobs.schema/1", "tables": {}}', "tables must be a list."),
        ('{"format": "sqlobs.schema/1", "tables": [1]}', "tables[0] must be an object."),
    ],
)
def test_a_broken_document_is_refused_with_the_place(document, message):
    """One sentence names what does not fit and where."""
    with pytest.raises(SchemaError) as caught:
        Schema.from_json(document)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("PostgreSQL", "postgres"),
        ("T-SQL", "tsql"),
        ("Spark SQL", "spark"),
        ("MariaDB", "mysql"),
        ("google_bigquery", "bigquery"),
        ("SQLite3", "sqlite"),
        ("SQL Server", "tsql"),
    ],
)
def test_dialects_are_recognized_by_their_usual_spellings(spelling, name):
    """People write the product's name, not sqlglot's."""
    assert dialect_name(spelling) == name


def test_every_dialect_listed_is_one_of_sqlglot():
    """The list is written out, so it is compared with the library here."""
    from sqlglot.dialects.dialect import Dialects

    assert {dialect.value for dialect in Dialects} - {""} >= DIALECTS


def test_a_word_that_is_no_dialect_is_refused():
    """The message says what a dialect looks like."""
    with pytest.raises(DialectError) as caught:
        dialect_name("klingon!!")
    assert str(caught.value) == (
        "unknown SQL dialect 'klingon!!': use one of sqlglot's names, such as 'postgres' or 'sqlite'."
    )


@pytest.mark.parametrize(
    ("dialect", "stored", "table_same", "column_same"),
    [
        ("postgres", "abc", False, False),
        ("snowflake", "ABC", False, False),
        ("mysql", "aBc", False, True),
        ("sqlite", "aBc", True, True),
        ("bigquery", "aBc", False, True),
        ("clickhouse", "aBc", False, False),
        (None, "aBc", True, True),
    ],
)
def test_identifier_rules_of_each_family(dialect, stored, table_same, column_same):
    """How `aBc` is stored, and whether quoted `aBc` and `AbC` are the same table or column."""
    rules = identifier_rules(dialect)
    assert rules.stored("aBc", quoted=False) == stored
    assert rules.stored("aBc", quoted=True) == "aBc"
    assert (rules.table_key("aBc") == rules.table_key("AbC")) is table_same
    assert (rules.column_key("aBc") == rules.column_key("AbC")) is column_same


@pytest.mark.parametrize("ddl", ["hello, not ddl", "INSERT INTO a VALUES (1)", "-- nothing"])
def test_a_script_that_defines_nothing_is_refused(ddl):
    """Every name would be called invented against it."""
    with pytest.raises(SchemaError, match=r"^the script defines no table or view"):
        Schema.from_ddl(ddl, dialect="postgres")


def test_a_mapping_of_namespaces_is_told_how_to_name_its_tables():
    """Tables are not taken for columns, nor namespaces for tables."""
    with pytest.raises(SchemaError, match=r"'public\.orders'\.$"):
        Schema.from_mapping({"public": {"orders": {"total": "int"}}}, dialect="postgres")
    with pytest.raises(SchemaError, match=r"^the columns of 'orders'"):
        Schema.from_mapping({"orders": {"total": 5}}, dialect="postgres")


@pytest.mark.parametrize("schema", ["CREATE TABLE a (b int)", {"a": {"b": "int"}}])
def test_what_is_no_schema_is_said_where_it_is_given(schema):
    """A script or a mapping is read first."""
    with pytest.raises(SchemaError, match=r"Schema\.from_ddl"):
        check_sql("SELECT b FROM a", schema=schema, dialect="sqlite")
    with pytest.raises(ConfigError, match=r"^argument schema: .*Schema\.from_ddl"):
        Sqlobs(schema=schema, dialect="sqlite")
