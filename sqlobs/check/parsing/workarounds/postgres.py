"""What PostgreSQL takes and sqlglot refuses."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, letter_of, shape_of
from sqlobs.check.parsing.tokens import token_as
from sqlobs.dialects.catalog import catalog_of

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
    catalog = catalog_of("postgres")
    return frozenset(row[0] for row in catalog.raw["types"].values()) if catalog else frozenset()


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


_SIGNS: Final = frozenset("+-*/<>=~!@#%^&|?")
"""What operators are made of."""


@cache
def _operators() -> frozenset[str]:
    catalog = catalog_of("postgres")
    return frozenset(catalog.raw["operators"]) if catalog else frozenset()


def _with_named_operators(tokens: list[Token]) -> list[Token]:
    """Read `a OPERATOR(<<=) b` for `a <<= b`, of which the tokeniser makes two operators."""
    again: list[Token] = []
    place = 0
    while place < len(tokens):
        end = _end_of_operator(tokens, place)
        parts = tokens[place:end]
        first = tokens[place]
        if len(parts) > 1 and "".join(token.text for token in parts) in _operators():
            again += [token_as(TokenType.OPERATOR, "OPERATOR", first)]
            again += [token_as(TokenType.L_PAREN, "(", first), *parts]
            again += [token_as(TokenType.R_PAREN, ")", first)]
        else:
            again += parts
        place = end
    return again


def _end_of_operator(tokens: list[Token], place: int) -> int:
    """Return where the operator that begins at a place ends: no blank parts its signs."""
    end = place + 1
    if not _SIGNS.issuperset(tokens[place].text):
        return end
    while end < len(tokens) and tokens[end].start == tokens[end - 1].end + 1:
        if not _SIGNS.issuperset(tokens[end].text):
            break
        end += 1
    return end


_OF_XML: Final = {"XMLPARSE": "xml", "XMLSERIALIZE": "CAST"}
"""Calls that take DOCUMENT or CONTENT before their argument, and what is read for them."""
_KIND_OF_XML: Final = frozenset({"DOCUMENT", "CONTENT"})
_PASSING: Final = ("PASSING", "BY", "REF", "VALUE")


def _with_plain_calls_of_xml(tokens: list[Token]) -> list[Token]:
    """Read `CAST(a AS text)` for `XMLSERIALIZE(CONTENT a AS text)`, and its like."""
    words = [token.text.upper() for token in tokens]
    for place in range(len(words) - 3, -1, -1):
        called, argument = words[place], place + 2
        if called in _OF_XML and words[argument] in _KIND_OF_XML:
            tokens[place] = token_as(TokenType.VAR, _OF_XML[called], tokens[place])
            del tokens[argument]
        elif called == "XMLEXISTS" and "PASSING" in words[place:]:
            begin = end = words.index("PASSING", place)
            while words[end] in _PASSING:
                end += 1
            tokens[begin:end] = [token_as(TokenType.COMMA, ",", tokens[begin])]
            # Without quotes, the name takes no commas.
            tokens[place] = token_as(TokenType.IDENTIFIER, tokens[place].text, tokens[place])
    return tokens


def _with_object_of_array(tokens: list[Token]) -> list[Token]:
    """Read `jsonb_object('{a, 1}')` for `json_object('{a, 1}')`, which sqlglot takes for pairs."""
    return [
        token_as(TokenType.VAR, "jsonb_object", token)
        if token.text.upper() == "JSON_OBJECT"
        else token
        for token in tokens
    ]


READINGS: Final = (
    _with_object_of_array,
    _with_cast_of_literal,
    _with_named_operators,
    _with_plain_calls_of_xml,
    _without_name_of_using,
    _without_operator_of_order,
    _without_overriding,
    _without_absolute,
)
