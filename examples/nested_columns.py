"""Check SQL on nested columns in the spelling of five warehouses.

Run it: `python examples/nested_columns.py`. Each warehouse describes the same orders in its own
DDL; a valid statement passes, and an invented field is rejected with a suggestion. Redshift and
Snowflake keep the buyer in one value whose fields the schema does not list: any is accepted there.
"""

from __future__ import annotations

from sqlobs import Schema, check_sql

ORDERS = {
    "bigquery": """
        CREATE TABLE orders (
          id INT64 NOT NULL,
          buyer STRUCT<
            name STRING OPTIONS(description='first and last name'),
            address STRUCT<city STRING, country STRING>
          >,
          items ARRAY<STRUCT<sku STRING, price NUMERIC>>
        )
    """,
    "clickhouse": """
        CREATE TABLE orders (
          id Int64,
          buyer Tuple(name String, address Tuple(city String, country String)),
          items Nested(sku String, price Decimal(10, 2))
        ) ENGINE = MergeTree ORDER BY id
    """,
    "databricks": """
        CREATE TABLE orders (
          id BIGINT NOT NULL,
          buyer STRUCT<
            name: STRING COMMENT 'first and last name',
            address: STRUCT<city: STRING, country: STRING>
          >,
          items ARRAY<STRUCT<sku: STRING, price: DECIMAL(10, 2)>>
        )
    """,
    "redshift": "CREATE TABLE orders (id BIGINT, buyer SUPER, items SUPER)",
    "snowflake": "CREATE TABLE orders (id NUMBER, buyer VARIANT, items ARRAY)",
}
STATEMENTS = {
    "bigquery": (
        "SELECT o.buyer.name, i.sku FROM orders AS o, UNNEST(o.items) AS i",
        "SELECT o.buyer.address.citi FROM orders AS o",
        "SELECT i.skuu FROM orders AS o, UNNEST(o.items) AS i",
    ),
    "clickhouse": (
        "SELECT buyer.name, items.sku FROM orders",
        "SELECT buyer.address.citi FROM orders",
    ),
    "databricks": (
        "SELECT buyer.name, i.sku FROM orders LATERAL VIEW explode(items) t AS i",
        "SELECT o.buyer.address.citi FROM orders AS o",
    ),
    "redshift": (
        "SELECT o.buyer.name, i.sku FROM orders AS o, o.items AS i",
        "SELECT o.bayer.name FROM orders AS o",
    ),
    "snowflake": (
        "SELECT buyer:name::STRING FROM orders",
        "SELECT bayer:name::STRING FROM orders",
    ),
}


def main() -> None:
    for dialect, statements in STATEMENTS.items():
        schema = Schema.from_ddl(ORDERS[dialect], dialect=dialect)
        print(dialect)
        for sql in statements:
            report = check_sql(sql, schema=schema)
            print(f"  {'pass' if report.ok else 'fail'}  {sql}")
            for finding in report.findings:
                hint = f" Did you mean {finding.suggestion}?" if finding.suggestion else ""
                print(f"        {finding.message}{hint}")


if __name__ == "__main__":
    main()
