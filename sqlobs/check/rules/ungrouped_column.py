from __future__ import annotations

from sqlobs.check.rules.foreign_form import FormRule
from sqlobs.check.rules.rule import Case, Findings, Rule


class UngroupedColumn(Rule, code="schema.grouping", triggers={"grouping_faults"}):
    """A column of a grouped query that is neither grouped nor aggregated.

    What it finds: a column in `SELECT`, `HAVING` or `ORDER BY` of a query with `GROUP BY` or an
    aggregate.
    Why it matters: one group has many values of it; strict engines reject the statement.
    Known limits: PostgreSQL allows columns that a grouped primary key determines; without known
    keys this is undecided. SQLite and MariaDB pick a value and are exempt. Where not all functions
    of the engine are known, only columns that are items of the SELECT list by themselves are
    checked.
    Example: `SELECT city, name, count(*) FROM customers GROUP BY city` in PostgreSQL
    Instead: `SELECT city, count(*) FROM customers GROUP BY city`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.grouping_faults:
            message = f"The column {fault.name} is neither grouped nor aggregated."
            yield self.at(fault.node, message, fault.name)


class HavingWithoutGroup(FormRule, code="schema.grouping"):
    """`HAVING` in a query without `GROUP BY` and without an aggregate in its SELECT list.

    What it finds: a condition on groups in a query that has none.
    Why it matters: SQLite rejects it; the condition belongs to WHERE.
    Example: `SELECT name FROM customers HAVING born > '2000-01-01'` in SQLite
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """
