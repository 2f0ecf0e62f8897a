"""Other tokens for a statement that sqlglot refuses in a dialect although the engine takes it.

What is left out or put in changes what is computed, but no name: a tree is only looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.shape import CLOSE, OPEN, any_of, letter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Reading = Callable[[list[Token]], list[Token]]


_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)


def reread(tokens: Sequence[Token], dialect: str) -> list[Token] | None:
    """Return the tokens to try next; None: there is nothing else to try."""
    again = [*tokens]
    for reading in (*_READINGS.get(dialect, ()), _with_bracketed_arguments):
        again = reading(again)
    return again if again != [*tokens] else None


def token_as(kind: TokenType, text: str, place: Token) -> Token:
    """Return a token of another kind at the place of one."""
    return Token(kind, text, place.line, place.col, place.start, place.end)


def _shape(tokens: Sequence[Token]) -> str:
    return "".join([letter_of(token.token_type) for token in tokens])


_JOINS_ELSEWHERE: Final = tuple(map(letter_of, (TokenType.FULL, TokenType.SEMI, TokenType.ANTI)))
_JOIN_AS_ALIAS: Final = re.compile(
    any_of(TokenType.FROM, TokenType.JOIN, TokenType.COMMA)
    + f"(?:{_NAME}{letter_of(TokenType.DOT)})?{_NAME}"
    + f"[{''.join(_JOINS_ELSEWHERE)}]"
    + f"(?={letter_of(TokenType.JOIN)})"
)
"""`t FULL JOIN u`, where MySQL has no such join and takes the word for an alias."""


def with_join_as_alias(tokens: Sequence[Token], shape: str) -> tuple[tuple[Token, ...], str] | None:
    """Return the tokens and shape of MySQL with FULL, SEMI and ANTI as names; None: as they are."""
    if not any(letter in shape for letter in _JOINS_ELSEWHERE):
        return None
    again, letters = [*tokens], [*shape]
    for found in _JOIN_AS_ALIAS.finditer(shape):
        place = found.end() - 1
        again[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
        letters[place] = letter_of(TokenType.VAR)
    changed = "".join(letters)
    return (tuple(again), changed) if changed != shape else None


_NARROW_CALLS: Final = frozenset({"CONVERT", "JSON_OBJECT", "JSON_OBJECTAGG"})
"""Calls in which sqlglot reads no comparison."""
_COMPARING: Final = frozenset(
    {
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
        *(TokenType.AND, TokenType.OR, TokenType.XOR, TokenType.NOT, TokenType.IS, TokenType.IN),
        *(TokenType.LIKE, TokenType.RLIKE, TokenType.BETWEEN, TokenType.NULLSAFE_EQ),
    }
)
_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


def _with_bracketed_arguments(tokens: list[Token]) -> list[Token]:
    """Put brackets around comparisons in calls where sqlglot reads none."""
    spans = [
        (begin, end)
        for begin, end in _arguments(tokens)
        if any(token.token_type in _COMPARING for token in tokens[begin:end])
    ]
    begins, ends = {begin for begin, _ in spans}, {end for _, end in spans}
    again: list[Token] = []
    for place, token in enumerate(tokens):
        if place in ends:
            again.append(token_as(TokenType.R_PAREN, ")", token))
        if place in begins:
            again.append(token_as(TokenType.L_PAREN, "(", token))
        again.append(token)
    return again


def _arguments(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield where each argument of such a call begins and ends, what stands in brackets later."""
    opened: list[tuple[bool, int]] = []  # whether it is such a call, and where its argument begins
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            is_narrow = place > 0 and tokens[place - 1].text.upper() in _NARROW_CALLS
            opened.append((is_narrow, place + 1))
        elif opened and (kind is TokenType.COMMA or kind in _CLOSING):
            is_narrow, begin = opened.pop()
            if is_narrow:
                yield begin, place
            if kind is TokenType.COMMA:
                opened.append((is_narrow, place + 1))


_OPERATOR_BEHIND_IN: Final = re.compile(
    f"{letter_of(TokenType.IN)}{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}"
    f"{any_of(TokenType.DASH, TokenType.PLUS, TokenType.STAR, TokenType.SLASH, TokenType.DPIPE)}"
)


def _with_and_behind_in(tokens: list[Token]) -> list[Token]:
    """Read AND for an operator behind `x IN (…)`, which SQLite takes."""
    found = _OPERATOR_BEHIND_IN.search(_shape(tokens))
    if found is not None:
        tokens[found.end() - 1] = token_as(TokenType.AND, "AND", tokens[found.end() - 1])
    return tokens


_PIVOT: Final = re.compile(any_of(TokenType.PIVOT, TokenType.UNPIVOT))
_BEHIND_PIVOT: Final = re.compile(any_of(TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET))


def _with_wrapped_pivot(tokens: list[Token]) -> list[Token]:
    """Read `FROM (PIVOT …) ORDER BY …` for a PIVOT of DuckDB with a clause behind it."""
    shape = _shape(tokens)
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


_ENDS_GROUP: Final = frozenset(
    {
        *(TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.WINDOW, TokenType.WITH),
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT),
    }
)


def _without_order_in_group(tokens: list[Token]) -> list[Token]:
    """Leave out the ASC and DESC of `GROUP BY a DESC`."""
    again: list[Token] = []
    in_group = [False]
    for token in tokens:
        kind = token.token_type
        if kind in _OPENING:
            in_group.append(False)
        elif kind in _CLOSING:
            del in_group[max(len(in_group) - 1, 1) :]
        elif kind is TokenType.GROUP_BY or kind in _ENDS_GROUP:
            in_group[-1] = kind is TokenType.GROUP_BY
        elif in_group[-1] and kind in {TokenType.ASC, TokenType.DESC}:
            continue
        again.append(token)
    return again


_SIGNS: Final = frozenset({"SIGNED", "UNSIGNED"})
_INTEGERS: Final = frozenset({"INT", "INTEGER"})


def _without_int_behind_sign(tokens: list[Token]) -> list[Token]:
    """Leave out the second word of the type SIGNED INT."""
    words = ["", *[token.text.upper() for token in tokens]]
    return [
        token
        for place, token in enumerate(tokens)
        if words[place] not in _SIGNS or words[place + 1] not in _INTEGERS
    ]


_MOMENT: Final = re.compile(
    letter_of(TokenType.L_BRACE)
    + any_of(TokenType.VAR, TokenType.DATE)
    + letter_of(TokenType.STRING)
    + letter_of(TokenType.R_BRACE)
)
_KINDS_OF_MOMENT: Final = frozenset({"D", "T", "TS"})


def _with_plain_moments(tokens: list[Token]) -> list[Token]:
    """Read `{d '2024-01-01'}` as its text."""
    for found in reversed(list(_MOMENT.finditer(_shape(tokens)))):
        begin, end = found.span()
        if tokens[begin + 1].text.upper() in _KINDS_OF_MOMENT:
            tokens[begin:end] = [tokens[begin + 2]]
    return tokens


_HANDLING: Final = re.compile(
    f"(?:{letter_of(TokenType.DEFAULT)}{any_of(TokenType.STRING, TokenType.NUMBER)}"
    f"|{any_of(TokenType.NULL, TokenType.VAR)}){letter_of(TokenType.ON)}{letter_of(TokenType.VAR)}"
)
_HANDLED: Final = frozenset({"EMPTY", "ERROR"})
_EXISTS_PATH: Final = re.compile(f"{letter_of(TokenType.EXISTS)}(?={letter_of(TokenType.VAR)})")


def _with_plain_json_columns(tokens: list[Token]) -> list[Token]:
    """Leave out `DEFAULT '0' ON EMPTY` and EXISTS in the columns of JSON_TABLE."""
    if all(token.text.upper() != "JSON_TABLE" for token in tokens):
        return tokens
    for found in reversed(list(_HANDLING.finditer(_shape(tokens)))):
        if tokens[found.end() - 1].text.upper() in _HANDLED:
            del tokens[found.start() : found.end()]
    for found in reversed(list(_EXISTS_PATH.finditer(_shape(tokens)))):
        if tokens[found.end()].text.upper() == "PATH":
            del tokens[found.start()]
    return tokens


def _without_limit_in_call(tokens: list[Token]) -> list[Token]:
    """Leave out the LIMIT of `group_concat(a ORDER BY b LIMIT 2)`."""
    again: list[Token] = []
    opened: list[bool] = []
    skips = False
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            opened.append(place > 0 and tokens[place - 1].text.upper() == "GROUP_CONCAT")
        elif kind in _CLOSING:
            skips = False
            del opened[-1:]
        elif kind is TokenType.LIMIT and opened and opened[-1]:
            skips = True
        if not skips:
            again.append(token)
    return again


_CHANGES: Final = frozenset({TokenType.UPDATE, TokenType.DELETE})


def _without_ignore(tokens: list[Token]) -> list[Token]:
    """Leave out the second word of UPDATE IGNORE and DELETE IGNORE."""
    words = [token.text.upper() for token in tokens[:2]]
    if tokens[0].token_type in _CHANGES and words[1:] == ["IGNORE"]:
        del tokens[1]
    return tokens


_DEFAULT_CALL: Final = re.compile(f"{letter_of(TokenType.DEFAULT)}(?={OPEN})")


def _with_default_as_call(tokens: list[Token]) -> list[Token]:
    """Read `DEFAULT(a)` as a call."""
    for found in _DEFAULT_CALL.finditer(_shape(tokens)):
        place = found.start()
        tokens[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
    return tokens


_READINGS: Final[dict[str, tuple[Reading, ...]]] = {
    "sqlite": (_with_and_behind_in,),
    "duckdb": (_with_wrapped_pivot,),
    "mysql": (
        _without_ignore,
        _with_default_as_call,
        _without_order_in_group,
        _without_int_behind_sign,
        _without_limit_in_call,
        _with_plain_moments,
        _with_plain_json_columns,
    ),
}
"""Ways to read a statement that is refused, by dialect."""
