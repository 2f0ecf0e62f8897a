from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, finder, letter_of, none_of
from sqlobs.check.rules.rule import Case, Findings, Rule

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from sqlobs.check.parsing.statement import Statement

_COMMA: Final = letter_of(TokenType.COMMA)
_COMPARISONS: Final = (
    TokenType.EQ,
    TokenType.NEQ,
    TokenType.GT,
    TokenType.GTE,
    TokenType.LT,
    TokenType.LTE,
)
_COMPARISON: Final = any_of(*_COMPARISONS)
_SELECT: Final = letter_of(TokenType.SELECT)
_AS: Final = letter_of(TokenType.ALIAS)
_INTERVAL: Final = letter_of(TokenType.INTERVAL)
_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_FRAME: Final = any_of(TokenType.ROWS, TokenType.RANGE)
_FRAME_START: Final = any_of(TokenType.NUMBER, TokenType.VAR) + letter_of(TokenType.VAR)
_TERM_END: Final = any_of(
    *(TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.ASC, TokenType.DESC)
)
"""Tokens before a frame, unlike those before a column named `rows` or `range`."""
_BETWEEN: Final = letter_of(TokenType.BETWEEN)
_AND: Final = letter_of(TokenType.AND)
_BOUND: Final = any_of(TokenType.NUMBER, TokenType.VAR)
_WHOLE_BOUND: Final = _BOUND + any_of(TokenType.VAR, TokenType.ROW, TokenType.STRUCT)
_CUT_BETWEEN: Final = f"{_BETWEEN}(?:{_BOUND}(?={_AND})|{_WHOLE_BOUND}{_AND}{_BOUND}(?={CLOSE}))"
_IN_BRACKET: Final = none_of(TokenType.L_PAREN, TokenType.R_PAREN)
_BRACKET: Final = f"{OPEN}{_IN_BRACKET}*{CLOSE}"
_WITH: Final = f"{letter_of(TokenType.WITH)}{letter_of(TokenType.RECURSIVE)}?"
_QUERY: Final = any_of(TokenType.SELECT, TokenType.VALUES, TokenType.WITH)
_BEGINS: Final = (
    TokenType.SELECT,
    TokenType.DISTINCT,
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.ORDER_BY,
    TokenType.PARTITION_BY,
    TokenType.HAVING,
    TokenType.L_PAREN,
    TokenType.L_BRACKET,
    TokenType.COMMA,
    TokenType.ALIAS,
)
_BEGIN: Final = any_of(*_BEGINS)
_UNFINISHED: Final = rf"{any_of(TokenType.ON, TokenType.USING, TokenType.IN)}\Z"
_PARTS: Final = {
    "item": (f"{_BEGIN}(?={_COMMA})", "An expression is missing before a comma."),
    "value": (f"{_COMPARISON}(?={_COMPARISON})", "AND or OR is missing between two comparisons."),
    "column": (f"{_SELECT}(?={_AS})", "An expression is missing before AS."),
    "rest": (_UNFINISHED, "The condition is incomplete."),
    "is": (
        f"{_NAME}{letter_of(TokenType.NOT)}(?={letter_of(TokenType.IS)})",
        "NOT must follow IS, not precede it.",
    ),
    "partition": (
        f"{letter_of(TokenType.PARTITION_BY)}(?={CLOSE}|{letter_of(TokenType.ORDER_BY)})",
        "An expression is missing after PARTITION BY.",
    ),
    "distinct": (
        f"{letter_of(TokenType.DISTINCT)}(?={CLOSE})",
        "An expression is missing after DISTINCT.",
    ),
    "separator": (
        f"{letter_of(TokenType.SEPARATOR)}(?={CLOSE})",
        "A string is missing after SEPARATOR.",
    ),
    "amount": (f"{_INTERVAL}(?={_INTERVAL})", "The value of an interval is missing."),
    "row": (
        f"{letter_of(TokenType.VALUES)}{_BRACKET}(?={OPEN})",
        "A comma is missing between two rows.",
    ),
    "between": (
        f"{_FRAME}{_FRAME_START}(?={letter_of(TokenType.AND)})",
        "BETWEEN is missing in a window frame with AND.",
    ),
    "bound": (
        f"(?<={_TERM_END}){_FRAME}(?:{_BOUND}(?={CLOSE})|{_CUT_BETWEEN})",
        "PRECEDING or FOLLOWING is missing in a window frame bound.",
    ),
    "window": (
        f"{letter_of(TokenType.WINDOW)}{_NAME}(?={OPEN})",
        "AS is missing after the name of a window.",
    ),
    "as": (
        rf"\A{_WITH}{_NAME}(?:{_BRACKET})?(?={OPEN}{_QUERY})",
        "AS is missing before the query of a CTE.",
    ),
}
"""By the missing part: the shape around it, and the message."""
_EVERYWHERE: Final = frozenset({"item", "rest", "is", "partition", "distinct"})
"""Required in every engine: only these are checked where the engine was not measured."""
_NEAR: Final = re.compile(
    any_of(*_BEGINS, *_COMPARISONS, TokenType.INTERVAL)
    + any_of(*_COMPARISONS, TokenType.COMMA, TokenType.ALIAS, TokenType.INTERVAL)
    + f"|{_UNFINISHED}"
)
_FETCH_ENDS: Final = frozenset({"ONLY", "TIES"})
_WORDS: Final = frozenset(
    {"DISTINCT", "PARTITION BY", "RANGE", "ROWS", "SEPARATOR", "VALUES", "WINDOW", "WITH", "NOT"}
)
"""A statement with none of these has no gap: searching for each gap costs more."""
_gaps: Final = finder({name: shape for name, (shape, _) in _PARTS.items()})


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
        is_asked = case.follows_defaults
        if not is_asked and not isinstance(statement.tree, exp.Query):
            return
        if is_asked and "FETCH" in statement.words and statement.words.isdisjoint(_FETCH_ENDS):
            last = statement.tokens[-1]
            yield self.at(last, "FETCH needs ONLY or WITH TIES.")
        if not _may_lack(statement):
            return
        for name, _, end in _gaps(statement.shape):
            if not is_asked and name not in _EVERYWHERE:
                continue
            token = statement.tokens[end - 1]
            if name == "value" and _is_one(token, statement.tokens[end]):
                continue
            yield self.at(token, _PARTS[name][1])


def _may_lack(statement: Statement) -> bool:
    """Return whether the statement needs a closer look."""
    return not _WORDS.isdisjoint(statement.words) or _NEAR.search(statement.shape) is not None


def _is_one(token: Token, after: Token) -> bool:
    """Return whether two tokens are one operator: the tokenizer splits `>>`."""
    return after.start == token.end + 1
