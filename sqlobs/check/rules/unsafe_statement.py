from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.parsing.reparse import further_statements
from sqlobs.check.rules.rule import FURTHER_TEXT, NO_QUERY, Case, Findings, Rule

_WRITES: Final = frozenset({exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into, exp.Lock})
_WRITE_WORDS: Final = frozenset(
    {"INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "INTO", "FOR", "LOCK"}
)
"""Every query with one of these contains one of these words."""
_TELLS: Final = frozenset({"EXPLAIN", "SHOW", "DESCRIBE", "DESC"})
"""Commands that only read, unless they contain a word of `_CHANGES`."""
_CHANGES: Final = frozenset(
    "INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE GRANT REVOKE CALL EXEC EXECUTE DO COPY"
    " ATTACH DETACH VACUUM PRAGMA SET RESET RENAME REINDEX LOAD INSTALL LOCK KILL REFRESH".split()
)
"""First words of statements that are not read-only."""


class UnsafeStatement(
    Rule, code="safety.unsafe_statement", triggers=_WRITE_WORDS | {NO_QUERY, FURTHER_TEXT}
):
    """A statement that is not read-only.

    What it finds: `INSERT`, `UPDATE`, `DELETE`, `MERGE`, DDL, commands, `SELECT INTO`, row locks
    (`FOR UPDATE`), and a change after another statement.
    Why it matters: an answer to a question never needs to change data.
    Known limits: of functions with side effects, only those of `outside-access` are known.
    Example: `DELETE FROM orders`
    Instead: `SELECT count(*) FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        statement = case.statement
        tree = statement.tree
        if tree is not None and not is_read_only(case):
            # no tokens: only another dialect can tokenize the text
            first = statement.tokens[0] if statement.tokens else None
            word = tree.key if first is None else first.text
            yield self.at(first, f"{word.upper()} is not read-only.")
        if statement.has_further_text:
            for tree, first in further_statements(statement):
                if _changes(tree):
                    yield self.at(first, f"{first.text.upper()} is not read-only.")


_READS: Final = (
    *(exp.Query, exp.Values, exp.Pivot),
    *(exp.Describe, exp.Summarize, exp.Show, exp.Declare),
)


def is_read_only(case: Case) -> bool:
    """Return whether a statement only reads: a query without INTO, locks, or DML in a CTE."""
    tree = case.statement.tree
    if isinstance(tree, exp.Command):
        words = case.statement.sql.upper().split()
        return tree.name.upper() in _TELLS and _CHANGES.isdisjoint(words)
    if not isinstance(tree, _READS):
        return False
    return _WRITE_WORDS.isdisjoint(case.statement.words) or _WRITES.isdisjoint(case.nodes)


def _changes(tree: exp.Expr) -> bool:
    """Return whether a further statement is not read-only; prose after a semicolon is."""
    if isinstance(tree, exp.Command):
        return tree.name.upper() in _CHANGES | {"REPLACE"}
    if isinstance(tree, exp.Query):
        return tree.find(*_WRITES) is not None
    if isinstance(tree, exp.Update):
        return bool(tree.expressions)
    return not isinstance(tree, (*_READS, exp.Condition, exp.Alias, exp.Tuple))
