from __future__ import annotations

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
