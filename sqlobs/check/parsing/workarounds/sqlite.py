"""What SQLite takes and sqlglot refuses."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import CLOSE, OPEN, any_of, letter_of, shape_of
from sqlobs.check.parsing.tokens import read_as, token_as

_OPERATOR_BEHIND_IN: Final = re.compile(
    f"{letter_of(TokenType.IN)}{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}"
    f"{any_of(TokenType.DASH, TokenType.PLUS, TokenType.STAR, TokenType.SLASH, TokenType.DPIPE)}"
)


def _with_and_behind_in(tokens: list[Token]) -> list[Token]:
    """Read AND for an operator behind `x IN (…)`."""
    found = _OPERATOR_BEHIND_IN.search(shape_of(tokens))
    if found is not None:
        tokens[found.end() - 1] = token_as(TokenType.AND, "AND", tokens[found.end() - 1])
    return tokens


_OTHERWISE: Final = re.compile(f"(?<={letter_of(TokenType.UPDATE)}){letter_of(TokenType.OR)}.")
_WAYS: Final = frozenset({"ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"})


def _without_way_of_update(tokens: list[Token]) -> list[Token]:
    """Leave out the `OR IGNORE` of `UPDATE OR IGNORE`."""
    found = _OTHERWISE.search(shape_of(tokens))
    if found is not None and tokens[found.end() - 1].text.upper() in _WAYS:
        del tokens[found.start() : found.end()]
    return tokens


_REPLACING: Final = re.compile(f"{letter_of(TokenType.REPLACE)}(?={letter_of(TokenType.INTO)})")


def _with_replace_as_insert(tokens: list[Token]) -> list[Token]:
    """Read `WITH … INSERT INTO` for `WITH … REPLACE INTO`."""
    return read_as(TokenType.INSERT, _REPLACING, tokens)


_ENDS_FROM: Final = frozenset(
    {
        *(TokenType.SELECT, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING),
        *(TokenType.WINDOW, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.SET),
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.RETURNING),
    }
)


def _with_join_before_on(tokens: list[Token]) -> list[Token]:
    """Read `FROM a JOIN b ON …` for `FROM a, b ON …`, USING too."""
    in_from, commas = [False], [-1]  # by level: whether it is in FROM, and its comma to be read
    for place, token in enumerate([*tokens]):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            in_from.append(in_from[-1])
            commas.append(-1)
        elif kind is TokenType.R_PAREN:
            del in_from[max(len(in_from) - 1, 1) :], commas[max(len(commas) - 1, 1) :]
        elif kind is TokenType.FROM or kind in _ENDS_FROM:
            in_from[-1], commas[-1] = kind is TokenType.FROM, -1
        elif kind is TokenType.COMMA and in_from[-1]:
            commas[-1] = place
        elif kind is TokenType.JOIN:
            commas[-1] = -1
        elif kind in {TokenType.ON, TokenType.USING} and commas[-1] >= 0:
            tokens[commas[-1]] = token_as(TokenType.JOIN, "JOIN", tokens[commas[-1]])
            commas[-1] = -1
    return tokens


_AS: Final = letter_of(TokenType.ALIAS)
_TYPE_OF_CAST: Final = re.compile(
    f"{_AS}([^{_AS}{OPEN}{CLOSE}{letter_of(TokenType.COMMA)}]+)"
    f"(?:{OPEN}[^{OPEN}{CLOSE}]*{CLOSE})?{CLOSE}"
)


def _with_one_word_for_type(tokens: list[Token]) -> list[Token]:
    """Leave out all words but the last of a type such as UNSIGNED BIG INT: any words are one."""
    for found in reversed(list(_TYPE_OF_CAST.finditer(shape_of(tokens)))):
        if _is_in_cast(tokens, found.start()):
            begin, end = found.span(1)
            del tokens[begin : end - 1]
    return tokens


_NO_TYPE: Final = re.compile(f"{letter_of(TokenType.ALIAS)}(?={CLOSE})")


def _with_type_of_cast(tokens: list[Token]) -> list[Token]:
    """Read a type where CAST has none: no words are one, too."""
    for found in reversed(list(_NO_TYPE.finditer(shape_of(tokens)))):
        if _is_in_cast(tokens, found.start()):
            tokens.insert(found.end(), token_as(TokenType.TEXT, "TEXT", tokens[found.start()]))
    return tokens


def _with_any_arguments(tokens: list[Token]) -> list[Token]:
    """Read `json_array(…)` for `json_object(…)`, whose odd arguments only a row refuses."""
    if any(token.token_type is TokenType.COLON for token in tokens):
        return tokens
    return [
        token_as(TokenType.VAR, "json_array", token)
        if token.text.upper() == "JSON_OBJECT" and token.token_type is TokenType.VAR
        else token
        for token in tokens
    ]


def _is_in_cast(tokens: list[Token], place: int) -> bool:
    """Say whether the innermost bracket around a place is that of CAST."""
    depth = 0
    for before in range(place - 1, 0, -1):
        kind = tokens[before].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if depth < 0:
            return tokens[before - 1].text.upper() == "CAST"
    return False


def _with_one_conflict(tokens: list[Token]) -> list[Token]:
    """Leave out what stands behind the first ON CONFLICT clause of several."""
    words = [token.text.upper() for token in tokens]
    places = [
        place for place, word in enumerate(words) if words[place - 1] == "ON" and word == "CONFLICT"
    ]
    if len(places) > 1:
        end = words.index("RETURNING") if "RETURNING" in words else len(words)
        del tokens[places[1] - 1 : end]
    return tokens


_NUMBERED: Final = re.compile(
    f"(?<={letter_of(TokenType.PLACEHOLDER)}){letter_of(TokenType.NUMBER)}"
)


def _without_number_of_parameter(tokens: list[Token]) -> list[Token]:
    """Read `?` for `?1`."""
    for found in reversed(list(_NUMBERED.finditer(shape_of(tokens)))):
        place = found.start()
        if tokens[place].start == tokens[place - 1].end + 1:
            del tokens[place]
    return tokens


READINGS: Final = (
    _without_number_of_parameter,
    _with_and_behind_in,
    _without_way_of_update,
    _with_replace_as_insert,
    _with_join_before_on,
    _with_one_word_for_type,
    _with_type_of_cast,
    _with_any_arguments,
    _with_one_conflict,
)
