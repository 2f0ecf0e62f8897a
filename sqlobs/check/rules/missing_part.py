from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import finder, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_COMPARISONS: Final = "EQ NEQ GT GTE LT LTE"
_BEGINS: Final = (
    "SELECT DISTINCT FROM WHERE GROUP_BY ORDER_BY PARTITION_BY HAVING open L_BRACKET COMMA ALIAS"
)
_UNFINISHED: Final = r"[ON USING IN] \Z"
_CUT_BOUND: Final = (
    "[NUMBER VAR] (?=close)"
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
    "as": (
        r"\A WITH RECURSIVE? name (?:open no_bracket* close)? (?=open [SELECT VALUES WITH])",
        "AS is missing before the query of a CTE.",
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
    {"DISTINCT", "PARTITION BY", "RANGE", "ROWS", "SEPARATOR", "VALUES", "WINDOW", "WITH", "NOT"}
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
        for name, _, end in _gaps(statement.shape):
            if not is_typical and name not in _EVERYWHERE:
                continue
            if name == "column" and case.traits.selects_as_value and _is_value(statement, end + 1):
                continue
            token = statement.tokens[end - 1]
            if name == "value" and statement.tokens[end].start == token.end + 1:
                continue  # the tokenizer makes two tokens of `>>`
            yield self.at(token, _PARTS[name][1])


def _is_value(statement: Statement, place: int) -> bool:
    """Return whether `SELECT AS` goes on as in `SELECT AS STRUCT a, b`."""
    following = statement.tokens[place : place + 1]
    return any(token.text.upper() in {"STRUCT", "VALUE"} for token in following)
