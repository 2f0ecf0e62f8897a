from __future__ import annotations

from sqlobs.check.forms import Ctes
from sqlobs.check.rules.rule import Case, Findings, Rule


class CircularCte(Rule, code="schema.unknown_table", triggers={"forms"}):
    """A CTE that refers to itself where that is not allowed.

    What it finds: a CTE that refers to itself without being recursive by the rules of the engine.
    Why it matters: no relation of that name is in scope there; the engine rejects it.
    Example: `WITH a AS (SELECT name FROM a) SELECT name FROM a` in SQLite
    Instead: `WITH a AS (SELECT name FROM customers) SELECT name FROM a`
    """

    def findings(self, case: Case) -> Findings:
        for use in case.resolution.forms:
            if use.form is Ctes.circular_cte:
                yield self.at(use.node, use.form.message, use.node.name)
