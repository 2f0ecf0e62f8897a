from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.tokens import spelled
from sqlobs.check.rules.rejected_cast import cast_types
from sqlobs.check.rules.rule import Case, Findings, Rule

_DOUBLE_COLON: Final = re.compile(spelled("DCOLON"))
_COMPOUND: Final = {"double": ("precision",), "national": ("character", "char")}
"""First words that are not a type alone, and the words that complete them."""


_TYPE_FIRST: Final = frozenset({"CONVERT", "TRY_CONVERT"})
_CALLED: Final = re.compile(spelled("VAR open"))
_OF_COLLECTIONS: Final = frozenset({"COLLECT", "MULTISET"})
"""Oracle casts them to types of the user: `CAST(COLLECT(name) AS names_t)`."""


class UnknownType(
    Rule, code="schema.unknown_type", triggers={"CAST", "TRY_CAST", "::"} | _TYPE_FIRST
):
    """A type name that the engine does not support.

    What it finds: a `CAST` or `::` to `tinyint`, `datetime` or `string` in PostgreSQL, or to an
    invented type in DuckDB, SQL Server or Oracle.
    Why it matters: the engine rejects the statement.
    Known limits: nothing is reported if the schema declares extensions, which add types, for names
    with a namespace, or where Oracle casts a collection. SQLite accepts any name; the grammar of
    MySQL lists its types, so any other is reported by `rejected-cast`.
    Example: `SELECT CAST(id AS tinyint) FROM customers` in PostgreSQL
    Instead: `SELECT CAST(id AS smallint) FROM customers`
    """

    def findings(self, case: Case) -> Findings:
        types, documented = case.grounds.types, case.knowledge.types
        if case.grounds.has_unlisted_functions or not (types.is_known or documented):
            return
        if documented and not _OF_COLLECTIONS.isdisjoint(case.statement.words):
            return
        knows = types.knows if types.is_known else documented.__contains__
        for token, after in _type_names(case):
            if not _is_known(case, knows, token, after):
                yield self.at(token, f"Unknown type {token.text}.", token.text)


def _type_names(case: Case) -> Iterator[tuple[Token, Token | None]]:
    """Yield the first token of the type of each cast, and the token after it."""
    statement = case.statement
    behind = {id(token): after for token, after in pairwise(statement.tokens)}
    for token in (*cast_types(statement), *_first_arguments(case)):
        yield token, behind.get(id(token))
    for found in _DOUBLE_COLON.finditer(statement.shape, 0, len(statement.shape) - 1):
        if case.is_method(found.start()):
            continue
        token = statement.tokens[found.end()]
        yield token, behind.get(id(token))


def _first_arguments(case: Case) -> Iterator[Token]:
    """Yield the first token of calls whose first argument is a type: `CONVERT(varchar(9), a)`."""
    statement = case.statement
    known = case.profile.known if case.profile is not None else None
    if known is None or not known.types.type_first or _TYPE_FIRST.isdisjoint(statement.words):
        return
    for found in _CALLED.finditer(statement.shape, 0, len(statement.shape) - 1):
        if statement.tokens[found.start()].text.upper() in _TYPE_FIRST:
            yield statement.tokens[found.end()]


def _is_known(case: Case, knows: Callable[[str], bool], token: Token, after: Token | None) -> bool:
    words = token.text.lower().split()
    following = after.text.lower() if after is not None else ""
    if after is not None and after.token_type is TokenType.DOT:
        return True
    if not words or not words[0].replace("_", "").isalnum() or words[0].isdigit():
        return True
    first = words[0]
    if first in _COMPOUND and len(words) == 1 and not knows(first):
        return following in _COMPOUND[first]
    if first in _COMPOUND or knows(first) or knows(first.lstrip("_")):
        return True
    return case.schema is not None and case.schema.knows_type(first)
