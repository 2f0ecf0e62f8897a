"""Follow one statement through `check_sql`: how often a reader changes modules.

Run as a program with the source tree to measure first on `PYTHONPATH`, so that it is that tree's
code which runs. It prints JSON, and imports nothing of its own package for that reason.

- The statements are short ones with one unknown column, on PostgreSQL. Each was checked before
  with other white space, so that no data is loaded and no schema prepared.
- Followed are the first 400 calls of functions that `sqlobs` defines. Comprehensions, lambdas and
  generator expressions belong to the function around them.
- A function is read once: later calls of the same function are not counted.
- `sqlobs.check.rules` is one module here: it has one rule per file on purpose.
- A stay is a longest run of calls in one module without a call in another in between.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

MOST_CALLS = 400
DDL = """
CREATE TABLE customers (customer_id INT PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders (order_id INT PRIMARY KEY, customer_id INT, ordered_on DATE, total NUMERIC);
"""
STATEMENTS = {
    "one table": "SELECT totals FROM orders",
    "join": (
        "SELECT c.name, o.totals FROM customers c JOIN orders o ON o.customer_id = c.customer_id"
    ),
}
_RULES = "sqlobs.check.rules"


def stays(statement: str) -> list[str]:
    """Return the module of each stay, in order."""
    calls = dict.fromkeys(_calls(statement)[:MOST_CALLS])  # a function's first call only
    return [module for module, _ in groupby(module for module, _ in calls)]


def _calls(statement: str) -> list[tuple[str, str]]:
    """Return module and function of every call of a warm check."""
    import sqlobs

    schema = sqlobs.Schema.from_ddl(DDL, dialect="postgres")
    sqlobs.check_sql(f"{statement} ", schema=schema)
    found: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        """Note a call of the product's own functions."""
        name, module = frame.f_code.co_qualname, frame.f_globals.get("__name__", "")
        is_own = module == "sqlobs" or module.startswith("sqlobs.")
        if event == "call" and is_own and not frame.f_code.co_name.startswith("<"):
            found.append((_RULES if module.startswith(_RULES) else module, name))

    sys.setprofile(note)
    try:
        sqlobs.check_sql(statement, schema=schema)
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    """Print the stays of each statement as JSON."""
    print(json.dumps({name: stays(statement) for name, statement in STATEMENTS.items()}))


if __name__ == "__main__":
    main()
