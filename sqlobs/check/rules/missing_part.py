from __future__ import annotations

import re
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms import Ctes
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import finder, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_COMPARISONS: Final = "EQ NEQ GT GTE LT LTE"
_BEGINS: Final = (
    "SELECT DISTINCT FROM WHERE GROUP_BY ORDER_BY PARTITION_BY HAVING open L_BRACKET COMMA ALIAS"
)
_UNFINISHED: Final = r"[ON USING IN] \Z"
_OFFSET: Final = "INTERVAL [STRING NUMBER] [VAR YEAR]"
_CUT_BOUND: Final = (
    f"[NUMBER VAR] (?=close)|{_OFFSET} (?=close|AND)|{_OFFSET} VAR (?=AND)"
    f"|BETWEEN {_OFFSET} (?=AND)"
    "|BETWEEN (?:[NUMBER VAR] (?=AND)|[NUMBER VAR] [VAR ROW STRUCT] AND [NUMBER VAR] (?=close))"
)
_PARTS: Final = {
    "item": (f"[{_BEGINS}] (?=COMMA)", "An expression is missing before a comma."),
    "value": (
        f"[{_COMPARISONS}] (?=[{_COMPARISONS}])",
        "AND or OR is missing between two comparisons.",
    ),
    "column": ("SELECT (?=ALIAS)", "An expression is missing before AS."),
    "rest": (_UNFINISHED, "The condition is incomplete."),
    "is": ("name NOT (?=IS)", "NOT must follow IS, not precede it."),
    "partition": (
        "PARTITION_BY (?=close|ORDER_BY)",
        "An expression is missing after PARTITION BY.",
    ),
    "distinct": ("DISTINCT (?=close)", "An expression is missing after DISTINCT."),
    "separator": ("SEPARATOR (?=close)", "A string is missing after SEPARATOR."),
    "amount": ("INTERVAL (?=INTERVAL)", "The value of an interval is missing."),
    "row": ("VALUES open no_bracket* close (?=open)", "A comma is missing between two rows."),
    "between": (
        "[ROWS RANGE] [NUMBER VAR] VAR (?=AND)",
        "BETWEEN is missing in a window frame with AND.",
    ),
    "bound": (  # not after other tokens: a column may be named `rows` or `range`
        f"(?<=[VAR IDENTIFIER close ASC DESC]) [ROWS RANGE] (?:{_CUT_BOUND})",
        "PRECEDING or FOLLOWING is missing in a window frame bound.",
    ),
    "window": ("WINDOW name (?=open)", "AS is missing after the name of a window."),
    "lateral": ("[VAR IDENTIFIER close] LATERAL (?=open)", "A comma is missing before LATERAL."),
    "as": (  # after a comma, the tree tells whether it is a CTE
        r"[WITH RECURSIVE COMMA] name (?:open no_bracket* close)? (?=open [SELECT VALUES WITH])",
        Ctes.cte_without_as.message,
    ),
}
"""By the missing part: the shape around it, in the notation of `spelled`, and the message."""
_EVERYWHERE: Final = frozenset({"item", "rest", "is", "partition", "distinct"})
"""Required in every engine: only these are checked where the engine was not measured."""
_NEAR: Final = re.compile(
    spelled(
        f"[{_BEGINS} {_COMPARISONS} INTERVAL] [{_COMPARISONS} COMMA ALIAS INTERVAL]|{_UNFINISHED}"
    )
)
_FETCH_ENDS: Final = frozenset({"ONLY", "TIES"})
_WORDS: Final = frozenset(
    {
        "DISTINCT",
        "LATERAL",
        "PARTITION BY",
        "RANGE",
        "ROWS",
        "SEPARATOR",
        "VALUES",
        "WINDOW",
        "WITH",
        "NOT",
    }
)
"""A statement with none of these has no gap: searching for each gap costs more."""
_gaps: Final = finder({name: spelled(shape) for name, (shape, _) in _PARTS.items()})


class MissingPart(Rule, code="syntax.parse_error", triggers=_WORDS | {_NEAR, "FETCH"}):
    """A missing value, name, condition or keyword where the grammar requires one.

    What it finds: `SELECT , name`, `f(, x)`, `a > > b`, `JOIN t ON` at the end, `PARTITION BY )`,
    `count(DISTINCT)`, a CTE without `AS`, rows of `VALUES` without a comma.
    Why it matters: sqlglot ignores the gap or parses something else; engines report a syntax error.
    A truncated model answer often ends like this.
    Example: `SELECT name FROM customers WHERE born > > '2000-01-01'`
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """

    def findings(self, case: Case) -> Findings:
        statement = case.statement
        if case.profile is None or statement.fault is not None:
            return
        is_typical = case.follows_defaults
        if not is_typical and not isinstance(statement.tree, exp.Query):
            return
        if is_typical and "FETCH" in statement.words and statement.words.isdisjoint(_FETCH_ENDS):
            yield self.at(statement.tokens[-1], "FETCH needs ONLY or WITH TIES.")
        if _WORDS.isdisjoint(statement.words) and not _NEAR.search(statement.shape):
            return
        for name, begin, end in _gaps(statement.shape):
            is_required = is_typical or name in _EVERYWHERE
            if is_required and _is_missing(case, name, begin, end):
                yield self.at(statement.tokens[end - 1], _PARTS[name][1])


def _is_missing(case: Case, name: str, begin: int, end: int) -> bool:
    """Return whether a part is missing at the tokens from `begin` to `end`, which look like it."""
    statement = case.statement
    if name == "column":
        return not (case.traits.selects_as_value and _is_value(statement, end + 1))
    if name == "as":
        return _is_cte(case, begin + 1)
    if name == "bound":
        return _is_cut(statement, begin, end)
    # the tokenizer makes two tokens of `>>`
    return name != "value" or statement.tokens[end].start != statement.tokens[end - 1].end + 1


def _is_cte(case: Case, place: int) -> bool:
    """Return whether a name is that of a CTE, which needs AS."""
    statement, start = case.statement, case.statement.tokens[place].start
    if case.follows_defaults and not case.rejects(Ctes.cte_without_as):
        return False
    if statement.tokens[place - 1].token_type is not TokenType.COMMA or statement.tree is None:
        return True
    names = (cte.args["alias"].this for cte in statement.tree.find_all(exp.CTE))
    return any(name.meta.get("start") == start for name in names if isinstance(name, exp.Expr))


def _is_cut(statement: Statement, begin: int, end: int) -> bool:
    """Return whether a bound has no direction, or AND follows one without BETWEEN."""
    words = [token.text.upper() for token in statement.tokens[begin : end + 1]]
    return words[-2] not in _DIRECTIONS or (words[-1] == "AND" and words[1] != "BETWEEN")


_DIRECTIONS: Final = frozenset({"PRECEDING", "FOLLOWING"})


def _is_value(statement: Statement, place: int) -> bool:
    """Return whether `SELECT AS` goes on as in `SELECT AS STRUCT a, b`."""
    following = statement.tokens[place : place + 1]
    return any(token.text.upper() in {"STRUCT", "VALUE"} for token in following)


class IncompleteExpression(Rule, code="syntax.parse_error", triggers={"WHEN", "BETWEEN"}):
    """A `CASE` whose `WHEN` has no `THEN`, or a `BETWEEN` without its `AND`.

    What it finds: more `WHEN` than `THEN`, or more `BETWEEN` than `AND`, in the whole statement.
    Why it matters: sqlglot fills the gap silently; engines report a syntax error.
    Example: `SELECT CASE WHEN total_revenue > 5 'big' END FROM orders`
    Instead: `SELECT CASE WHEN total_revenue > 5 THEN 'big' END FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None:
            return
        statement = case.statement
        for opening, closing, message in _PAIRS:
            begun = statement.shape.count(opening)
            if begun and begun > statement.shape.count(closing):
                last = statement.tokens[statement.shape.rindex(opening)]
                yield self.at(last, message)


_PAIRS = (
    (spelled("WHEN"), spelled("THEN"), "THEN is missing after WHEN."),
    (spelled("BETWEEN"), spelled("AND"), "AND is missing after BETWEEN."),
)
