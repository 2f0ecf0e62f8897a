"""The rows of the demo's shop, made in the order in which a shop comes to have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlobs.demo import catalog

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    Row = tuple[object, ...]

CUSTOMERS: Final = 420
ORDERS: Final = 1900
OPENED: Final = date(2024, 1, 2)
"""The first day of business."""
TODAY: Final = date(2025, 9, 30)
"""The last day with orders in the shop."""

_DISCONTINUED_SHARE: Final = 0.08
_NEWSLETTER_SHARE: Final = 0.42
_FAILED_PAYMENT_SHARE: Final = 0.04
_RETURN_SHARE: Final = 0.07
_REVIEW_SHARE: Final = 0.17
_TICKET_SHARE: Final = 0.09
_COUPON_SHARE: Final = 1 / 6
_FREE_SHIPPING_FROM: Final = 60
_CLOSING: Final = datetime(TODAY.year, TODAY.month, TODAY.day, 23, 59, tzinfo=UTC)

_STATUS_OF_OLD: Final = (("delivered", 91), ("cancelled", 6), ("shipped", 3))
_STATUS_OF_NEW: Final = (("placed", 20), ("paid", 35), ("shipped", 40), ("cancelled", 5))
_DAYS_UNTIL_OLD: Final = 12
_RETURN_REASONS: Final = (
    ("changed mind", 38),
    ("not as described", 24),
    ("damaged", 18),
    ("wrong item", 11),
    ("too late", 9),
)
_MONTH_WEIGHT: Final = {11: 1.0, 12: 1.0, 1: 0.45, 2: 0.45}
"""How busy a month is; others are at 0.65."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of an order, as the books need it later."""

    order_item_id: int
    product_id: int
    quantity: int
    unit_price: float


@dataclass(slots=True)
class ShopRows:
    """The rows of every table, filled in the order in which a shop comes to have them."""

    random: Random
    rows: dict[str, list[Row]] = field(default_factory=dict)
    prices: dict[int, float] = field(default_factory=dict)
    """List price by product."""
    signed_up: dict[int, date] = field(default_factory=dict)
    """Day of registration by customer."""

    def fill(self) -> None:
        """Fill every table."""
        self._fill_categories()
        self._add("suppliers", catalog.SUPPLIERS)
        self._fill_products()
        self._add("warehouses", catalog.WAREHOUSES)
        self._fill_inventory()
        self._fill_customers()
        self._add("coupons", catalog.COUPONS)
        for order_id, day in enumerate(self._order_days(), start=1):
            self._fill_order(order_id, day)

    def _add(self, table: str, records: Sequence[Row]) -> None:
        self.rows[table] = [(number, *record) for number, record in enumerate(records, start=1)]

    def _append(self, table: str, *record: object) -> int:
        """Append a record under the table's next number and return the number."""
        rows = self.rows.setdefault(table, [])
        rows.append((len(rows) + 1, *record))
        return len(rows)

    def _weighted(self, choices: Sequence[tuple[str, int]]) -> str:
        words, weights = zip(*choices, strict=True)
        return str(self.random.choices(words, weights)[0])

    def _moment(self, day: date) -> datetime:
        """Return a moment of the given day between 6 and 23 h."""
        minutes = self.random.randint(6 * 60, 23 * 60 - 1)
        start = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return start + timedelta(minutes=minutes)

    def _fill_categories(self) -> None:
        numbers = {name: number for number, (name, _) in enumerate(catalog.CATEGORIES, start=1)}
        self.rows["categories"] = [
            (numbers[name], name, numbers[parent] if parent else None)
            for name, parent in catalog.CATEGORIES
        ]

    def _fill_products(self) -> None:
        numbers = {name: number for number, name, _ in self.rows["categories"]}
        for category, goods in catalog.GOODS.items():
            for name, price, weight in goods:
                for suffix, factor in catalog.EDITIONS[: self.random.randint(2, 4)]:
                    self._fill_product(
                        f"{name}{suffix}", numbers[category], round(price * factor, 2), weight
                    )

    def _fill_product(self, name: str, category: object, price: float, weight: int) -> None:
        introduced = OPENED + timedelta(days=self.random.randint(-400, 300))
        gone = (
            introduced + timedelta(days=400) if self.random.random() < _DISCONTINUED_SHARE else None
        )
        number = len(self.rows.get("products", ())) + 1
        self._append(
            "products",
            f"{name[:2].upper()}-{1000 + number * 7}",
            name,
            category,
            self.random.randint(1, len(catalog.SUPPLIERS)),
            price,
            round(price * self.random.uniform(0.45, 0.7), 2),
            weight,
            introduced.isoformat(),
            gone.isoformat() if gone else None,
        )
        self.prices[number] = price

    def _fill_inventory(self) -> None:
        self.rows["inventory"] = [
            (product, warehouse, self.random.randint(0, 160), self.random.choice((10, 20, 40)))
            for product in self.prices
            for warehouse in range(1, len(catalog.WAREHOUSES) + 1)
        ]

    def _fill_customers(self) -> None:
        weights = [weight for _, _, weight in catalog.PLACES]
        for number in range(1, CUSTOMERS + 1):
            first = self.random.choice(catalog.FIRST_NAMES)
            last = self.random.choice(catalog.LAST_NAMES)
            city, country, _ = self.random.choices(catalog.PLACES, weights)[0]
            after = 0 if number == 1 else int(600 * self.random.random() ** 1.4)
            day = self.signed_up[number] = OPENED + timedelta(days=after)
            self._append(
                "customers",
                f"{first}.{last}{number}@example.com".lower(),
                first,
                last,
                country,
                city,
                self._weighted((("consumer", 74), ("business", 20), ("school", 6))),
                day.isoformat(),
                int(self.random.random() < _NEWSLETTER_SHARE),
            )

    def _order_days(self) -> list[date]:
        """Return the days of the orders, sorted; the winter before Christmas is the busiest."""
        span = (TODAY - OPENED).days
        days: list[date] = []
        while len(days) < ORDERS:
            day = OPENED + timedelta(days=int(span * self.random.random() ** 0.75))
            if self.random.random() < _MONTH_WEIGHT.get(day.month, 0.65):
                days.append(day)
        return sorted(days)

    def _customer_on(self, day: date) -> int:
        """Return a customer who is registered by that day; early ones come back more often."""
        known = [number for number, since in self.signed_up.items() if since <= day]
        return known[int(len(known) * self.random.random() ** 1.8)]

    def _fill_order(self, order_id: int, day: date) -> None:
        moment = self._moment(day)
        old = (TODAY - day).days > _DAYS_UNTIL_OLD
        status = self._weighted(_STATUS_OF_OLD if old else _STATUS_OF_NEW)
        customer = self._customer_on(day)
        lines = self._order_lines(order_id)
        goods = sum(line.quantity * line.unit_price for line in lines)
        coupon, factor = self._coupon_on(day)
        fee = 0.0 if goods >= _FREE_SHIPPING_FROM else 4.9
        total = round(goods * factor + fee, 2)
        channel = self._weighted((("web", 58), ("app", 31), ("marketplace", 11)))
        self._append("orders", customer, coupon, _text(moment), status, channel, fee, total)
        self._fill_payments(order_id, moment, status, total)
        self._fill_delivery(order_id, moment, status, lines, customer)
        self._fill_ticket(order_id, moment, customer)

    def _order_lines(self, order_id: int) -> list[_Line]:
        count = self.random.choices((1, 2, 3, 4, 5), (38, 29, 18, 10, 5))[0]
        products = self.random.sample(sorted(self.prices), count)
        return [self._order_line(order_id, product) for product in products]

    def _order_line(self, order_id: int, product: int) -> _Line:
        quantity = self.random.choices((1, 2, 3, 6), (70, 19, 7, 4))[0]
        price = round(self.prices[product] * self.random.choice((1, 1, 1, 0.9)), 2)
        number = self._append("order_items", order_id, product, quantity, price)
        return _Line(number, product, quantity, price)

    def _coupon_on(self, day: date) -> tuple[int | None, float]:
        """Return a coupon that is valid on that day, for one order in six, and its factor."""
        if self.random.random() > _COUPON_SHARE:
            return None, 1.0
        valid = [
            (number, 1 - percent / 100)
            for number, (_, percent, first, last) in enumerate(catalog.COUPONS, start=1)
            if first <= day.isoformat() <= last
        ]
        return self.random.choice(valid)

    def _fill_payments(self, order_id: int, moment: datetime, status: str, total: float) -> None:
        method = self._weighted((("card", 47), ("paypal", 30), ("invoice", 15), ("transfer", 8)))
        if self.random.random() < _FAILED_PAYMENT_SHARE:
            failed = moment + timedelta(minutes=1)
            self._append("payments", order_id, "card", total, "failed", _text(failed))
        if status == "placed":
            return
        paid = min(moment + timedelta(minutes=self.random.randint(2, 900)), _CLOSING)
        state = "refunded" if status == "cancelled" else "captured"
        self._append("payments", order_id, method, total, state, _text(paid))

    def _fill_delivery(
        self, order_id: int, moment: datetime, status: str, lines: Sequence[_Line], customer: int
    ) -> None:
        if status not in {"shipped", "delivered"}:
            return
        shipped = min(moment + timedelta(hours=self.random.randint(5, 70)), _CLOSING)
        arrived = shipped + timedelta(hours=self.random.randint(20, 160))
        carrier = self._weighted((("DHL", 44), ("PostNL", 23), ("Colissimo", 18), ("UPS", 15)))
        self._append(
            "shipments",
            order_id,
            self.random.randint(1, len(catalog.WAREHOUSES)),
            carrier,
            f"{carrier[:3].upper()}{order_id:06d}{self.random.randint(100, 999)}",
            _text(shipped),
            _text(arrived) if status == "delivered" else None,
        )
        if status == "delivered":
            for line in lines:
                self._fill_after_delivery(line, arrived, customer)

    def _fill_after_delivery(self, line: _Line, arrived: datetime, customer: int) -> None:
        later = arrived + timedelta(days=self.random.randint(1, 20))
        if later > _CLOSING:
            return
        returned = self.random.random() < _RETURN_SHARE
        if returned:
            count = self.random.randint(1, line.quantity)
            refund = round(count * line.unit_price, 2)
            reason = self._weighted(_RETURN_REASONS)
            self._append("returns", line.order_item_id, _text(later), reason, count, refund)
        if self.random.random() < _REVIEW_SHARE:
            rating = int(self._weighted((("1", 4), ("2", 6), ("3", 15), ("4", 35), ("5", 40))))
            rating = max(1, rating - 2) if returned else rating
            title = self.random.choice(catalog.REVIEW_TITLES[rating])
            self._append("reviews", line.product_id, customer, rating, title, _text(later))

    def _fill_ticket(self, order_id: int, moment: datetime, customer: int) -> None:
        if self.random.random() > _TICKET_SHARE:
            return
        topics = (
            ("delivery", 41),
            ("payment", 17),
            ("product", 18),
            ("return", 17),
            ("account", 7),
        )
        topic = self._weighted(topics)
        opened = moment + timedelta(hours=self.random.randint(12, 400))
        if opened > _CLOSING:
            return
        closed = opened + timedelta(hours=self.random.randint(1, 120))
        self._append(
            "support_tickets",
            customer,
            None if topic == "account" else order_id,
            topic,
            self._weighted((("low", 30), ("normal", 52), ("high", 18))),
            _text(opened),
            _text(closed) if closed <= _CLOSING else None,
        )


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")
