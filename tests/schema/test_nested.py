"""Nested and repeated columns: read from every source, rendered, compared, and resolved."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.check import check_sql
from sqlobs.cli import main
from sqlobs.errors import SchemaError
from sqlobs.schema import Change, Column, Schema, Table, changes
from sqlobs.schema.declared_type import declared_type

ORDERS = {
    "bigquery": "STRUCT<name STRING, address STRUCT<city STRING>>",
    "clickhouse": "Tuple(name String, address Tuple(city String))",
    "databricks": "STRUCT<name: STRING, address: STRUCT<city: STRING>>",
    "duckdb": "STRUCT(name VARCHAR, address STRUCT(city VARCHAR))",
    "spark": "struct<name:string,address:struct<city:string>>",
    "trino": "ROW(name VARCHAR, address ROW(city VARCHAR))",
}
"""The type of the column `customer` in the spelling of each engine."""


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("ARRAY<STRUCT<sku STRING, prices ARRAY<NUMERIC(10, 2)>>>", "sku prices"),
        ("struct<a:int,b:array<struct<c:string>>>", "a b b.c"),
        ('STRUCT(a INTEGER, "b c" DECIMAL(10,2))[]', "a b|c"),
        ("Array(Tuple(a LowCardinality(String), b Nullable(Int32)))", "a b"),
        ("Nested(a Enum8('x,)' = 1), b DateTime64(3, 'UTC'))", "a b"),
        ("OBJECT(a NUMBER(38,0) NOT NULL, b ARRAY(VARCHAR))", "a b"),
        ("ROW(a timestamp(3) with time zone, b double precision)", "a b"),
        ("MAP<STRING, STRUCT<a INT64>>", ""),
        ("JSON", ""),
        ("numeric(10,2)", ""),
        ("STRUCT<a", ""),
        ("STRUCT<>", ""),
        ("STRUCT<a " * 500 + "INT64" + ">" * 500, ""),
    ],
)
def test_the_fields_of_a_type_have_paths(text, paths):
    """Whatever the engine; a type that cannot be read has none."""
    expected = [path.replace("|", " ") for path in paths.split()]
    assert [path for path, _ in declared_type(text).paths()] == expected


def test_a_field_has_its_type_whether_it_can_be_null_and_its_description():
    """Descriptions are no part of the type."""
    found = declared_type("struct<a: int NOT NULL COMMENT 'it''s', b: struct<`c d`: string>>")
    assert found.text == "struct<a: int NOT NULL, b: struct<`c d`: string>>"
    assert [
        (path, one.type.text, one.nullable, one.description) for path, one in found.paths()
    ] == [
        ("a", "int", False, "it's"),
        ("b", "struct<`c d`: string>", None, None),
        ("b.c d", "string", None, None),
    ]


@given(st.text("STRUCT<>()[],:` '\"aInt64-\n", max_size=60))
def test_every_text_is_a_type(text):
    """What cannot be read is plain; nothing raises."""
    found = declared_type(text)
    assert found.shape == "plain" or found.fields or found.parts


DESCRIBED = {
    "bigquery": """
        CREATE TABLE orders (customer STRUCT<
          name STRING OPTIONS(description='in full'),
          address STRUCT<city STRING -- where
          >
        > NOT NULL OPTIONS(description='buyer'))
    """,
    "databricks": """
        CREATE TABLE orders (customer STRUCT<name STRING COMMENT 'in full',
          address STRUCT<city STRING COMMENT 'where'>> NOT NULL COMMENT 'buyer')
    """,
}


@pytest.mark.parametrize("dialect", DESCRIBED)
def test_ddl_describes_fields(dialect):
    assert Schema.from_ddl(DESCRIBED[dialect], dialect=dialect).tables[0].columns == (
        Column(
            "customer",
            "STRUCT<name STRING, address STRUCT<city STRING>>",
            nullable=False,
            description="buyer",
            field_descriptions=(("name", "in full"), ("address.city", "where")),
        ),
    )


FIELDS = [
    {"name": "id", "type": "INTEGER", "mode": "REQUIRED"},
    {
        "name": "items",
        "type": "RECORD",
        "mode": "REPEATED",
        "description": "One per product",
        "fields": [
            {"name": "sku", "type": "STRING", "maxLength": "12", "description": "Its code"},
            {
                "name": "price",
                "type": "RECORD",
                "fields": [
                    {"name": "net", "type": "NUMERIC", "precision": "10", "scale": "2"},
                    {"name": "valid", "type": "RANGE", "rangeElementType": {"type": "DATE"}},
                ],
            },
        ],
    },
]
ITEMS = Column(
    "items",
    "ARRAY<STRUCT<sku STRING(12), price STRUCT<net NUMERIC(10, 2), valid RANGE<DATE>>>>",
    nullable=True,
    description="One per product",
    field_descriptions=(("sku", "Its code"),),
)


@pytest.mark.parametrize("document", [FIELDS, {"fields": FIELDS}])
def test_a_bigquery_schema_file_is_a_table_named_by_its_file(document, tmp_path, capsys):
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(document))
    assert main(["schema", "pull", str(path), "--dialect", "bigquery"]) == 0
    assert Schema.from_json(capsys.readouterr().out).tables == (
        Table("orders", (Column("id", "INT64", nullable=False), ITEMS)),
    )
    [table] = Schema.from_export(
        path.read_text(), dialect="bigquery", table="acme.shop.orders"
    ).tables
    assert table.full_name == "acme.shop.orders"
    with pytest.raises(SchemaError, match="does not name its table"):
        Schema.from_export(path.read_text(), dialect="bigquery")


def test_rows_of_field_paths_describe_fields():
    """BigQuery's COLUMN_FIELD_PATHS has a row for each field, in any order."""
    kind = "ARRAY<STRUCT<sku STRING>>"
    rows = [
        {"column_name": "items", "field_path": "items.sku", "description": "Its code"},
        {"column_name": "items", "field_path": "items", "description": "One per product"},
    ]
    text = json.dumps([{**row, "table_name": "orders", "data_type": kind} for row in rows])
    assert Schema.from_export(text, dialect="bigquery").tables[0].columns == (
        Column(
            "items",
            kind,
            description="One per product",
            field_descriptions=(("sku", "Its code"),),
        ),
    )


def manifest(columns: dict[str, dict[str, str]], adapter: str = "bigquery") -> str:
    node = {
        "resource_type": "model",
        "name": "orders",
        "columns": {name: {"name": name, **facts} for name, facts in columns.items()},
    }
    return json.dumps({"metadata": {"adapter_type": adapter}, "nodes": {"model.orders": node}})


def test_dbt_s_columns_with_dots_are_fields():
    """As dbt builds contracts: the column's own type tells whether it is repeated."""
    columns = {
        "id": {"data_type": "int64"},
        "items": {"data_type": "array", "description": "One per product"},
        "items.sku": {"data_type": "string", "description": "Its code"},
        "items.price.net": {"data_type": "numeric"},
        "customer.name": {"data_type": "string"},
        "tags.name": {"description": "no type"},
    }
    assert Schema.from_dbt_manifest(manifest(columns)).tables[0].columns == (
        Column("id", "int64"),
        Column(
            "items",
            "ARRAY<STRUCT<sku string, price STRUCT<net numeric>>>",
            description="One per product",
            field_descriptions=(("sku", "Its code"),),
        ),
        Column("customer", "STRUCT<name string>"),
        Column("tags", field_descriptions=(("name", "no type"),)),
    )


def test_dbt_s_columns_with_dots_stay_columns_in_clickhouse():
    """There `items.sku` is the name of a column."""
    columns = {"items.sku": {"data_type": "Array(String)"}}
    assert Schema.from_dbt_manifest(manifest(columns, "clickhouse")).tables[0].columns == (
        Column("items.sku", "Array(String)"),
    )


def orders(kind: str, dialect: str = "bigquery") -> Schema:
    return Schema.from_mapping({"orders": {"customer": kind}}, dialect=dialect)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("STRUCT<a INT64>", "struct<a: int64>", ()),
        ("ARRAY<STRUCT<a INT64>>", "STRUCT(a int64)[]", ()),
        ("STRUCT<a INT64>", "STRUCT<A INT64, b DATE>", [("added", "b", None, "DATE")]),
        ("STRUCT<a INT64, b DATE>", "STRUCT<b DATE>", [("removed", "a", "INT64", None)]),
        (
            "STRUCT<a ARRAY<STRUCT<b INT64>>>",
            "STRUCT<a ARRAY<STRUCT<b STRING>>>",
            [("retyped", "a.b", "INT64", "STRING")],
        ),
        (
            "STRUCT<a INT64>",
            "ARRAY<STRUCT<a INT64>>",
            [("retyped", "", "STRUCT<a INT64>", "ARRAY<STRUCT<a INT64>>")],
        ),
        (
            "MAP<STRING, INT64>",
            "MAP<STRING, DATE>",
            [("retyped", "", "MAP<STRING, INT64>", "MAP<STRING, DATE>")],
        ),
    ],
)
def test_drift_is_told_by_field(old, new, found):
    """Spelling and case are no change; another shape changes the whole column."""
    expected = tuple(
        Change(kind, "orders", f"customer.{path}".rstrip("."), old_type=before, new_type=after)
        for kind, path, before, after in found
    )
    assert changes(orders(old), orders(new)) == expected


def test_rendering_shows_fields_and_their_descriptions():
    """Below the column, so that the DDL can be read again."""
    column = Column(
        "customer",
        ORDERS["bigquery"],
        description="buyer",
        field_descriptions=(("name", "in full"), ("address.city", "where\nthey live")),
    )
    schema = Schema((Table("orders", (column, Column("id", "INT64"))),), dialect="bigquery")
    assert schema.render() == (
        "CREATE TABLE orders (\n"
        "  customer STRUCT<name STRING, address STRUCT<city STRING>>, -- buyer\n"
        "    -- customer.name: in full\n"
        "    -- customer.address.city: where they live\n"
        "  id INT64\n"
        ");"
    )
    [table] = Schema.from_ddl(schema.render(), dialect="bigquery").tables
    assert [(one.name, one.type, one.description) for one in table.columns] == [
        ("customer", ORDERS["bigquery"], "buyer"),
        ("id", "INT64", None),
    ]
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize("dialect", ORDERS)
@pytest.mark.parametrize(
    ("sql", "name", "suggestion"),
    [
        ("SELECT orders.customer.nam FROM orders", "nam", "name"),
        ("SELECT customer.nam FROM orders", "nam", "name"),
        ("SELECT o.customer.address.citi FROM orders o", "citi", "city"),
    ],
)
def test_an_invented_field_gets_a_suggestion(dialect, sql, name, suggestion):
    schema = orders(ORDERS[dialect], dialect)
    [finding] = check_sql(sql, schema=schema, native=False).findings
    assert (finding.code, finding.identifier, finding.suggestion) == (
        "schema.unknown_column",
        name,
        suggestion,
    )
    assert check_sql(sql.replace(name, suggestion), schema=schema, native=False).ok
