from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot.tokenizer_core import Token

from sqlobs.check.engine.knowledge import EngineKnowledge
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import CLOSING_BRACKETS, OPENING_BRACKETS, letters_of, spelled
from sqlobs.check.report.model import Finding
from sqlobs.check.rules.rule import OWN_CALLS, Case, Findings, Place, Rule, own_span


class WrongArgumentCount(
    Rule, code="syntax.dialect_mismatch", triggers={"doubtful_calls", OWN_CALLS}
):
    """A call with a number of arguments that the function does not accept.

    What it finds: more or fewer arguments than any signature of the name has.
    Why it matters: the model used the function of another dialect.
    Known limits: undecided for versions and dialects whose functions are not all listed.
    Example: `SELECT ifnull(name)` in SQLite
    Instead: `SELECT ifnull(name, '')`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None or not case.profile.is_listed:
            return
        for call in case.resolution.doubtful_calls:
            if call.qualified or call.name.lower() in case.grounds.declared_functions:
                continue
            if _is_wrong(case.knowledge, call.name, call.arguments):
                yield self._finding(own_span(call.node), call.name, call.arguments)
        for token, count in _own_calls(case.statement, case.knowledge):
            yield self._finding(token, token.text, count)

    def _finding(self, place: Place, name: str, count: int) -> Finding:
        message = f"The function {name} does not accept {count} arguments."
        return self.at(place, message, name, detail="arity")


def _is_wrong(knowledge: EngineKnowledge, name: str, count: int) -> bool:
    if not knowledge.signatures(name):
        return name.lower() in _TYPES and count != 1
    return not knowledge.kinds(name, count)


_TYPES: Final = frozenset({"date", "time"})
"""Calls that are casts if the engine has no such function."""


def _own_calls(statement: Statement, knowledge: EngineKnowledge) -> Iterator[tuple[Token, int]]:
    """Yield calls with a grammar of their own and more or fewer arguments than any overload."""
    names = {
        id(token) for token in statement.own_calls if token.text.lower() in knowledge.functions
    }
    if not names:
        return
    for place, token in enumerate(statement.tokens):
        if id(token) in names and statement.shape[place - 1] != _DOT:  # `name.trim()`
            count = _count(statement.shape, place + 2)
            if count is not None and not knowledge.kinds(token.text, count):
                yield token, count


def _count(shape: str, begin: int) -> int | None:
    """Count the arguments from `begin` to the closing parenthesis; None: unknown grammar."""
    depth, commas = 0, 0
    for place, letter in enumerate(shape[begin:], begin):
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            if not depth and shape[place + 1 : place + 2] in _OF_SCRIPT:
                return None
            if not depth:
                return commas + 1 if shape[begin] != letter else 0
            depth -= 1
        elif not depth and letter == _COMMA:
            commas += 1
        elif not depth and letter == _ORDER:
            return commas + 1
        elif not depth and letter in _GRAMMAR:
            return None
    return None


_COMMA: Final = spelled("COMMA")
_DOT: Final = spelled("DOT")
_ORDER: Final = spelled("ORDER_BY")
_OPENING: Final = letters_of(OPENING_BRACKETS)
_CLOSING: Final = letters_of(CLOSING_BRACKETS)
_OF_SCRIPT: Final = frozenset({spelled("USING"), spelled("ROW")})
"""What follows the values that a script reads, however many: `TRANSFORM(a, b) USING 'cat'`."""
_GRAMMAR: Final = frozenset(spelled("ALIAS FROM IN FOR USING COLON SELECT WITH LIMIT ON"))
"""Tokens of calls with a grammar of their own, whose arguments are not separated by commas only."""
