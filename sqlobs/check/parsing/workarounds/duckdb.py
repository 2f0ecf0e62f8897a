"""What DuckDB takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, letter_of, shape_of
from sqlobs.check.parsing.tokens import token_as

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_DOT: Final = letter_of(TokenType.DOT)
_PIVOT: Final = re.compile(any_of(TokenType.PIVOT, TokenType.UNPIVOT))
_BEHIND_PIVOT: Final = re.compile(any_of(TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET))


def _with_wrapped_pivot(tokens: list[Token]) -> list[Token]:
    """Read `FROM (PIVOT …) ORDER BY …` for a PIVOT with a clause behind it."""
    shape = shape_of(tokens)
    found = _PIVOT.search(shape)
    if found is None or _depth(shape[: found.start()]):
        return tokens
    begin = found.start()
    ends = (one.start() for one in _BEHIND_PIVOT.finditer(shape, begin))
    end = next((place for place in ends if not _depth(shape[begin:place])), None)
    if end is None:
        return tokens
    first, last = tokens[begin], tokens[end]
    opening = [token_as(TokenType.FROM, "FROM", first), token_as(TokenType.L_PAREN, "(", first)]
    closing = token_as(TokenType.R_PAREN, ")", last)
    return [*tokens[:begin], *opening, *tokens[begin:end], closing, *tokens[end:]]


def _depth(shape: str) -> int:
    return shape.count(OPEN) - shape.count(CLOSE)


_FACTORIAL: Final = re.compile(
    f"(?<={any_of(TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.NUMBER)})"
    f"{letter_of(TokenType.NOT)}(?!{any_of(TokenType.IN, TokenType.LIKE, TokenType.NULL)})"
)


def _without_factorial(tokens: list[Token]) -> list[Token]:
    """Leave out the operator of `5!`."""
    for found in reversed(list(_FACTORIAL.finditer(shape_of(tokens)))):
        if tokens[found.start()].text == "!":
            del tokens[found.start()]
    return tokens


_ENDS_LIST: Final = any_of(
    *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.QUALIFY),
    *(TokenType.WINDOW, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.SELECT),
    *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.RETURNING),
    *(TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE),
)
_LAST_COMMA: Final = re.compile(rf"{letter_of(TokenType.COMMA)}(?={_ENDS_LIST}|\Z)")


def _without_last_comma(tokens: list[Token]) -> list[Token]:
    """Leave out the comma behind the last item of a list."""
    for found in reversed(list(_LAST_COMMA.finditer(shape_of(tokens)))):
        del tokens[found.start()]
    return tokens


_WRITTEN: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={letter_of(TokenType.STRING)})")
_KINDS_OF_STRINGS: Final = {"X": "BLOB", "B": "BIT"}


def _with_cast_of_string(tokens: list[Token]) -> list[Token]:
    """Read `'ab'::BLOB` for `x'ab'`, and `'01'::BIT` for `b'01'`."""
    for found in reversed(list(_WRITTEN.finditer(shape_of(tokens)))):
        place = found.start()
        mark, value = tokens[place : place + 2]
        kind = _KINDS_OF_STRINGS.get(mark.text.upper())
        if kind is not None and mark.end + 1 == value.start:
            double_colon = token_as(TokenType.DCOLON, "::", mark)
            tokens[place : place + 2] = [value, double_colon, token_as(TokenType.VAR, kind, mark)]
    return tokens


_BY_POSITION: Final = ("BY", "POSITION")


def _without_by_position(tokens: list[Token]) -> list[Token]:
    """Leave out the `BY POSITION` of INSERT: it is how columns are matched anyway."""
    for place in range(len(tokens) - 2, 0, -1):
        if tuple(token.text.upper() for token in tokens[place : place + 2]) == _BY_POSITION:
            del tokens[place : place + 2]
    return tokens


_INSERTED: Final = re.compile(
    rf"\A{letter_of(TokenType.INSERT)}{letter_of(TokenType.INTO)}{_NAME}(?:{_DOT}{_NAME})*{OPEN}"
    f"(?={letter_of(TokenType.FROM)})"
)


def without_brackets_of_inserted(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Leave out the brackets of `INSERT INTO t (FROM u)`, which sqlglot takes for columns."""
    found = _INSERTED.match(shape)
    if found is None:
        return tokens
    depth = 1
    for place in range(found.end(), len(shape)):
        depth += (shape[place] == OPEN) - (shape[place] == CLOSE)
        if not depth:
            return [*tokens[: found.end() - 1], *tokens[found.end() : place], *tokens[place + 1 :]]
    return tokens


READINGS: Final = (
    _with_wrapped_pivot,
    _with_cast_of_string,
    _without_factorial,
    _without_last_comma,
    _without_by_position,
)
