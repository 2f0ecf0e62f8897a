from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import Dml
from sqlobs.check.resolver.clauses.conditions import is_row
from sqlobs.check.resolver.model.tree import is_default
from sqlobs.check.rules.rule import RESERVED, Case, Findings, Rule


class ReservedWord(Rule, code="syntax.parse_error", triggers={RESERVED}):
    """A reserved word used as a name without quotes.

    What it finds: a word that the engine's grammar rejects in its position.
    Why it matters: sqlglot accepts it; the engine reports a syntax error.
    Known limits: only positions that were measured on the engine are checked.
    Example: `SELECT order FROM orders`
    Instead: `SELECT "order" FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        if case.statement.fault is not None:
            return
        for node in case.reserved_names:
            if "start" not in node.meta:
                continue  # created by the parser, not written in the text
            word = node.this.upper()
            if _is_default(node) and case.accepts(Dml.default_in_update):
                continue
            if case.knowledge.reserves(word, position_of(node, case)) is Answer.YES:
                message = f"{word} is a reserved word; quote it to use it as a name."
                yield self.at(node, message, node.this, detail="reserved")


def _is_default(node: exp.Expr) -> bool:
    """Return whether a word is a value in `SET`: `SET a = DEFAULT`, `SET (a, b) = (1, DEFAULT)`."""
    value = node.parent
    if value is None or not is_default(value) or value.parent is None:
        return False
    assignment = value.parent.parent if is_row(value.parent) else value.parent
    return assignment is not None and isinstance(assignment.parent, (exp.Update, exp.OnConflict))


def position_of(node: exp.Expr, case: Case) -> str:
    """Return the catalog's name of a position; empty: a position that was not measured."""
    parent = node.parent
    if isinstance(parent, exp.Column):
        if node.arg_key == "this":
            return "qualified" if parent.args.get("table") is not None else "column"
        return "qualifier"
    if isinstance(parent, exp.Alias):
        return "alias" if _follows_as(node, case) else "bare_alias"
    if isinstance(parent, exp.Table):
        return "table" if parent.args.get("db") is None else "qualified"
    if isinstance(parent, exp.TableAlias) and node.arg_key == "this":
        if isinstance(parent.parent, exp.CTE):
            with_ = parent.find_ancestor(exp.With)
            is_second = with_ is not None and with_.args.get("recursive")
            return "" if is_second and node.name.upper() == "RECURSIVE" else "cte"
        return "table_alias" if _follows_as(node, case) else "bare_table_alias"
    return ""


def _follows_as(node: exp.Expr, case: Case) -> bool:
    tokens = case.statement.tokens
    place = bisect_left(tokens, node.meta["start"], key=attrgetter("start"))
    return place > 0 and tokens[place - 1].token_type is TokenType.ALIAS
