"""Schemas from rows that a warehouse's console exports."""

from __future__ import annotations

import json

import pytest
import sqlglot

from sqlobs.check import check_sql
from sqlobs.cli import main
from sqlobs.dialects.documents import columns_query
from sqlobs.dialects.registry import all_dialects
from sqlobs.errors import SchemaError
from sqlobs.schema import Column, Schema, Table

SNOWFLAKE = (
    "TABLE_CATALOG,TABLE_SCHEMA,TABLE_NAME,TABLE_TYPE,COLUMN_NAME,ORDINAL_POSITION,DATA_TYPE,"
    "NUMERIC_PRECISION,NUMERIC_SCALE,IS_NULLABLE,COLUMN_DEFAULT,COMMENT\r\n"
    'SHOP,PUBLIC,ORDERS,BASE TABLE,TOTAL,2,NUMBER,12,2,YES,,"In USD, with tax"\r\n'
    "SHOP,PUBLIC,ORDERS,BASE TABLE,ID,1,NUMBER,38,0,NO,,\r\n"
    "SHOP,PUBLIC,OPEN_ORDERS,VIEW,ID,1,TEXT,NULL,NULL,YES,NULL,NULL\r\n"
)
BIGQUERY = {
    "kind": "bigquery#table",
    "type": "TABLE",
    "tableReference": {"projectId": "acme", "datasetId": "shop", "tableId": "orders"},
    "schema": {
        "fields": [
            {"name": "id", "type": "INTEGER", "mode": "REQUIRED"},
            {
                "name": "items",
                "type": "RECORD",
                "mode": "REPEATED",
                "description": "One per product",
                "fields": [
                    {"name": "sku", "type": "STRING", "mode": "NULLABLE"},
                    {"name": "prices", "type": "FLOAT", "mode": "REPEATED"},
                ],
            },
        ]
    },
}


def test_rows_as_csv_become_tables_in_the_order_of_their_positions():
    assert Schema.from_export(SNOWFLAKE, dialect="snowflake").tables == (
        Table(
            "ORDERS",
            (
                Column("ID", "NUMBER(38,0)", nullable=False),
                Column("TOTAL", "NUMBER(12,2)", nullable=True, description="In USD, with tax"),
            ),
            db="PUBLIC",
            catalog="SHOP",
        ),
        Table(
            "OPEN_ORDERS",
            (Column("ID", "TEXT", nullable=True),),
            db="PUBLIC",
            catalog="SHOP",
            kind="view",
        ),
    )


@pytest.mark.parametrize("form", ["array", "lines"])
def test_rows_as_json_give_the_same_schema(form):
    names, *rows = (line.split(",") for line in SNOWFLAKE.replace('"', "").splitlines())
    records = [dict(zip(names, row, strict=False)) for row in rows]
    records[0]["COMMENT"] = "In USD, with tax"
    text = json.dumps(records) if form == "array" else "\n".join(map(json.dumps, records))
    found = Schema.from_export(text, dialect="snowflake")
    assert found == Schema.from_export(SNOWFLAKE, dialect="snowflake")


def test_the_type_in_full_goes_before_the_simple_one():
    """Databricks' DATA_TYPE of a structure is STRUCT alone."""
    text = (
        "table_name,column_name,data_type,full_data_type\norders,buyer,STRUCT,struct<name:string>\n"
    )
    [table] = Schema.from_export(text, dialect="databricks").tables
    assert table.columns == (Column("buyer", "struct<name:string>"),)


@pytest.mark.parametrize("text", [json.dumps(BIGQUERY, indent=2), json.dumps([BIGQUERY])])
def test_bigquery_s_description_of_a_table_keeps_nested_and_repeated_fields(text):
    assert Schema.from_export(text, dialect="bigquery").tables == (
        Table(
            "orders",
            (
                Column("id", "INT64", nullable=False),
                Column(
                    "items",
                    "ARRAY<STRUCT<sku STRING, prices ARRAY<FLOAT64>>>",
                    nullable=True,
                    description="One per product",
                ),
            ),
            db="shop",
            catalog="acme",
        ),
    )


def test_verdicts_rest_on_the_exported_columns():
    schema = Schema.from_export(SNOWFLAKE, dialect="snowflake")
    assert check_sql("SELECT total FROM orders", schema=schema).ok
    [invented] = check_sql("SELECT totals FROM orders", schema=schema).findings
    assert (invented.code, invented.identifier, invented.suggestion) == (
        "schema.unknown_column",
        "totals",
        "TOTAL",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("table_name,column_name\norders,\n", "row 1 has no column_name"),
        ("table_name,column_name\n", "there are no rows"),
        ("[1]", "the export is not a list of objects"),
        ("[{", "the export is not JSON"),
        ('{"tableReference": {}}', "BigQuery's description of a table has no schema"),
    ],
)
def test_what_is_no_export_is_one_sentence(text, sentence):
    with pytest.raises(SchemaError, match=sentence):
        Schema.from_export(text, dialect="bigquery")


@pytest.mark.parametrize("name", [one.name for one in all_dialects() if columns_query(one.name)])
def test_each_query_selects_what_is_read(name):
    """It parses in its own dialect, and names the columns that every row needs."""
    [query] = sqlglot.parse(columns_query(name), read=name)
    assert {"table_name", "column_name", "ordinal_position"} <= set(query.named_selects)
    assert {"data_type", "full_data_type"} & set(query.named_selects)


def test_the_command_turns_an_export_into_a_document(tmp_path, capsys):
    rows, document = tmp_path / "columns.csv", tmp_path / "shop.json"
    rows.write_text(SNOWFLAKE)
    assert main(["schema", "query", "snowflake"]) == 0
    assert "FROM information_schema.columns" in capsys.readouterr().out
    arguments = ["schema", "pull", str(rows), "--dialect", "snowflake", "--output", str(document)]
    assert main(arguments) == 0
    schema = Schema.from_json(document.read_text())
    assert schema == Schema.from_export(SNOWFLAKE, dialect="snowflake")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "sqlite"], "no query is known for sqlite; there is one for bigquery"),
        (["pull", "{rows}"], "has the rows of a system catalog; give its dialect with --dialect"),
        (["pull", "{rows}", "--namespace", "x"], "--namespace selects from a live database"),
        (["pull", "missing.csv", "--dialect", "bigquery"], "missing.csv: no such file"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, capsys, arguments, sentence):
    rows = tmp_path / "columns.csv"
    rows.write_text(SNOWFLAKE)
    given = [argument.format(rows=rows) for argument in arguments]
    assert main(["schema", *given]) == 2
    assert sentence in capsys.readouterr().err
