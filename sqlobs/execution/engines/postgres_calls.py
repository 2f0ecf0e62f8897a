"""Which code of the database's users a statement would run on PostgreSQL, by its own analysis.

A name says little: `t.f` calls a function, LIKE an operator, `SELECT * FROM v` whatever the view
calls. So the server analyzes the statement (nothing is planned or run) and prints the tree, in
which each function and operator stands by its OID. As the server prints it to its own log, too,
this happens only where something in the statement may lead to code of users, and in silence where
the role may ask for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

from psycopg import errors, pq
from psycopg import sql as composed
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType

from sqlobs.execution.calls import LITERALS, folded
from sqlobs.execution.engines import postgres_catalog as catalog
from sqlobs.execution.engines.postgres_trees import References, constant_calls, references
from sqlobs.vocabulary import allowed_functions, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from psycopg import Connection
    from sqlglot.tokenizer_core import Token

_LONGEST_NAME: Final = 63
"""In bytes. The server cuts longer names off: `t.purge…x` may call `purge…`."""

_BYTES_OF_CHARACTER: Final = 4
_SYMBOLS: Final = frozenset(
    (
        *("=", "<>", "<", "<=", ">", ">="),
        *("~~", "!~~", "~~*", "!~~*", "~", "!~", "~*", "!~*"),
    )
)
"""Operators behind keywords: IN, BETWEEN, NULLIF, CASE, USING (…), LIKE, ILIKE, SIMILAR TO."""

_PRINTING: Final[LiteralString] = """
    SELECT pg_catalog.set_config('client_min_messages', 'log', true),
           pg_catalog.set_config('debug_pretty_print', 'off', true),
           pg_catalog.set_config('debug_print_rewritten', 'on', true)
"""
_SILENCE: Final[LiteralString] = """
    SELECT pg_catalog.set_config('log_min_messages', 'fatal', true)
    WHERE pg_catalog.has_parameter_privilege('log_min_messages', 'SET')
"""
_SILENCE_SINCE: Final = 150_000
_UNREAD: Final = "NULL::pg_catalog.unknown"
"""A literal without its text: analyzed alike, but there is nothing to convert."""

_TYPED: Final = listed("types") | {"date", "json", "jsonb", "uuid"}
"""Types of the server's that may stand before a literal: `DATE '2026-01-31'`."""


class UnclearError(Exception):
    """The server's analysis cannot be asked for without running what is to be found."""


@dataclass(frozen=True, slots=True)
class _Type:
    """A type by which code of users is called."""

    name: str
    is_touched: bool
    """Also comparing its values calls it, not only making them."""
    is_row: bool


class Strangers:
    """Finds the code of users that statements of one connection would run."""

    def __init__(self, connection: Connection[Any], allowed: frozenset[str]) -> None:
        self._connection = connection
        self._known = allowed_functions("postgres") | allowed
        self._allowed = allowed

    def question(self, template: LiteralString) -> bytes:
        """Return a question of the catalog whose one parameter is the array of words."""
        words = composed.SQL("$1")
        filled = composed.SQL(template).format(words=words, allowed=self._array(self._allowed))
        return filled.as_bytes(self._connection)

    def first(self, sql: str, words: frozenset[str]) -> str | None:
        """Return the name of a function or operator of users that a statement would run.

        Args:
            sql: The statement, which passed the gate.
            words: Its names and operators.

        Raises:
            psycopg.Error: The server rejects the statement.
            UnclearError: What it would run cannot be found out.
        """
        names = searched(words)
        behind, planned = self._stored(names)
        found = self._first(planned)
        if found is not None:
            return found
        if not self._ask(catalog.IS_NAMED, words=names)[0][0] and self._first(behind) is None:
            return None
        types = self._types()
        tree = self._analyzed(sql, types.values())
        return self._first_type(tree, types) or self._first(tree)

    def _stored(self, names: Iterable[str]) -> tuple[References, References]:
        """Return what is behind the relations of these names: what runs, and what is planned."""
        rows = self._ask(catalog.STORED, words=names)
        behind = references(" ".join(tree for runs, tree in rows if runs))
        constants = (constant_calls(tree) for runs, tree in rows if not runs)
        return behind, References(functions=frozenset().union(*constants))

    def _types(self) -> dict[int, _Type]:
        rows = self._ask(catalog.TYPES)
        return {oid: _Type(name, touched, row) for oid, name, touched, row in rows}

    def _analyzed(self, sql: str, types: Iterable[_Type]) -> References:
        """Have the server analyze the statement, and return what its tree refers to.

        Analysis converts literals. Where a type's check calls code of users it gets none.
        """
        names = {kind.name for kind in types}
        text = _without_literals(sql, names) if names else sql
        trees: list[str] = []
        connection = self._connection.pgconn
        if self._connection.info.server_version >= _SILENCE_SINCE:
            self._connection.execute(_SILENCE)
        self._connection.execute(_PRINTING)
        usual, connection.notice_handler = connection.notice_handler, _reader(trees)
        try:
            answer = connection.prepare(b"", text.encode())
        finally:
            connection.notice_handler = usual
        if answer.status != pq.ExecStatus.COMMAND_OK:
            raise _rejection(answer, is_changed=text != sql)
        self._connection.execute("SET LOCAL debug_print_rewritten = off")
        if not trees:
            raise UnclearError("the server prints no tree")
        return references(" ".join(trees))

    def _first_type(self, tree: References, types: dict[int, _Type]) -> str | None:
        """Return the name of a type by which the statement calls code of users."""
        found = {oid: types[oid] for oid in types.keys() & (tree.types | tree.converted)}
        is_generic = any(kind.is_touched for kind in found.values()) and self._is_generic(tree)
        for oid, kind in sorted(found.items()):
            is_made = oid in tree.converted or (kind.is_row and oid in tree.results)
            is_compared = kind.is_touched and (is_generic or oid in tree.compared)
            if is_made or is_compared:
                return kind.name
        return None

    def _is_generic(self, tree: References) -> bool:
        operators, functions = map(str, tree.operators), map(str, tree.functions)
        rows = self._ask(catalog.IS_GENERIC, operators=operators, functions=functions)
        return bool(rows[0][0])

    def _first(self, found: References) -> str | None:
        rows = self._ask(
            catalog.FIRST_STRANGER,
            functions=map(str, found.functions),
            calls=map(str, found.calls),
            operators=map(str, found.operators),
            known=self._known,
        )
        return str(rows[0][0]) if rows else None

    def _ask(self, template: LiteralString, **arrays: Iterable[str]) -> list[tuple[Any, ...]]:
        filled = {name: self._array(items) for name, items in arrays.items()}
        question = composed.SQL(template).format(allowed=self._array(self._allowed), **filled)
        return self._connection.execute(question).fetchall()

    def _array(self, names: Iterable[str]) -> composed.Composable:
        return composed.Literal(array_of(names))


def searched(words: Iterable[str]) -> frozenset[str]:
    """Return the names that a statement's words may stand for, and operators behind keywords."""
    return frozenset(name for word in words for name in _meant(word)) | _SYMBOLS


def array_of(names: Iterable[str]) -> str:
    """Return names as the server writes an array of them.

    >>> array_of(["tax", "sum of"])
    '{"tax","sum of"}'
    """
    quoted = (name.replace("\\", r"\\").replace('"', r"\"") for name in names)
    return f"""{{{",".join(f'"{name}"' for name in quoted)}}}"""


def _meant(word: str) -> Iterator[str]:
    """Yield a word, and the ends where a server of any encoding may cut it off."""
    yield word
    if len(word.encode()) > _LONGEST_NAME:
        shortest = _LONGEST_NAME // _BYTES_OF_CHARACTER
        yield from (word[:length] for length in range(shortest, _LONGEST_NAME + 1))


def _without_literals(sql: str, names: set[str]) -> str:
    """Return a statement with its string literals unread, but for those of the server's types.

    Raises:
        UnclearError: One stands behind the name of a type in question (`price '(1)'`).
    """
    pieces: list[str] = []
    position = 0
    tokens = Dialect.get_or_raise("postgres").tokenize(sql)
    for index, token in enumerate(tokens):
        if not _is_string(token):
            continue
        before = tokens[max(index - 2, 0) : index]
        if before and folded(before[-1], "postgres") in names:
            raise UnclearError(before[-1].text)
        if not before or not _is_fixed(before):
            is_continued = bool(before) and _is_string(before[-1])
            pieces += sql[position : token.start], "" if is_continued else _UNREAD
            position = token.end + 1
    return "".join((*pieces, sql[position:]))


def _is_string(token: Token) -> bool:
    return token.token_type in LITERALS and token.token_type is not TokenType.NUMBER


def _is_fixed(before: Sequence[Token]) -> bool:
    """Return whether a literal must follow these tokens: `DATE '…'`, `EXTRACT('year' …`."""
    if any(token.token_type is TokenType.IDENTIFIER for token in before[-2:]):
        return False
    words = [token.text.lower() for token in before]
    return words[-1] in _TYPED or words == ["extract", "("]


def _rejection(answer: pq.abc.PGresult, *, is_changed: bool) -> Exception:
    """Return the server's error; what is wrong with our change says nothing about the statement."""
    error = errors.error_from_result(answer, "utf-8")
    if is_changed and isinstance(error, errors.SyntaxError):
        return UnclearError("literal")
    return error


def _reader(trees: list[str]) -> Callable[[pq.abc.PGresult], None]:
    def read(message: pq.abc.PGresult) -> None:
        detail = message.error_field(pq.DiagnosticField.MESSAGE_DETAIL)
        if detail is not None:
            trees.append(detail.decode(errors="replace"))

    return read
