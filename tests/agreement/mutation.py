"""Puts one fault into a statement: a wrong name, a lost word, a foreign function, a wrong type."""

from __future__ import annotations

import itertools
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from sqlglot.tokenizer_core import Token

    from sqlobs.schema.model import Schema

FOREIGN = {
    "sqlite": ("YEAR", "CONCAT_WS2", "DATEDIFF", "NVL", "STRING_AGG", "TO_CHAR", "LEN", "ISNULL2"),
    "postgres": ("YEAR", "IFNULL", "DATEDIFF", "NVL", "GROUP_CONCAT", "STRFTIME", "LEN", "IIF"),
    "mysql": ("STRFTIME", "STRING_AGG", "TO_DATE", "DATE_TRUNC", "LEN", "IIF", "JULIANDAY"),
    "duckdb": ("JULIANDAY", "DATEADD", "NVL2", "CHARINDEX", "GETDATE", "CURDATE", "STUFF"),
    "spark": (
        "STRFTIME",
        "JULIANDAY",
        "GROUP_CONCAT",
        "STUFF",
        "TO_TIMESTAMP_X",
        "DATETIME",
        "INSTRB",
    ),
    "bigquery": ("STRFTIME", "GROUP_CONCAT", "DATEDIFF", "NVL", "TO_CHAR", "LEN", "GETDATE"),
    "clickhouse": ("JULIANDAY", "STRFTIME", "NVL2", "CHARINDEX", "GETDATE", "TO_CHAR", "STUFF"),
}
_WORDS = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_DROPPED = frozenset(
    "FROM WHERE GROUP_BY ORDER_BY ON JOIN AND THEN WHEN END CASE IN BETWEEN L_PAREN R_PAREN SELECT"
    " HAVING LIMIT COMMA ALIAS".split()
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A statement with one fault in it."""

    kind: str
    sql: str
    wrong: str | None
    """The wrong name, in lower case; None: the fault has no name."""


class Mutator:
    """Makes mutants of one dialect from one source of randomness."""

    def __init__(self, dialect: str, random: Random) -> None:
        self._dialect = dialect
        self._random = random
        self._of_calls = copy(random)  # so that the mutants of other kinds stay those they were
        self._kinds: dict[
            str, Callable[[str, Sequence[Token], Schema], tuple[str, str | None] | None]
        ]
        self._kinds = {
            "rename column": self._rename_column,
            "another table's column": self._other_column,
            "rename table": self._rename_table,
            "drop qualifier": self._drop_qualifier,
            "drop alias definition": self._drop_alias,
            "foreign function": self._foreign_function,
            "drop a word": self._drop_word,
            "number = 'abc'": self._number_as_text,
            "drop an argument": self._drop_argument,
            "add an argument": self._add_argument,
            "drop a key of GROUP BY": self._drop_key,
        }

    def mutants(self, sql: str, schema: Schema) -> list[Mutant]:
        """Return one mutant of each kind that fits the statement."""
        text = tokenize(sql, self._dialect)  # DuckDB's backticks are none of sqlglot's
        assert text.fault is None, sql
        found = []
        for kind, mutate in self._kinds.items():
            made = mutate(sql, text.tokens, schema)
            if made is not None and made[0] != sql:
                found.append(Mutant(kind, *made))
        return found

    def _pick(self, tokens: Sequence[Token]) -> Token | None:
        return self._random.choice(tokens) if tokens else None

    def _rename_column(
        self, sql: str, tokens: Sequence[Token], schema: Schema
    ) -> tuple[str, str | None] | None:
        columns = {column.name.lower() for table in schema.tables for column in table.columns}
        tables = {table.name.lower() for table in schema.tables}
        defined = _defined(tokens)
        token = self._pick(
            [
                token
                for token, after in zip(tokens, [*tokens[1:], None], strict=True)
                if token.token_type in _WORDS
                and id(token) not in defined
                and token.text.lower() in columns - tables
                and (after is None or after.text not in {".", "("})
            ]
        )
        if token is None:
            return None
        return _replaced(sql, token, token.text + "_x"), f"{token.text}_x".lower()

    def _other_column(
        self, sql: str, tokens: Sequence[Token], schema: Schema
    ) -> tuple[str, str | None] | None:
        token = self._pick(
            [
                b
                for a, b in zip(tokens, tokens[1:], strict=False)
                if a.token_type is TokenType.DOT and b.token_type in _WORDS
            ]
        )
        owners = [
            t
            for t in schema.tables
            if token and all(c.name.lower() != token.text.lower() for c in t.columns)
        ]
        if token is None or not owners:
            return None
        column = self._random.choice(self._random.choice(owners).columns)
        if not column.name.isidentifier() or not column.name.islower():
            return None
        return _replaced(sql, token, column.name), column.name.lower()

    def _rename_table(
        self, sql: str, tokens: Sequence[Token], schema: Schema
    ) -> tuple[str, str | None] | None:
        tables = {table.name.lower() for table in schema.tables}
        token = self._pick(
            [
                b
                for a, b in zip(tokens, tokens[1:], strict=False)
                if a.token_type in {TokenType.FROM, TokenType.JOIN} and b.text.lower() in tables
            ]
        )
        if token is None:
            return None
        return _replaced(sql, token, token.text + "_x"), f"{token.text}_x".lower()

    def _drop_qualifier(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        places = [i for i in range(len(tokens) - 2) if tokens[i + 1].token_type is TokenType.DOT]
        if not places:
            return None
        place = self._random.choice(places)
        name, column = tokens[place], tokens[place + 2]
        return sql[: name.start] + sql[column.start :], column.text.lower()

    def _drop_alias(
        self, sql: str, tokens: Sequence[Token], schema: Schema
    ) -> tuple[str, str | None] | None:
        tables = {table.name.lower() for table in schema.tables}
        places = [
            i
            for i in range(len(tokens) - 2)
            if tokens[i].text.lower() in tables and tokens[i + 1].token_type is TokenType.ALIAS
        ]
        if not places:
            return None
        place = self._random.choice(places)
        alias = tokens[place + 2]
        return sql[: tokens[place].end + 1] + sql[alias.end + 1 :], alias.text.lower()

    def _foreign_function(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        calls = [
            a
            for a, b in zip(tokens, tokens[1:], strict=False)
            if b.text == "("
            and a.text.upper()
            in {"COUNT", "SUM", "AVG", "MAX", "MIN", "LENGTH", "LOWER", "UPPER", "ROUND", "ABS"}
        ]
        token = self._pick(calls)
        if token is None:
            return None
        name = self._random.choice(FOREIGN[self._dialect])
        return _replaced(sql, token, name), name.lower()

    def _drop_word(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        token = self._pick([token for token in tokens if token.token_type.name in _DROPPED])
        return None if token is None else (_replaced(sql, token, " "), None)

    def _number_as_text(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        token = self._pick(
            [
                b
                for a, b in zip(tokens, tokens[1:], strict=False)
                if a.text in {"=", ">", "<"} and b.token_type is TokenType.NUMBER
            ]
        )
        return None if token is None else (_replaced(sql, token, "'abc'"), None)

    def _drop_argument(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        calls = [one for one in _calls(tokens) if len(one) > _LEAST_OF_TWO]
        if not calls:
            return None
        name, *_rest, comma, end = self._of_calls.choice(calls)
        return sql[: comma.start] + sql[end.start :], name.text.lower()

    def _add_argument(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        calls = list(_calls(tokens))
        if not calls:
            return None
        name, *_rest, end = self._of_calls.choice(calls)
        return sql[: end.start] + ", 1, 1" + sql[end.start :], name.text.lower()

    def _drop_key(
        self, sql: str, tokens: Sequence[Token], _: Schema
    ) -> tuple[str, str | None] | None:
        places = [
            place
            for place, token in enumerate(tokens[:-1])
            if token.token_type is TokenType.GROUP_BY and tokens[place + 1].token_type in _WORDS
        ]
        if not places:
            return None
        place = self._of_calls.choice(places)
        keys = itertools.takewhile(_is_of_key, tokens[place + 1 :])
        first = [place, *(place + 1 + number for number, _one in enumerate(keys))]
        after = tokens[first[-1] + 1] if first[-1] + 1 < len(tokens) else None
        begin = tokens[place + 1].start
        if after is None or after.token_type is not TokenType.COMMA:
            begin, end = tokens[place].start, len(sql) if after is None else after.start
        else:
            end = after.end + 1
        return f"{sql[:begin]} {sql[end:]}", None


_LEAST_OF_TWO = 2
"""Tokens of a call with one argument: its name and the closing parenthesis."""


def _is_of_key(token: Token) -> bool:
    return token.token_type in _WORDS or token.text == "."


def _calls(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield name, commas and closing parenthesis of each call that has an argument.

    `WITH t(a, b) AS (…)` has none.
    """
    opened: list[list[Token]] = []
    for place, (token, after) in enumerate(zip(tokens, [*tokens[1:], None], strict=True)):
        if token.text == "(":
            before = tokens[place - 1] if place else None
            is_call = before is not None and before.token_type is TokenType.VAR
            is_call = is_call and not _is_alias(tokens, place - 1)
            is_empty = after is None or after.text == ")"
            opened.append([before] if is_call and not is_empty and before else [])
        elif token.text == ")" and opened:
            call = opened.pop()
            if call and [one.text.upper() for one in tokens[place + 1 : place + 3]] != ["AS", "("]:
                yield [*call, token]
        elif token.token_type in _WITHOUT_LIST and opened:
            opened[-1] = []
        elif token.token_type is TokenType.COMMA and opened and opened[-1]:
            opened[-1].append(token)


_OWN_GRAMMAR = frozenset({"CAST", "TRY_CAST", "SAFE_CAST", "EXTRACT", "GROUP"})
"""What is written like a call and has no list of arguments."""
_WITHOUT_LIST = frozenset({TokenType.FROM, TokenType.FOR})
"""Keywords in the place of commas: `substring(a FROM 2 FOR 3)`."""


def _is_alias(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a name before a parenthesis is no function: `(…) t(a)`, `AS t(a)`, `CAST(`."""
    before = tokens[place - 1].token_type if place else None
    is_relation = before in {TokenType.ALIAS, TokenType.R_PAREN}
    return is_relation or tokens[place].text.upper() in _OWN_GRAMMAR


def _defined(tokens: Sequence[Token]) -> set[int]:
    """Return the ids of the names that lists of aliases define: `(…) t(a, b)`, `AS t(a)`."""
    found: set[int] = set()
    for place, token in enumerate(tokens):
        name = tokens[place - 1]
        is_named = place and token.token_type is TokenType.L_PAREN and name.token_type in _WORDS
        if is_named and name.text.upper() not in _OWN_GRAMMAR and _is_alias(tokens, place - 1):
            inside = itertools.takewhile(lambda one: one.text != ")", tokens[place:])
            found |= {id(one) for one in inside}
    return found


def _replaced(sql: str, token: Token, text: str) -> str:
    old = sql[token.start : token.end + 1]
    if old[:1] in '"`[':
        text = f"{old[0]}{text}{old[-1]}"
    return sql[: token.start] + text + sql[token.end + 1 :]
