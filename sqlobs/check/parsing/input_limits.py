"""Limits checked before parsing, without recursion: nesting, and costs far beyond the length."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Final

from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.tokens import (
    CLOSE,
    CLOSING,
    OPEN,
    OPENING,
    count_up_to,
    kept_by_shape,
    letters_of,
    spelled,
)

SMALL_STACK_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 100
"""Deepest nesting that is parsed."""
MAX_LINKS: Final = 64
"""Subscripts (`a[1][1]`), calls and casts (`a -> f(1) -> f(1)`) in one chain, pipe steps (`|>`):
the parser copies all before each; and fields (`a.b.c`) and casts (`a::b::c`) in a row, each of
which nests what precedes it."""
MAX_PIVOT_COLUMNS: Final = 4096
"""Columns that the lists and aggregates of one PIVOT create: the parser names each."""
MAX_PIVOTS: Final = 8
"""Further PIVOTs in a PIVOT: Snowflake's parser writes out the lists again with each."""
MAX_READINGS: Final = 200_000
"""Tokens, counted as often as the parser reads them. `date(` may begin a type (`date(6) '…'`), so
the content of its parentheses is read twice, and twice as often for each such call around it. What
follows LIMIT and OFFSET, which may be aliases, is read twice too, and what follows an IF that is
not a call, which may be a column."""
MAX_TYPED: Final = 500_000
"""Tokens in parentheses before a subscript, `((a)[1])[1]`: all are typed again for each."""
MAX_OPEN_JOINS: Final = 12
"""Joins whose ON is still to come, in open parentheses too: the parser tries both readings, so its
time doubles with each."""
MAX_NESTED_QUERIES: Final = 20_000
"""Queries, each counted once per open parenthesis around it: some dialects' parsers (BigQuery,
Redshift) copy the FROM of each with all queries in it."""

_OPENING: Final = letters_of(OPENING)
_CLOSING: Final = letters_of(CLOSING)
_OPERANDS: Final = spelled("VAR IDENTIFIER STRING NUMBER NULL TRUE FALSE STAR COMMA SEMICOLON")
_OPENS: Final = frozenset(_OPENING)
_CLOSES: Final = frozenset(_CLOSING)
_IS_OPERAND: Final = frozenset(_OPERANDS)
_SELECT: Final = spelled("SELECT")
_JOIN: Final = frozenset(spelled("JOIN STRAIGHT_JOIN"))
_ON: Final = frozenset(spelled("ON USING"))
_WITHOUT_ON: Final = frozenset(spelled("CROSS NATURAL"))
_AFTER_FROM: Final = frozenset(spelled("SELECT WHERE GROUP_BY ORDER_BY LIMIT"))

_DEEPENING: Final = re.compile(spelled(f"[{_OPENING} JOIN STRAIGHT_JOIN]"))
_FEW: Final = 12
_ORDINARY_RUN: Final = 4
"""Longest run of tokens without an operand in plain clauses: `UNION ALL SELECT DISTINCT`."""
_LONG_RUN: Final = re.compile(f"[^{_OPERANDS}{_OPENING}{_CLOSING}]{{{_ORDINARY_RUN + 1}}}")


def has_small_stack() -> bool:
    """Return whether the application gives its threads a stack that is too small for parsing."""
    return 0 < threading.stack_size() < SMALL_STACK_BYTES


def nesting(tokens: Sequence[Token], sql: str, shape: str) -> int:
    """Return how deep a parser will recurse: parentheses, CASE, joins without ON, prefix chains."""
    marked = _with_doubtful_words(shape, tokens, sql)
    depth = _depth_of(shape)
    return depth if marked is shape or depth > MAX_DEPTH else _depth_of(marked)


@kept_by_shape
def _depth_of(shape: str) -> int:
    """Return how deep a parser will recurse over a shape.

    A run of tokens without an operand (`NOT NOT NOT`, `- - -`) recurses like parentheses do. More
    than `MAX_OPEN_JOINS` in one FROM, more than `MAX_NESTED_QUERIES`, and whatever `parse_cost`
    rejects count as too deep. Measuring stops there; a shape with few nesting tokens is estimated.
    """
    deepening = count_up_to(_FEW + 1, _DEEPENING, shape)
    is_shallow = deepening <= _FEW and not _LONG_RUN.search(shape)
    deepest = deepening + _ORDINARY_RUN if is_shallow else _measured(shape)
    return deepest if deepest > MAX_DEPTH or not is_vast(shape) else MAX_DEPTH + 1


def _measured(shape: str) -> int:
    deepest = run = runs = queries = joins = 0
    around = [0]  # long runs before each open bracket
    waiting = [0]  # joins without their ON so far, in each open bracket
    for letter in shape:
        if letter in _IS_OPERAND:
            run = 0
            continue
        if letter in _CLOSES:
            if len(waiting) > 1:
                joins -= waiting.pop()
                runs -= around.pop()
            run = 0
            continue
        if letter in _OPENS:
            waiting.append(0)
            around.append(run if run > _ORDINARY_RUN else 0)
            runs += around[-1]
            run = 0
        else:
            run += 1
            if letter in _CHANGES_WAITING:
                before = waiting[-1]
                waiting[-1] = _still_waiting(before, letter)
                joins += waiting[-1] - before
                queries += (len(waiting) - 1) * (letter == _SELECT)
        deepest = max(deepest, len(waiting) - 1 + run + runs + joins)
        if joins > MAX_OPEN_JOINS or deepest > MAX_DEPTH or queries > MAX_NESTED_QUERIES:
            return MAX_DEPTH + 1
    return deepest


_CHANGES_WAITING: Final = _JOIN | _WITHOUT_ON | _ON | _AFTER_FROM


def _still_waiting(joins: int, letter: str) -> int:
    """Return how many joins still lack their ON after a token, given how many did before it."""
    if letter in _JOIN:
        return joins + 1
    if letter in _WITHOUT_ON:
        return joins - 1  # its JOIN comes next, and has no ON
    return joins - (joins > 0) if letter in _ON else 0


def is_vast(shape: str) -> bool:
    """Return whether a text of this shape costs the parser far more than its length."""
    is_read_often = _is_read_too_often(shape) or _is_typed_too_often(shape)
    return is_read_often or _has_long_chain(shape) or _has_vast_pivot(shape)


_SUBSCRIPT: Final = spelled("L_BRACKET")
_END_OF_SUBSCRIPT: Final = spelled("R_BRACKET")
_PIPE: Final = spelled("PIPE_GT")
_STEPS: Final = spelled(
    "DOT DCOLON DOTCOLON QDCOLON ARROW DARROW HASH_ARROW DHASH_ARROW PLACEHOLDER"
)
_STEP: Final = frozenset(_STEPS)
_PLAIN: Final = spelled("VAR IDENTIFIER STRING NUMBER STAR") + letters_of(Parser.TYPE_TOKENS)
_APART: Final = frozenset(
    spelled(
        "COMMA SEMICOLON AND OR ALIAS SELECT FROM WHERE ON UNION WHEN THEN ELSE IN IS GROUP_BY"
        " ORDER_BY BETWEEN LIKE EQ NEQ LT LTE GT GTE PLUS DASH STAR SLASH DPIPE"
    )
)
"""Tokens between two chains, never inside one."""
_LINK: Final = re.compile(
    spelled(f"R_BRACKET (?=L_BRACKET)|[{_STEPS}] (?:[^{_PLAIN}]|[{_PLAIN}] open)")
)
_ROW_OF_STEPS: Final = re.compile(
    spelled("(?:[DOT DCOLON] [^DOT DCOLON])") + f"{{{MAX_LINKS + 1}}}"
)


def _has_long_chain(shape: str) -> bool:
    if _ROW_OF_STEPS.search(shape) or shape.count(_PIPE) > MAX_LINKS:
        return True
    return count_up_to(_FEW + 1, _LINK, shape) > _FEW and _has_chain_of_links(shape)


def _has_chain_of_links(shape: str) -> bool:
    chain = 0
    around: list[int] = []
    before = ""
    for letter in shape:
        if letter in _STEP or (letter == _SUBSCRIPT and before == _END_OF_SUBSCRIPT):
            chain += 1
            if chain > MAX_LINKS:
                return True
        if letter in _OPENS:
            around.append(chain)
            chain = 0
        elif letter in _CLOSES:
            chain = around.pop() if around else 0
        elif letter in _APART:
            chain = 0
        before = letter
    return False


_PIVOT: Final = spelled("PIVOT")
_A_PIVOT: Final = re.compile(_PIVOT + OPEN)
_IN: Final = spelled("IN")
_COMMA: Final = spelled("COMMA")
_OF_LIST: Final = 2
"""Parentheses open inside a list: its own, and that of PIVOT."""


def _has_vast_pivot(shape: str) -> bool:
    """Return whether a PIVOT creates more columns than `MAX_PIVOT_COLUMNS`."""
    columns = (_columns_of(shape, found.end()) for found in _A_PIVOT.finditer(shape))
    return any(count > MAX_PIVOT_COLUMNS for count in columns)


def _columns_of(shape: str, begin: int) -> int:
    """Return how many columns a PIVOT creates, given where its parenthesis opens.

    One list with one aggregate creates as many as the list is long: counted as one.
    """
    depth, columns, values, lists, aggregates, pivots = 1, 1, 0, 0, 1, 0
    for place in range(begin, len(shape)):
        letter = shape[place]
        if letter == OPEN:
            depth += 1
            values = 1 if depth == _OF_LIST and shape[place - 1] == _IN else values
        elif letter == CLOSE:
            depth -= 1
            if not depth or (lists > 1 and columns * aggregates > MAX_PIVOT_COLUMNS):
                break
            if depth == 1 and values:
                columns, values, lists = columns * values, 0, lists + 1
        elif letter == _COMMA and depth == _OF_LIST and values:
            values += 1
        elif letter == _COMMA and depth == 1 and not lists:
            aggregates += 1
        elif letter == _PIVOT:
            pivots += 1
            if pivots > MAX_PIVOTS:
                return MAX_PIVOT_COLUMNS + 1
    return columns * aggregates if lists > 1 or aggregates > 1 else 1


_TYPES: Final = letters_of(
    {*Parser.TYPE_TOKENS, TokenType.SET, getattr(TokenType, "FILE", TokenType.SET)}
)
_NESTED: Final = letters_of(Parser.NESTED_TYPE_TOKENS)
_LESS: Final = spelled("LT")
_GREATER: Final = spelled("GT")
_DOUBT: Final = re.compile(spelled(f"[{_TYPES}] [open L_BRACKET]|[{_NESTED}] LT"))
_TWICE: Final = re.compile(spelled("(?!BINARY) . open|ARRAY L_BRACKET"))
_BARE_IF: Final = chr(ord(letters_of([max(TokenType)])) + 1)
_LETTER_OF_WORD: Final = {
    "IF": _BARE_IF,
    **dict.fromkeys(("CONVERT", "TRY_CONVERT"), spelled("DATE")),
}
_AMBIGUOUS: Final = frozenset({_BARE_IF, *letters_of(Parser.AMBIGUOUS_ALIAS_TOKENS)})
_BEGINS_ANEW: Final = frozenset(spelled("SEMICOLON THEN SELECT INSERT CREATE ALTER DROP"))
"""Tokens before which LIMIT, OFFSET or IF cannot continue."""
_IN_ANGLES: Final = frozenset(_PLAIN + spelled("COMMA open L_BRACKET"))


def _with_doubtful_words(shape: str, tokens: Sequence[Token], sql: str) -> str:
    """Return a shape that marks an IF that is not a call, and CONVERT, which begins with a type.

    A text with few of these words keeps its shape: the tokens are not searched.
    """
    text = sql.upper()
    doubts = text.count("IF") + text.count("CONVERT")
    if len(shape) << min(doubts, MAX_READINGS.bit_length()) <= MAX_READINGS:
        return shape
    words = [token.text.upper() for token in tokens]
    letters = [
        _LETTER_OF_WORD.get(word, letter) if word != "IF" or behind != OPEN else letter
        for word, letter, behind in zip(words, shape, (shape + " ")[1:], strict=True)
    ]
    return "".join(letters)


def _is_read_too_often(shape: str) -> bool:
    doubts = count_up_to(MAX_READINGS.bit_length(), _DOUBT, shape)
    doubts += sum(map(shape.count, _AMBIGUOUS))
    return len(shape) << doubts > MAX_READINGS and _exceeds_readings(shape)


def _exceeds_readings(shape: str) -> bool:
    """Return whether the tokens, each counted as often as it may be read, exceed the limit."""
    total, times, begun, before = 0, 1, 1, ""
    around: list[tuple[str, int, int]] = []
    """Open levels, each with the readings around it and those that the outer level began with."""
    for letter in shape:
        total += times
        if total > MAX_READINGS:
            return True
        if letter in _OPENS or (letter == _LESS and _DOUBT.match(before + letter)):
            around.append((letter, times, begun))
            times = begun = times * _factor(before + letter)
        elif letter not in _IN_ANGLES:
            while around and around[-1][0] == _LESS:
                _, times, begun = around.pop()
                if letter == _GREATER:
                    break
            if letter in _CLOSES and around:
                _, times, begun = around.pop()
            elif letter in _AMBIGUOUS:
                times *= 2
            elif letter in _BEGINS_ANEW:
                times = begun
        before = letter
    return False


def _factor(opening: str) -> int:
    """Return how often the parser reads what follows a word and its parenthesis."""
    if not _DOUBT.match(opening):
        return 1
    return 2 if _TWICE.match(opening) else 3


def _is_typed_too_often(shape: str) -> bool:
    subscripts = shape.count(CLOSE + _SUBSCRIPT) + shape.count(_END_OF_SUBSCRIPT + _SUBSCRIPT)
    if subscripts * len(shape) <= MAX_TYPED:
        return False
    typed, opened = 0, []
    for place, letter in enumerate(shape):
        if letter in _OPENS:
            opened.append(place)
        elif letter in _CLOSES and opened:
            begin = opened.pop()
            if shape.startswith(_SUBSCRIPT, place + 1):
                typed += place - begin
    return typed > MAX_TYPED
