"""Which code of users a statement would call on MySQL or MariaDB, by the server's own parser.

A stored or loadable function may have any name that this server has no function of its own for
(`any_value`, `regexp_like`), or differ by a space only: `count (id)`. EXPLAIN evaluates
deterministic functions, and so does PREPARE (`round(1.5, f())`); so the parser is asked about each
call by itself, with an argument that only loadable functions take.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pymysql
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from sqlobs.execution.calls import LITERALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    Ask = Callable[[str, Sequence[object]], Sequence[Sequence[Any]]]
    """Sends a statement with its values and returns the rows."""

_REST: Final = "1 AS a) FROM sqlobs_no_such_table"
_STORED: Final = 1584
"""The parser knows no function of that name: a stored one is looked up where the call runs."""
_LOADABLE: Final = (1044, 1046, 1142, 1146)
"""The parser takes the argument; what fails is the table."""

_SPACES: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[\w$]+")
_PART: Final = r"`([^`]+)`|\"([^\"]+)\"|([\w$]+)"
_RELATION: Final = re.compile(rf"(?:(?:{_PART})\s*\.\s*)?(?:{_PART})")
"""`orders`, shop.`orders`, "orders": whatever the session's modes take for a name."""
_ROUTINES: Final = """
    SELECT 1 FROM information_schema.routines
    WHERE routine_type = 'FUNCTION' AND routine_name = %s
      AND routine_schema = COALESCE(%s, DATABASE())
"""
_ALL_ROUTINES: Final = """
    SELECT DISTINCT routine_name FROM information_schema.routines WHERE routine_type = 'FUNCTION'
"""
_VIEW: Final = """
    SELECT table_schema, table_name, view_definition FROM information_schema.views
    WHERE table_schema = COALESCE(%s, DATABASE()) AND table_name = %s
"""
_VIEWS: Final = """
    SELECT table_schema, table_name, view_definition FROM information_schema.views
    WHERE table_schema = DATABASE() OR table_schema IN %s
"""
_MOST_LOOKUPS: Final = 64
"""A lookup by schema and name costs a tenth of a millisecond; beyond, all views are read."""


class Routines:
    """Finds the code of users that statements of one connection would call."""

    def __init__(self, ask: Ask, allowed: frozenset[str]) -> None:
        self._ask = ask
        self._allowed = allowed
        self._native: set[str] = set()

    def first(self, sql: str) -> str | None:
        """Return the name of a function of users that an admitted statement would call.

        Raises:
            pymysql.Error: The server cannot be asked.
        """
        tokens = _tokens(sql)
        for schema, name, call in _calls(sql, tokens):
            kind = self._kind(call) if name.lower() not in self._allowed else None
            if kind == "loadable" or (kind == "stored" and self._exists(schema, name)):
                return name
        return self._first_in_views(_relations(tokens))

    def may_run(self, sql: str) -> bool:
        """Return whether preparing a text may call functions of users; the gate did not admit it.

        Raises:
            pymysql.Error: The server cannot be asked.
        """
        words = {word.lower() for word in _WORD.findall(sql)}
        names = {str(row[0]).lower() for row in self._ask(_ALL_ROUTINES, ())} - self._allowed
        if not names.isdisjoint(words) or self._first_in_views(_written_relations(sql)):
            return True
        try:
            return self.first(sql) is not None
        except TokenError:
            return True

    def _kind(self, call: str) -> str | None:
        """Return how the parser takes a call: "stored", "loadable", None = the server's own."""
        written = _SPACES.sub(" ", call).lower()
        if written in self._native:
            return None
        try:
            self._ask("PREPARE sqlobs FROM %s", (f"SELECT {written}{_REST}",))
        except pymysql.Error as error:
            number = error.args[0] if error.args else None
            if number == _STORED:
                return "stored"
            if number not in _LOADABLE:
                self._native.add(written)
                return None
        return "loadable"

    def _exists(self, schema: str | None, name: str) -> bool:
        return bool(self._ask(_ROUTINES, (name, schema)))

    def _first_in_views(self, relations: Iterable[tuple[str | None, str]]) -> str | None:
        """Return the first function of users in the views among relations, and in their views."""
        pending, seen = set(relations), set[tuple[str, str]]()
        while pending:
            views = {(schema, name): text for schema, name, text in self._views(pending)}
            pending = set()
            for view in views.keys() - seen:
                tokens = _tokens(views[view])
                found = self._first_in_view(views[view], tokens) if tokens else _hidden(view[1])
                if found is not None:
                    return found
                pending |= _relations(tokens)
            seen |= views.keys()
        return None

    def _views(self, relations: Iterable[tuple[str | None, str]]) -> Sequence[Sequence[Any]]:
        wanted = sorted(set(relations), key=str)
        if len(wanted) > _MOST_LOOKUPS:
            names = {name for _, name in wanted}
            rows = self._ask(_VIEWS, (sorted({schema or "" for schema, _ in wanted}),))
            return [row for row in rows if row[1] in names]
        values = [value for relation in wanted for value in relation]
        return self._ask(" UNION ALL ".join([_VIEW] * len(wanted)), values)

    def _first_in_view(self, definition: str, tokens: Sequence[Token]) -> str | None:
        """Return the first function of users in a view, which quotes the names of stored ones."""
        for index, (token, after) in enumerate(pairwise(tokens)):
            if after.token_type is not TokenType.L_PAREN or token.text.lower() in self._allowed:
                continue
            is_stored = token.token_type is TokenType.IDENTIFIER
            if is_stored or self._is_loadable(definition, tokens, index):
                return token.text
        return None

    def _is_loadable(self, sql: str, tokens: Sequence[Token], index: int) -> bool:
        call = _call(sql, tokens, index)
        return call is not None and self._kind(call[2]) == "loadable"


def _hidden(view: str) -> str:
    return f"{view} (its definition is hidden from the role: GRANT SHOW VIEW)"


def _tokens(sql: str) -> list[Token]:
    return Dialect.get_or_raise("mysql").tokenize(sql)


def _calls(sql: str, tokens: Sequence[Token]) -> Iterator[tuple[str | None, str, str]]:
    """Yield what stands before parentheses: schema, name, and the text up to the parenthesis."""
    for index, after in enumerate(tokens[1:]):
        found = _call(sql, tokens, index) if after.token_type is TokenType.L_PAREN else None
        if found is not None:
            yield found


def _call(sql: str, tokens: Sequence[Token], index: int) -> tuple[str | None, str, str] | None:
    """Return a call as it is written: the server minds quotes and the space (`count (`)."""
    token = tokens[index]
    is_name = token.token_type is TokenType.IDENTIFIER or _WORD.fullmatch(token.text)
    if token.token_type in LITERALS or not is_name:
        return None
    schema, start = None, token.start
    if index > 1 and tokens[index - 1].token_type is TokenType.DOT:
        schema, start = tokens[index - 2].text, tokens[index - 2].start
    return schema, token.text, sql[start : tokens[index + 1].end + 1]


def _written_relations(sql: str) -> set[tuple[str | None, str]]:
    """Return what may be the name of a relation in a text that nobody can cut into tokens."""
    names = ([part for part in found.groups() if part] for found in _RELATION.finditer(sql))
    pairs = {(found[0] if len(found) > 1 else None, found[-1]) for found in names}
    return pairs | {(None, schema) for schema, _ in pairs if schema}


def _relations(tokens: Sequence[Token]) -> set[tuple[str | None, str]]:
    """Return what may be the name of a relation: each name, and each with the name before it."""
    found: set[tuple[str | None, str]] = set()
    for index, token in enumerate(tokens):
        is_name = token.token_type is TokenType.IDENTIFIER or _WORD.fullmatch(token.text)
        if token.token_type in LITERALS or not is_name:
            continue
        is_qualified = index > 1 and tokens[index - 1].token_type is TokenType.DOT
        found.add((tokens[index - 2].text if is_qualified else None, token.text))
    return found
