from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.forms import Literals, SelectList
from sqlobs.check.parsing.tokens import CLOSE, OPEN, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_ADJACENT: Final = re.compile(spelled("[STRING NUMBER] (?=[STRING NUMBER])|moment (?=NUMBER)"))
_SELECT: Final = spelled("SELECT")
_CLAUSES: Final = frozenset(spelled("SELECT WHERE HAVING ON"))
_TOP: Final = spelled("TOP")
"""Before a number that is not a value: `SELECT TOP 1 1 FROM t`."""
_BOUND: Final = frozenset(spelled("BETWEEN WHEN THEN ELSE"))
"""Before a value that cannot have an alias: `BETWEEN 1 'a'`."""


class AdjacentValues(Rule, code="syntax.parse_error", triggers={_ADJACENT}):
    """Two values without an operator or comma between them.

    What it finds: `IN ('a' 'b')`, `BETWEEN 1 2`, `'a' 5`, `substr(date 1, 4)`.
    Why it matters: sqlglot joins the values or fills the gap; engines report a syntax error.
    Known limits: MySQL concatenates adjacent strings, PostgreSQL and DuckDB do so across lines; a
    string after a value may be an alias in SQLite and MySQL. Where only documentation is known of
    the engine, only numbers are reported.
    Example: `SELECT name FROM customers WHERE city IN ('Oslo' 'Bergen')`
    Instead: `SELECT name FROM customers WHERE city IN ('Oslo', 'Bergen')`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None or not _ADJACENT.search(case.statement.shape):
            return
        tokens = case.statement.tokens
        for place, certain in _pairs(case.statement.shape):
            if _is_wrong(case, tokens[place], tokens[place + 1], certain=certain):
                after = tokens[place + 1]
                yield self.at(after, "An operator or comma is missing between two values.")


def _pairs(shape: str) -> Iterator[tuple[int, bool]]:
    """Yield where two values follow each other, and whether the second cannot be an alias."""
    in_select = [True]
    for place, letter in enumerate(shape):
        if letter == OPEN:
            in_select.append(shape[place + 1 : place + 2] == _SELECT)
        elif letter == CLOSE and len(in_select) > 1:
            in_select.pop()
        elif letter in _CLAUSES:
            in_select[-1] = letter == _SELECT
        elif _ADJACENT.match(shape, place) and shape[place - 1 : place] != _TOP:
            is_bound = shape[place - 1 : place] in _BOUND
            yield place, is_bound or not in_select[-1]


def _is_wrong(case: Case, token: Token, after: Token, *, certain: bool) -> bool:
    """Return whether two values cannot follow each other; `certain`: the second is not an alias."""
    if after.token_type is TokenType.NUMBER:
        return case.follows_defaults or token.token_type is TokenType.NUMBER
    if not case.follows_defaults:
        return False
    if token.token_type is TokenType.STRING:
        if case.accepts(Literals.adjacent_strings):
            return False
        if case.accepts(Literals.adjacent_strings_on_lines) and after.line > token.line:
            return False
    return certain or not case.accepts(SelectList.bare_string_alias)
