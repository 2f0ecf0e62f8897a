from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.dialects.registry import dialect_of

_COMPARING: Final = (exp.Ordered, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_OF_LANGUAGE: Final = re.compile(r"[a-z]{2,3}([_-]|$)", re.IGNORECASE)


class UnknownCollation(Rule, code="schema.unknown_type", triggers={"COLLATE"}):
    """A collation that the engine does not support.

    What it finds: `COLLATE NOCASE` outside SQLite and DuckDB, `utf8mb4_0900_ai_ci` in MariaDB.
    Why it matters: the engine rejects the statement.
    Known limits: in PostgreSQL and DuckDB the collations of languages depend on the machine and are
    accepted; so is a name of several parts. SQLite looks up a collation only where it compares by
    it.
    Example: `SELECT name FROM customers ORDER BY name COLLATE nocase` in PostgreSQL
    Instead: `SELECT name FROM customers ORDER BY lower(name)`
    """

    def findings(self, case: Case) -> Findings:
        if case.grounds.has_unlisted_functions:
            return
        types = dialect_of(case.statement.dialect).types
        for node in case.nodes.get(exp.Collate, ()):
            name = _name(node.expression)
            if types.unused_collations and not isinstance(node.parent, _COMPARING):
                continue
            if name and not _is_known(case, node.expression, name):
                yield self.at(node.expression, f"Unknown collation {name}.", name)


def _name(node: exp.Expr | None) -> str:
    """Return the name of a collation; empty: it has several parts."""
    if isinstance(node, exp.Column) and node.args.get("table") is None:
        node = node.this
    return node.name if isinstance(node, (exp.Var, exp.Identifier, exp.Literal)) else ""


def _is_known(case: Case, node: exp.Expr, name: str) -> bool:
    types = dialect_of(case.statement.dialect).types
    if types.language_collations and _OF_LANGUAGE.match(name):
        return True
    is_exact = types.exact_collations and bool(node.args.get("quoted"))
    folded = name if is_exact else name.lower()
    return case.knowledge.has("collations", folded) is not Answer.NO
