from __future__ import annotations

from sqlobs.check.rules.foreign_form import FormRule


class HavingWithoutGroup(FormRule, code="schema.grouping"):
    """`HAVING` in a query without `GROUP BY` and without an aggregate in its SELECT list.

    What it finds: a condition on groups in a query that has none.
    Why it matters: SQLite rejects it; the condition belongs to WHERE.
    Example: `SELECT name FROM customers HAVING born > '2000-01-01'` in SQLite
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """
