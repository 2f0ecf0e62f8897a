"""The rule for columns of a grouped query that are neither grouped nor aggregated."""

from __future__ import annotations

from sqlobs.check.rules.rule import Case, Findings, Rule


class UngroupedColumn(Rule, code="schema.grouping", triggers={"grouping_faults"}):
    """A column of a grouped query that is neither grouped nor aggregated.

    What it finds: a column in SELECT, HAVING or ORDER BY of a query with GROUP BY or an aggregate.
    Why it matters: one group has many values of it; strict engines refuse to pick one.
    Known limits: PostgreSQL takes columns that a grouped primary key determines; where keys are not
    known this is undecided. SQLite and MariaDB pick a value and are left alone. In engines that
    were not asked only those columns are judged that are items of the SELECT list by themselves.
    Example: `SELECT city, name, count(*) FROM customers GROUP BY city` in PostgreSQL
    Instead: `SELECT city, count(*) FROM customers GROUP BY city`
    """

    def findings(self, case: Case) -> Findings:
        for fault in case.resolution.grouping_faults:
            yield self.at(
                fault.node,
                f"The column {fault.name} is neither grouped nor aggregated.",
                fault.name,
            )
