from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.forms import SelectList
from sqlobs.check.parsing.tokens import CLOSING_BRACKETS, OPENING_BRACKETS, letters_of, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_DANGLING: Final = re.compile(
    spelled(
        "COMMA (?=[FROM WHERE GROUP_BY HAVING ORDER_BY LIMIT UNION close R_BRACKET COMMA"
        r" SEMICOLON]|\Z)"
    )
)
_BEFORE_JOIN: Final = re.compile(spelled("COMMA (?=[INNER CROSS]? JOIN)"))
_ENDS_WITH_AS: Final = re.compile(spelled(r"ALIAS \Z"))

_OPENING: Final = letters_of(OPENING_BRACKETS)
_CLOSING: Final = letters_of(CLOSING_BRACKETS)
_CONDITIONS: Final = frozenset(spelled("WHERE HAVING QUALIFY LIMIT"))
_CLAUSES: Final = _CONDITIONS.union(
    spelled("SELECT FROM GROUP_BY ORDER_BY SET RETURNING VALUES WINDOW")
)
_PARENTHESES: Final = ""
_CALL: Final = "("
_BRACKET: Final = letters_of([TokenType.L_BRACKET])
_CALLED: Final = frozenset(letters_of([TokenType.VAR]))
_OUTSIDE_LISTS: Final = (_CLAUSES | {_PARENTHESES, _CALL}) - {spelled("SELECT")}
_TERMS: Final = _CONDITIONS.union(_CALL, spelled("GROUP_BY ORDER_BY"))
"""Arguments, and terms of clauses other than the SELECT list. In ClickHouse, `SELECT a, FROM t` and
`(1, )` are valid, `sum(a, )` and `GROUP BY a,` are not."""


class DanglingComma(
    Rule, code="syntax.parse_error", triggers={_DANGLING, _BEFORE_JOIN, _ENDS_WITH_AS}
):
    """A comma or an `AS` with nothing after it.

    What it finds: a comma before a clause, a `JOIN`, a closing parenthesis or the end; `AS` at the
    end.
    Why it matters: sqlglot ignores it; engines report a syntax error.
    Known limits: DuckDB allows a trailing comma after a list, except before `JOIN`; BigQuery only
    after a SELECT list.
    Example: `SELECT name, FROM customers`
    Instead: `SELECT name FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None:
            return
        # `SELECT 1 AS` in Spark
        is_alias = case.knowledge.reserves("AS", "bare_alias") is Answer.NO
        if not is_alias and _ENDS_WITH_AS.search(case.statement.shape):
            yield self.at(case.statement.tokens[-1], "An alias or type is missing after AS.")
        shape = case.statement.shape
        places = [found.start() for found in _BEFORE_JOIN.finditer(shape)]
        dangling = [found.start() for found in _DANGLING.finditer(shape)]
        if dangling:
            if case.traits.only_lists_end_with_commas:
                dangling = _within(shape, dangling, _TERMS)
            elif not case.rejects(SelectList.trailing_comma):
                only_lists = case.rejects(SelectList.trailing_comma_elsewhere)
                clauses = _OUTSIDE_LISTS if only_lists else _CONDITIONS
                dangling = _within(shape, dangling, clauses)
            places += dangling
        for place in places:
            comma = case.statement.tokens[place]
            yield self.at(comma, "An expression is missing after the comma.")


def _within(shape: str, commas: Iterable[int], places: Container[str]) -> list[int]:
    """Return the commas in some places: clauses (`WHERE a = 1, LIMIT 2`), calls, or parentheses."""
    found, around, sought = [], [_PARENTHESES], set(commas)
    for place, letter in enumerate(shape):
        if letter in _OPENING:
            is_call = place > 0 and shape[place - 1] in _CALLED
            around.append(_CALL if is_call or letter == _BRACKET else _PARENTHESES)
        elif letter in _CLOSING:
            around.pop()
            around = around or [_PARENTHESES]
        elif letter in _CLAUSES:
            around[-1] = letter
        elif place in sought and around[-1] in places:
            found.append(place)
    return found
