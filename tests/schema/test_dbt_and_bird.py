"""Schemas from what other tools write: dbt's artifacts, BIRD's descriptions."""

from __future__ import annotations

import json

import pytest

from sqlobs import Column, ForeignKey, Schema, Table
from sqlobs.cli import main
from sqlobs.errors import DialectError, SchemaError


def generic_test(name: str, column: str, on: str, **arguments: object) -> dict[str, object]:
    """Return the node of a test as dbt writes it."""
    return {
        "resource_type": "test",
        "attached_node": on,
        "test_metadata": {"name": name, "kwargs": {"column_name": column, **arguments}},
    }


MANIFEST = {
    "metadata": {"adapter_type": "snowflake"},
    "nodes": {
        "model.shop.orders": {
            "resource_type": "model",
            "database": "analytics",
            "schema": "marts",
            "name": "orders",
            "alias": "fct_orders",
            "description": "What was bought",
            "config": {"materialized": "table"},
            "columns": {
                "order_id": {
                    "name": "order_id",
                    "data_type": "number",
                    "description": "its number",
                },
                "customer_id": {"name": "customer_id"},
                "state": {"name": "state"},
                "MixedCase": {"name": "MixedCase", "quote": True},
            },
            "constraints": [{"type": "primary_key", "columns": ["order_id"]}],
        },
        "model.shop.customers": {
            "resource_type": "model",
            "database": "analytics",
            "schema": "marts",
            "name": "customers",
            "config": {"materialized": "view"},
            "columns": {},
        },
        "model.shop.hidden": {
            "resource_type": "model",
            "name": "hidden",
            "config": {"materialized": "ephemeral"},
        },
        "analysis.shop.x": {"resource_type": "analysis", "name": "x"},
        "test.1": generic_test("unique", "order_id", "model.shop.orders"),
        "test.2": generic_test("not_null", "ORDER_ID", "model.shop.orders"),
        "test.3": generic_test(
            "accepted_values", "state", "model.shop.orders", values=["new", "paid"]
        ),
        "test.4": generic_test(
            "relationships",
            "customer_id",
            "model.shop.orders",
            arguments={"to": "ref('customers')", "field": "id"},
        ),
        "test.5": {"resource_type": "test", "name": "a singular test"},
    },
    "sources": {
        "source.shop.raw.events": {
            "resource_type": "source",
            "database": "analytics",
            "schema": "raw",
            "name": "events",
            "identifier": "events_v2",
            "columns": {"id": {"name": "id"}},
        }
    },
}
CATALOG = {
    "nodes": {
        "model.shop.customers": {
            "metadata": {"type": "VIEW", "database": "ANALYTICS", "schema": "MARTS", "name": "CUSTOMERS"},
            "columns": {
                "ID": {"type": "NUMBER", "index": 1, "name": "ID", "comment": "who"},
                "MAIL": {"type": "TEXT", "index": 2, "name": "MAIL", "comment": None},
            },
        }
    },
    "sources": {},
}  # fmt: skip

ORDERS = Table(
    "FCT_ORDERS",
    (
        Column("ORDER_ID", "number", nullable=False, unique=True, description="its number"),
        Column("CUSTOMER_ID"),
        Column("STATE", sample_values=("new", "paid")),
        Column("MixedCase"),
    ),
    db="MARTS",
    catalog="ANALYTICS",
    primary_key=("ORDER_ID",),
    foreign_keys=(ForeignKey(("CUSTOMER_ID",), "CUSTOMERS", ("id",)),),
    description="What was bought",
)
EVENTS = Table("EVENTS_V2", (Column("ID"),), db="RAW", catalog="ANALYTICS")


def test_a_manifest_gives_relations_with_keys_as_tests_tell_them():
    """Ephemeral models and analyzes are not in the database."""
    schema = Schema.from_dbt_manifest(json.dumps(MANIFEST))
    customers = Table("CUSTOMERS", (), db="MARTS", catalog="ANALYTICS", kind="view")
    assert (schema.tables, schema.dialect) == ((ORDERS, customers, EVENTS), "snowflake")


def test_a_catalog_gives_the_columns_the_database_has():
    """Where it has a relation, its columns and types are the truth."""
    schema = Schema.from_dbt_manifest(json.dumps(MANIFEST), catalog=json.dumps(CATALOG))
    customers = Table(
        "CUSTOMERS",
        (Column("ID", "NUMBER", description="who"), Column("MAIL", "TEXT")),
        db="MARTS",
        catalog="ANALYTICS",
        kind="view",
    )
    assert schema.tables == (ORDERS, customers, EVENTS)


@pytest.mark.parametrize(
    ("manifest", "error", "message"),
    [
        ("{", SchemaError, "the dbt manifest is not JSON: Expecting property name"),
        ("{}", SchemaError, 'the dbt manifest does not have the key "nodes".'),
        ('{"nodes": {}}', DialectError, "unknown SQL dialect ''"),
    ],
)
def test_a_text_that_is_not_a_manifest_is_rejected(manifest, error, message):
    """One sentence says what is missing."""
    with pytest.raises(error) as caught:
        Schema.from_dbt_manifest(manifest)
    assert str(caught.value).startswith(message)


def test_the_commands_accept_a_manifest_as_a_schema(tmp_path, capsys):
    """Known by its adapter."""
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    assert main(["schema", "show", str(tmp_path / "manifest.json"), "--tables", "EVENTS_V2"]) == 0
    assert capsys.readouterr().out.startswith("CREATE TABLE ANALYTICS.RAW.EVENTS_V2 (\n  ID\n);")


def test_bird_descriptions_are_put_on_columns(tmp_path):
    """Two encodings, names in any case, files of other tables: as the benchmark publishes them."""
    head = "original_column_name,column_name,column_description,data_format,value_description\n"
    (tmp_path / "Orders.csv").write_text(
        f'\ufeff{head}ID ,id,"unique\n id",integer,\nstate,order state,,text,"new, paid"\n',
        encoding="utf-8",
    )
    (tmp_path / "customers.csv").write_bytes(
        f"{head}Name,name,the caf\xe9,text,\n".encode("cp1252")
    )
    (tmp_path / "other.csv").write_text(head)
    schema = Schema.from_mapping(
        {"orders": {"id": "int", "state": "text"}, "Customers": ["Name", "zip"], "plain": ["a"]},
        dialect="sqlite",
    )
    described = schema.with_bird_descriptions(tmp_path)
    assert described.tables == (
        Table(
            "orders",
            (
                Column("id", "int", description="unique id"),
                Column("state", "text", description="order state; new, paid"),
            ),
        ),
        Table("Customers", (Column("Name", description="the café"), Column("zip"))),
        Table("plain", (Column("a"),)),
    )
    assert described.version != schema.version


def test_a_directory_with_other_files_is_rejected(tmp_path):
    """The message names the file."""
    schema = Schema.from_mapping({"t": ["a"]})
    (tmp_path / "t.csv").write_text("name,text\na,b\n")
    with pytest.raises(SchemaError, match="lacks the column original_column_name"):
        schema.with_bird_descriptions(tmp_path)
    with pytest.raises(SchemaError, match="no such directory"):
        schema.with_bird_descriptions(tmp_path / "nowhere")
