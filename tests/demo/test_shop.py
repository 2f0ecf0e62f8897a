"""The demo's shop: its content, and that it does not contradict itself."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import pytest

from sqlobs.demo.shop import build_shop, table_counts


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Build the shop once."""
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build_shop(path)
    return path


def _rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_the_shop_has_content_in_every_table(shop):
    """The numbers of rows are part of the demo: a change of the generator is seen here."""
    assert dict(table_counts(shop)) == {
        "categories": 12,
        "coupons": 5,
        "customers": 420,
        "inventory": 318,
        "order_items": 4075,
        "orders": 1900,
        "payments": 1946,
        "products": 106,
        "returns": 237,
        "reviews": 581,
        "shipments": 1744,
        "suppliers": 7,
        "support_tickets": 173,
        "warehouses": 3,
    }


def test_two_builds_give_the_same_rows_and_replace_what_lay_there(shop, tmp_path):
    """The content depends on the seed alone; an older file is replaced."""

    def digest(path):
        with closing(sqlite3.connect(path)) as connection:
            return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()

    again = tmp_path / "shop.db"
    again.write_text("not a database")
    build_shop(again)
    assert digest(again) == digest(shop)


@pytest.mark.parametrize(
    "contradiction",
    [
        pytest.param("PRAGMA foreign_key_check", id="a reference to nothing"),
        pytest.param(
            "SELECT o.order_id FROM orders o JOIN order_items oi USING (order_id) LEFT JOIN coupons c USING (coupon_id)"
            " GROUP BY o.order_id HAVING ABS(SUM(oi.quantity * oi.unit_price) * (1 - COALESCE(c.percent_off, 0) / 100.0)"
            " + o.shipping_fee - o.total_amount) > 0.006",
            id="a total that is not the sum of its lines",
        ),
        pytest.param(
            "SELECT 1 FROM orders o JOIN payments p USING (order_id) WHERE p.amount <> o.total_amount OR p.paid_at < o.ordered_at",
            id="a payment of another amount or before the order",
        ),
        pytest.param(
            "SELECT 1 FROM orders o JOIN customers c USING (customer_id) WHERE date(o.ordered_at) < c.signed_up_on",
            id="an order before its customer registered",
        ),
        pytest.param(
            "SELECT 1 FROM orders o JOIN coupons c USING (coupon_id) WHERE date(o.ordered_at) NOT BETWEEN c.valid_from AND c.valid_until",
            id="a coupon outside its days",
        ),
        pytest.param(
            "SELECT 1 FROM shipments s JOIN orders o USING (order_id) WHERE s.shipped_at < o.ordered_at"
            " OR (s.delivered_at IS NULL) <> (o.status = 'shipped')",
            id="a delivery that contradicts its order",
        ),
        pytest.param(
            "SELECT 1 FROM returns r JOIN order_items oi USING (order_item_id) JOIN shipments s USING (order_id)"
            " WHERE r.returned_quantity > oi.quantity OR r.requested_at < s.delivered_at",
            id="a return of more than was bought or before it came",
        ),
        pytest.param(
            "SELECT m FROM (SELECT MAX(opened_at) AS m FROM support_tickets UNION ALL SELECT MAX(paid_at) FROM payments"
            " UNION ALL SELECT MAX(written_at) FROM reviews UNION ALL SELECT MAX(delivered_at) FROM shipments)"
            " WHERE m > '2025-09-30 23:59:00'",
            id="an event after the last day of the books",
        ),
    ],
)
def test_the_shop_s_rows_are_consistent(shop, contradiction):
    """A believable shop: totals add up and events follow each other."""
    assert _rows(shop, contradiction) == []
