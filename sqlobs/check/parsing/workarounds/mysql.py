"""What MySQL and MariaDB take and sqlglot refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.token_pattern import (
    CLOSING_BRACKETS,
    OPEN,
    OPENING_BRACKETS,
    any_of,
    letter_of,
    shape_of,
)
from sqlobs.check.parsing.tokens import read_as, token_as

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
CHANGES: Final = frozenset(map(letter_of, (TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE)))
"""How statements begin that may have a modifier."""
_MODIFIERS: Final = {
    TokenType.INSERT: frozenset({"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"}),
    TokenType.UPDATE: frozenset({"LOW_PRIORITY", "IGNORE"}),
    TokenType.DELETE: frozenset({"LOW_PRIORITY", "QUICK", "IGNORE"}),
}


def without_modifiers(tokens: Sequence[Token]) -> Sequence[Token]:
    """Leave out LOW_PRIORITY, QUICK and the like, which sqlglot takes for names of tables."""
    modifiers = _MODIFIERS[tokens[0].token_type]
    end = 1
    while end < len(tokens) - 1 and tokens[end].text.upper() in modifiers:
        end += 1
    return [tokens[0], *tokens[end:]]


_FULL: Final = letter_of(TokenType.FULL)
_SEMI: Final = letter_of(TokenType.SEMI)
_ANTI: Final = letter_of(TokenType.ANTI)
_JOIN_AS_ALIAS: Final = re.compile(
    any_of(TokenType.FROM, TokenType.JOIN, TokenType.COMMA)
    + f"(?:{_NAME}{letter_of(TokenType.DOT)})?{_NAME}"
    + f"[{_FULL}{_SEMI}{_ANTI}]"
    + f"(?={letter_of(TokenType.JOIN)})"
)
"""`t FULL JOIN u`, where MySQL has no such join and takes the word for an alias."""


def with_join_as_alias(tokens: Sequence[Token], shape: str) -> tuple[tuple[Token, ...], str] | None:
    """Return the tokens and shape of MySQL with FULL, SEMI and ANTI as names; None: as they are."""
    if _FULL not in shape and _SEMI not in shape and _ANTI not in shape:
        return None
    again, letters = [*tokens], [*shape]
    for found in _JOIN_AS_ALIAS.finditer(shape):
        place = found.end() - 1
        again[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
        letters[place] = letter_of(TokenType.VAR)
    changed = "".join(letters)
    return (tuple(again), changed) if changed != shape else None


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
        if kind in OPENING_BRACKETS:
            in_group.append(False)
        elif kind in CLOSING_BRACKETS:
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


_CHARACTER_SET: Final = re.compile(
    f"(?:{letter_of(TokenType.CHAR)}{letter_of(TokenType.SET)}"
    f"|{letter_of(TokenType.CHARACTER_SET)}){letter_of(TokenType.VAR)}"
)


def _without_character_set(tokens: list[Token]) -> list[Token]:
    """Leave out the `CHARACTER SET utf8mb4` of a type."""
    for found in reversed(list(_CHARACTER_SET.finditer(shape_of(tokens)))):
        del tokens[found.start() : found.end()]
    return tokens


_MOMENT: Final = re.compile(
    letter_of(TokenType.L_BRACE)
    + any_of(TokenType.VAR, TokenType.DATE)
    + letter_of(TokenType.STRING)
    + letter_of(TokenType.R_BRACE)
)
_KINDS_OF_MOMENT: Final = frozenset({"D", "T", "TS"})


def _with_plain_moments(tokens: list[Token]) -> list[Token]:
    """Read `{d '2024-01-01'}` as its text."""
    for found in reversed(list(_MOMENT.finditer(shape_of(tokens)))):
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
    for found in reversed(list(_HANDLING.finditer(shape_of(tokens)))):
        if tokens[found.end() - 1].text.upper() in _HANDLED:
            del tokens[found.start() : found.end()]
    for found in reversed(list(_EXISTS_PATH.finditer(shape_of(tokens)))):
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
        if kind in OPENING_BRACKETS:
            opened.append(place > 0 and tokens[place - 1].text.upper() == "GROUP_CONCAT")
        elif kind in CLOSING_BRACKETS:
            skips = False
            del opened[-1:]
        elif kind is TokenType.LIMIT and opened and opened[-1]:
            skips = True
        if not skips:
            again.append(token)
    return again


_DEFAULT_CALL: Final = re.compile(f"{letter_of(TokenType.DEFAULT)}(?={OPEN})")


def _with_default_as_call(tokens: list[Token]) -> list[Token]:
    """Read `DEFAULT(a)` as a call."""
    return read_as(TokenType.VAR, _DEFAULT_CALL, tokens)


_OPTIONS: Final = frozenset(
    "HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_CACHE"
    " SQL_NO_CACHE SQL_CALC_FOUND_ROWS".split()
)
_SELECT: Final = re.compile(letter_of(TokenType.SELECT))


def _without_options(tokens: list[Token]) -> list[Token]:
    """Leave out what may stand between SELECT and DISTINCT, as SQL_NO_CACHE."""
    for found in reversed(list(_SELECT.finditer(shape_of(tokens)))):
        begin = end = found.end()
        while end < len(tokens) and tokens[end].text.upper() in _OPTIONS:
            end += 1
        del tokens[begin:end]
    return tokens


_SYNONYMS: Final = {"DISTINCTROW": (TokenType.DISTINCT, "DISTINCT")}


def _with_usual_words(tokens: list[Token]) -> list[Token]:
    """Read DISTINCTROW as DISTINCT."""
    for place, token in enumerate(tokens):
        if token.text.upper() in _SYNONYMS:
            tokens[place] = token_as(*_SYNONYMS[token.text.upper()], token)
    return tokens


_STAR_OF_TARGET: Final = re.compile(
    f"(?<={_NAME}){letter_of(TokenType.DOT)}{letter_of(TokenType.STAR)}"
    f"(?={any_of(TokenType.COMMA, TokenType.FROM, TokenType.USING)})"
)


def _without_star_of_target(tokens: list[Token]) -> list[Token]:
    """Read `DELETE a, b FROM` for `DELETE a.*, b.* FROM`."""
    if tokens[0].token_type is TokenType.DELETE:
        for found in reversed(list(_STAR_OF_TARGET.finditer(shape_of(tokens)))):
            del tokens[found.start() : found.end()]
    return tokens


_ENDS_OUTPUT: Final = frozenset({"FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "FOR"})


def _without_endings(tokens: list[Token]) -> list[Token]:
    """Leave out `INTO OUTFILE '…' …`, `PROCEDURE ANALYSE(…)` and `ROWS EXAMINED 9`."""
    words = [token.text.upper() for token in tokens]
    for place in range(len(words) - 2, 0, -1):
        match words[place : place + 2]:
            case ["INTO", "OUTFILE" | "DUMPFILE"]:
                rest = enumerate(words[place:], place)
                end = next((at for at, word in rest if word in _ENDS_OUTPUT), len(words))
            case ["PROCEDURE", "ANALYSE"]:
                end = len(words)
            case ["LIMIT", "ROWS"]:
                end = place + 4
            case ["ROWS", "EXAMINED"] if words[place - 1] != "LIMIT":
                end = place + 3
            case _:
                continue
        del tokens[place:end], words[place:end]
    return tokens


_MATCHED: Final = re.compile(
    f"{letter_of(TokenType.VAR)}(?={_NAME}(?:{any_of(TokenType.DOT, TokenType.COMMA)}{_NAME})*"
    f"{letter_of(TokenType.VAR)}{OPEN})"
)


def _with_brackets_behind_match(tokens: list[Token]) -> list[Token]:
    """Read `MATCH (a, b) AGAINST (…)` for `MATCH a, b AGAINST (…)`."""
    for found in reversed(list(_MATCHED.finditer(shape_of(tokens)))):
        begin = found.end()
        words = [token.text.upper() for token in tokens[begin:]]
        if tokens[found.start()].text.upper() == "MATCH" and "AGAINST" in words:
            end = begin + words.index("AGAINST")
            tokens.insert(end, token_as(TokenType.R_PAREN, ")", tokens[end]))
            tokens.insert(begin, token_as(TokenType.L_PAREN, "(", tokens[begin]))
    return tokens


_BEGIN_OF_OUTER: Final = re.compile(f"{letter_of(TokenType.L_BRACE)}(?={letter_of(TokenType.VAR)})")


def _without_braces_of_join(tokens: list[Token]) -> list[Token]:
    """Leave out the braces of `{OJ a LEFT JOIN b ON …}`."""
    for found in reversed(list(_BEGIN_OF_OUTER.finditer(shape_of(tokens)))):
        if tokens[found.end()].text.upper() == "OJ":
            kinds = [token.token_type for token in tokens]
            if TokenType.R_BRACE in kinds[found.end() :]:
                del tokens[kinds.index(TokenType.R_BRACE, found.end())]
            del tokens[found.start() : found.end() + 1]
    return tokens


_ASSIGNED: Final = re.compile(letter_of(TokenType.COLON_EQ))


def _with_comparisons_for_assignments(tokens: list[Token]) -> list[Token]:
    """Read `@a = b` for `@a := b`, which sqlglot takes in some places only."""
    return read_as(TokenType.EQ, _ASSIGNED, tokens)


READINGS: Final = (
    _with_comparisons_for_assignments,
    _with_default_as_call,
    _without_order_in_group,
    _without_int_behind_sign,
    _without_character_set,
    _without_limit_in_call,
    _with_plain_moments,
    _with_plain_json_columns,
    _without_options,
    _with_usual_words,
    _without_star_of_target,
    _without_endings,
    _with_brackets_behind_match,
    _without_braces_of_join,
)
