from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.tokens import CLOSE, OPEN, spelled
from sqlobs.check.rules.rejected_cast import cast_types
from sqlobs.check.rules.rule import Case, Findings, Rule

_DOUBLE_COLON: Final = re.compile(spelled("DCOLON"))
_COMPOUND: Final = {"double": ("precision",), "national": ("character", "char")}
"""First words that are not a type alone, and the words that complete them."""


_TYPE_FIRST: Final = frozenset({"CONVERT", "TRY_CONVERT"})
_CALLED: Final = re.compile(spelled("VAR open"))
_OF_COLLECTIONS: Final = frozenset({"COLLECT", "MULTISET"})
"""Oracle casts them to types of the user: `CAST(COLLECT(name) AS names_t)`."""
_COLUMNS: Final = re.compile(spelled("open|close|COMMA"))
_NO_COLUMNS: Final = frozenset(
    "CHECK CONSTRAINT EXCLUDE FOREIGN FULLTEXT INDEX KEY LIKE PERIOD PRIMARY SPATIAL SUPPLEMENTAL"
    " UNIQUE".split()
)
"""Words that begin an item of CREATE TABLE that is no column."""
_WITHOUT_TYPE: Final = frozenset(
    "AS COLLATE CONSTRAINT DEFAULT ENCODE GENERATED INVISIBLE NOT NULL PRIMARY UNIQUE".split()
)
"""Words that follow the name of a column without a type (SQL Server's `total AS (a + b)`)."""


class UnknownType(
    Rule, code="schema.unknown_type", triggers={"CAST", "TRY_CAST", "::", "CREATE"} | _TYPE_FIRST
):
    """A type name that the engine does not support.

    What it finds: a `CAST` or `::` to `tinyint`, `datetime` or `string` in PostgreSQL, or to an
    invented type in DuckDB, SQL Server or Oracle; and a type of a column in `CREATE TABLE` that the
    manual of the engine does not list.
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
    for token in (*cast_types(statement), *_first_arguments(case), *_of_columns(case)):
        yield token, behind.get(id(token))
    for found in _DOUBLE_COLON.finditer(statement.shape, 0, len(statement.shape) - 1):
        operator, token = statement.tokens[found.start()], statement.tokens[found.end()]
        is_suffix = operator.start == token.start  # sqlglot reads `1L` as `1::L`
        if not is_suffix and not case.is_method(found.start()):
            yield token, behind.get(id(token))


def _of_columns(case: Case) -> Iterator[Token]:
    """Yield the first token of the type of each column of CREATE TABLE, where a manual lists all.

    A cast accepts fewer types than a column in the engines that were measured.
    """
    statement, depth = case.statement, 0
    create = statement.tree
    if not isinstance(create, exp.Create) or create.kind != "TABLE" or not case.knowledge.types:
        return
    if not isinstance(create.this, exp.Schema) or "IDENTIFIER" in statement.words:
        return  # in `CREATE TABLE IDENTIFIER($name) (…)` its parentheses are not the first
    for found in _COLUMNS.finditer(statement.shape, 0, len(statement.shape) - 2):
        depth += {OPEN: 1, CLOSE: -1}.get(found[0], 0)
        if depth == 0:
            return
        if depth == 1 and found[0] != CLOSE:
            name, kind = statement.tokens[found.end() : found.end() + 2]
            is_quoted = name.token_type is TokenType.IDENTIFIER
            is_column = is_quoted or name.text.upper() not in _NO_COLUMNS
            if is_column and kind.text.upper() not in _WITHOUT_TYPE:
                yield kind


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
