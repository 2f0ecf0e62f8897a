from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import spelled
from sqlobs.check.rules.rejected_cast import cast_types
from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.check.types.system import TypeSystem

_DOUBLE_COLON: Final = re.compile(spelled("DCOLON"))
_COMPOUND: Final = {"double": ("precision",), "national": ("character", "char")}
"""First words that are not a type alone, and the words that complete them."""


class UnknownType(Rule, code="schema.unknown_type", triggers={"CAST", "TRY_CAST", "::"}):
    """A type name that the engine does not support.

    What it finds: a `CAST` or `::` to `tinyint`, `datetime` or `string` in PostgreSQL, or to an
    invented type in DuckDB.
    Why it matters: the engine rejects the statement.
    Known limits: nothing is reported if the schema declares extensions, which add types, or for
    names with a namespace. SQLite accepts any name; the grammar of MySQL lists its types, so any
    other is reported by `rejected-cast`.
    Example: `SELECT CAST(id AS tinyint) FROM customers` in PostgreSQL
    Instead: `SELECT CAST(id AS smallint) FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        types = case.grounds.types
        if not types.is_known or case.grounds.has_unlisted_functions:
            return
        for token, after in _type_names(case.statement):
            if not _is_known(case, types, token, after):
                yield self.at(token, f"Unknown type {token.text}.", token.text)


def _type_names(statement: Statement) -> Iterator[tuple[Token, Token | None]]:
    """Yield the first token of the type of each cast, and the token after it."""
    behind = {id(token): after for token, after in pairwise(statement.tokens)}
    for token in cast_types(statement):
        yield token, behind.get(id(token))
    for found in _DOUBLE_COLON.finditer(statement.shape, 0, len(statement.shape) - 1):
        token = statement.tokens[found.end()]
        yield token, behind.get(id(token))


def _is_known(case: Case, types: TypeSystem, token: Token, after: Token | None) -> bool:
    words = token.text.lower().split()
    following = after.text.lower() if after is not None else ""
    if after is not None and after.token_type is TokenType.DOT:
        return True
    if not words or not words[0].replace("_", "").isalnum() or words[0].isdigit():
        return True
    first = words[0]
    if first in _COMPOUND and len(words) == 1 and not types.knows(first):
        return following in _COMPOUND[first]
    if first in _COMPOUND or types.knows(first) or types.knows(first.lstrip("_")):
        return True
    return case.schema is not None and case.schema.knows_type(first)
