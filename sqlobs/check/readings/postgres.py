"""What PostgreSQL takes and sqlglot refuses."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.catalogue import catalogue_of
from sqlobs.check.shape import CLOSE, OPEN, any_of, letter_of, shape_of
from sqlobs.check.tokens import token_as

_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_DOT: Final = letter_of(TokenType.DOT)
_USING: Final = letter_of(TokenType.USING)
_NAMED_USING: Final = re.compile(
    f"({_NAME}){_USING}{OPEN}([^{OPEN}{CLOSE}]+){CLOSE}({letter_of(TokenType.ALIAS)}{_NAME})"
)
_QUALIFIED: Final = re.compile(f"{_NAME}{_DOT}(?={_NAME})")


def _without_name_of_using(tokens: list[Token]) -> list[Token]:
    """Read `t JOIN u USING (id)` for `t JOIN u USING (id) AS j`, and `u.id` for `j.id`."""
    meant: dict[tuple[str, str], Token] = {}
    for using in reversed(list(_NAMED_USING.finditer(shape_of(tokens)))):
        begin, end = using.span(3)
        name = tokens[end - 1].text.lower()
        for column in tokens[slice(*using.span(2))]:
            meant[name, column.text.lower()] = tokens[using.start(1)]
        del tokens[begin:end]
    for found in _QUALIFIED.finditer(shape_of(tokens) if meant else ""):
        place = found.start()
        other = meant.get((tokens[place].text.lower(), tokens[found.end()].text.lower()))
        if other is not None:
            tokens[place] = token_as(other.token_type, other.text, tokens[place])
    return tokens


_ORDER: Final = re.compile(
    _USING + any_of(TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE)
)


def _without_operator_of_order(tokens: list[Token]) -> list[Token]:
    """Leave out the `USING >` of `ORDER BY a USING >`."""
    for found in reversed(list(_ORDER.finditer(shape_of(tokens)))):
        del tokens[found.start() : found.end()]
    return tokens


_OVERRIDING: Final = (("OVERRIDING", "SYSTEM", "VALUE"), ("OVERRIDING", "USER", "VALUE"))


def _without_overriding(tokens: list[Token]) -> list[Token]:
    """Leave out the `OVERRIDING SYSTEM VALUE` of INSERT."""
    words = [token.text.upper() for token in tokens]
    for place in range(len(words) - 3, 0, -1):
        if tuple(words[place : place + 3]) in _OVERRIDING:
            del tokens[place : place + 3]
    return tokens


_ABSOLUTE: Final = re.compile(
    f"{letter_of(TokenType.PARAMETER)}(?={any_of(TokenType.DASH, TokenType.L_PAREN)})"
)


def _without_absolute(tokens: list[Token]) -> list[Token]:
    """Leave out the operator of `@ -5`."""
    for found in reversed(list(_ABSOLUTE.finditer(shape_of(tokens)))):
        del tokens[found.start()]
    return tokens


_TYPED: Final = re.compile(
    f"(?<!{any_of(TokenType.ALIAS, TokenType.DOT, TokenType.DCOLON)})."
    f"(?={any_of(TokenType.STRING, TokenType.BYTE_STRING)})",
    re.DOTALL,
)


@cache
def _types() -> frozenset[str]:
    """Return the names of types: one of them may stand before a string."""
    catalogue = catalogue_of("postgres")
    return (
        frozenset(row[0] for row in catalogue.raw["types"].values()) if catalogue else frozenset()
    )


def _with_cast_of_literal(tokens: list[Token]) -> list[Token]:
    """Read `'10.0.0.0/8'::cidr` for `cidr '10.0.0.0/8'`."""
    for found in reversed(list(_TYPED.finditer(shape_of(tokens)))):
        place = found.start()
        name, value = tokens[place : place + 2]
        if name.text.lower() in _types() - _READ:
            tokens[place : place + 2] = [value, token_as(TokenType.DCOLON, "::", name), name]
    return tokens


_READ: Final = frozenset("date time timestamp timestamptz timetz interval".split())
"""Types that the parser reads before a string."""


READINGS: Final = (
    _with_cast_of_literal,
    _without_name_of_using,
    _without_operator_of_order,
    _without_overriding,
    _without_absolute,
)
