"""The rule of statements that change something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.report import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.rules.rule import Case


_WRITES: Final = frozenset({exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into})

_WORDS: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "INTO"})


class UnsafeStatement:
    """A statement that is not read-only.

    What it finds: INSERT, UPDATE, DELETE, MERGE, DDL and commands.
    Why it matters: an answer to a question never needs to change data.
    Known limits: functions with side effects are not known.
    Example: `DELETE FROM orders`
    Instead: `SELECT count(*) FROM orders`
    """

    code = "safety.unsafe_statement"
    name = "unsafe-statement"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for the statement."""
        tree = case.statement.tree
        if tree is None or is_read_only(case):
            return
        first = case.statement.tokens[0]
        yield Finding(
            self.code,
            "error",
            f"{first.text.upper()} is not read-only.",
            start=first.start,
            end=first.end + 1,
        )


def is_read_only(case: Case) -> bool:
    """Say whether a statement only reads: a query without INTO and without DML in a CTE."""
    if not isinstance(case.statement.tree, (exp.Query, exp.Describe, exp.Show)):
        return False
    return _WORDS.isdisjoint(case.words) or _WRITES.isdisjoint(case.nodes)
