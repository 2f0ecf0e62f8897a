from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot.tokenizer_core import Token

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import CLOSE, OPEN, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule

_CASTS: Final = frozenset({"CAST", "TRY_CAST"})
_PLACES: Final = re.compile(spelled("open|close|ALIAS"))


class RejectedCast(Rule, code="syntax.parse_error", triggers=_CASTS | {"CONVERT"}):
    """A type that the engine does not allow in `CAST`, though columns may have it.

    What it finds: `CAST(x AS REAL)` and `CAST(x AS VARCHAR)` in MySQL and MariaDB.
    Why it matters: the grammar lists the types of `CAST`; any other is a syntax error.
    Example: `SELECT CAST(total_revenue AS REAL) FROM orders` in MariaDB
    Instead: `SELECT CAST(total_revenue AS DOUBLE) FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        for token in (*cast_types(case.statement), *_converted_types(case.statement)):
            name = token.text.lower()
            if case.statement.sql[token.end + 1 :].lstrip().startswith("("):
                name += "()"
            if case.knowledge.has("cast_types", name) is Answer.NO:
                yield self.at(token, f"The type {token.text} is not allowed in a cast.", token.text)


def cast_types(statement: Statement) -> Iterator[Token]:
    """Yield the first token of the type of each CAST."""
    tokens, shape = statement.tokens, statement.shape
    in_cast = [False]
    for found in _PLACES.finditer(shape, 0, len(shape) - 1):
        place = found.start()
        if shape[place] == OPEN:
            in_cast.append(place > 0 and tokens[place - 1].text.upper() in _CASTS)
        elif shape[place] == CLOSE:
            del in_cast[max(len(in_cast) - 1, 1) :]
        elif in_cast[-1] and shape[place + 2 : place + 3] not in _BEHIND_ALIAS:
            yield tokens[place + 1]


_BEHIND_ALIAS: Final = (spelled("ALIAS"), spelled("COMMA"))
"""`CAST(1 AS a AS Int8)`, where ClickHouse reads an alias first."""
_CONVERTED: Final = re.compile(spelled("VAR open"))
_GUARDS: Final = re.compile(spelled("open|close|COMMA"))


def _converted_types(statement: Statement) -> Iterator[Token]:
    """Yield the first token of the type of each `CONVERT(x, type)`."""
    if "CONVERT" not in statement.words:
        return
    for call in _CONVERTED.finditer(statement.shape):
        if statement.tokens[call.start()].text.upper() != "CONVERT":
            continue
        depth = 0
        for found in _GUARDS.finditer(statement.shape, call.end(), len(statement.shape) - 1):
            depth += {OPEN: 1, CLOSE: -1}.get(found[0], 0)
            if depth < 0:
                break
            if not depth and found[0] != CLOSE:
                yield statement.tokens[found.end()]
                break
