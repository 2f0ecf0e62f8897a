"""A service that answers questions with SQL, one request after the other, and can go wrong."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Self

from sqlobs import Schema, current_generation
from sqlobs.tracing.instance import Sqlobs

if TYPE_CHECKING:
    from pathlib import Path

DDL = """\
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL);
INSERT INTO customers VALUES (1, 'Ada', 'Bonn'), (2, 'Bo', 'Oslo'), (3, 'Cy', 'Oslo');
INSERT INTO orders VALUES (1, 1, 10.0), (2, 1, 5.5), (3, 2, 7.25);
"""
PER_CITY = "SELECT city, COUNT(*) FROM customers GROUP BY city"
WELL = (
    (PER_CITY, PER_CITY),
    # Runs, but gives other rows than its reference.
    ("SELECT name FROM customers WHERE city = 'Oslo'", "SELECT name FROM customers"),
    # A warning of the checker's: every customer with every order.
    ("SELECT c.name FROM customers c, orders o", "SELECT c.name FROM customers c, orders o"),
    # The application declines.
    (None, PER_CITY),
    (
        "SELECT total FROM orders WHERE customer_id = 1",
        "SELECT total FROM orders WHERE customer_id = 1",
    ),
)
"""SQL of a model that does well, with the reference of its question."""
ILL = (("SELECT amount FROM invoices", "SELECT total FROM orders"), *WELL[:1])
"""Every second answer names a table that does not exist."""


def build(path: Path) -> Path:
    """Write the database that the answers are run on."""
    with sqlite3.connect(path) as connection:
        connection.executescript(DDL)
    connection.close()
    return path


class Traffic:
    """Asks without end from a thread of its own."""

    def __init__(self, *, collector: str, pause_s: float) -> None:
        self.invents = False
        """Whether the model names tables that do not exist."""
        self.first_invention_s: float | None = None
        """When the first such answer was given, by the monotonic clock."""
        self._pause_s = pause_s
        schema = Schema.from_ddl(DDL, dialect="sqlite")
        self._sqlobs = Sqlobs(service_name="shop", schema=schema, collector=collector)
        self._answer = self._sqlobs.trace_generation(name="answer")(self._generate)
        self._run = self._sqlobs.trace_execution(self._execute)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._ask_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._sqlobs.shutdown()

    def _generate(self, question: str, sql: str | None) -> str | None:
        current_generation().set(input_tokens=900, output_tokens=70, cost_usd=0.003)
        return sql

    def _execute(self, sql: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(DDL)
            try:
                return connection.execute(sql).fetchall()
            except sqlite3.OperationalError:
                return []

    def _ask_forever(self) -> None:
        for number in count():
            answers = ILL if self.invents else WELL
            sql, reference = answers[number % len(answers)]
            with self._sqlobs.context(target="shop", reference=reference) as asked:
                self._answer(f"question {number % len(answers)}", sql)
                if sql is not None:
                    self._run(sql=sql)
            rating = "down" if sql == ILL[0][0] else "up"
            self._sqlobs.record_feedback(asked.generation.id, kind="thumb", value=rating)
            if sql == ILL[0][0] and self.first_invention_s is None:
                self.first_invention_s = time.monotonic()
            if self._stopped.wait(self._pause_s):
                return
