"""Rewrites of tokens that depend on nesting or on a catalog, which no pattern expresses.

The dialects name them in `rewrites`; those called `with_…` and `without_…` are applied before the
first parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, wraps
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.tokens import (
    CLOSE,
    CLOSING_BRACKETS,
    OPEN,
    OPENING_BRACKETS,
    kinds,
    shape_of,
    spelled,
    token_as,
)
from sqlobs.dialects.catalog import catalog_of

Rewriting = Callable[[list[Token], str], list[Token]]
"""Returns rewritten tokens, given those of a statement and the text that `Rewrite` describes."""


def _within(pattern: str) -> Callable[[Callable[[list[Token]], list[Token]]], Rewriting]:
    """Apply a rewrite where the text of a statement has a pattern: looking at each token is slow.

    The rewrite may change the list that it is given.
    """
    occurs = re.compile(pattern).search

    def limited(rewrite: Callable[[list[Token]], list[Token]]) -> Rewriting:
        @wraps(rewrite)
        def apply(tokens: list[Token], text: str) -> list[Token]:
            return rewrite([*tokens]) if occurs(text) else tokens

        return apply

    return limited


_NARROW_CALLS: Final = frozenset("CONVERT JSON_OBJECT JSON_OBJECTAGG POSITION OVERLAY".split())
"""Calls in which sqlglot does not parse a comparison."""
_COMPARING: Final = kinds(
    "EQ NEQ LT LTE GT GTE AND OR XOR NOT IS IN LIKE RLIKE BETWEEN NULLSAFE_EQ"
)


@_within(r"(?:CONVERT|JSON_OBJECT|JSON_OBJECTAGG|POSITION|OVERLAY|\") [(\[{]")
def parentheses_around_comparisons(tokens: list[Token]) -> list[Token]:
    """Add parentheses around comparisons in calls in which sqlglot does not parse any."""
    spans = [
        (begin, end)
        for begin, end in _arguments(tokens)
        if any(token.token_type in _COMPARING for token in tokens[begin:end])
        and not _are_separated(tokens, begin)
    ]
    return _with_parentheses(tokens, {begin for begin, _ in spans}, {end for _, end in spans})


def _are_separated(tokens: Sequence[Token], begin: int) -> bool:
    """Return whether IN separates the arguments of a call: `POSITION('a' IN b)`."""
    is_position = begin > 1 and tokens[begin - 2].text.upper() == "POSITION"
    return is_position and tokens[begin + 1].token_type is TokenType.IN


def _arguments(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the span of each argument of such a call, outer calls after inner ones."""
    opened: list[tuple[bool, int]] = []  # whether it is such a call, and where its argument begins
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in OPENING_BRACKETS:
            is_narrow = place > 0 and tokens[place - 1].text.upper() in _NARROW_CALLS
            opened.append((is_narrow, place + 1))
        elif opened and (kind is TokenType.COMMA or kind in CLOSING_BRACKETS):
            is_narrow, begin = opened.pop()
            if is_narrow:
                yield begin, place
            if kind is TokenType.COMMA:
                opened.append((is_narrow, place + 1))


@_within(r"(?:->|DISTINCT) .*\?")
def parentheses_around_choices(tokens: list[Token]) -> list[Token]:
    """Add parentheses around a choice behind an arrow or DISTINCT: `x -> x > 0 ? 1 : 2`."""
    begins: set[int] = set()
    ends: set[int] = set()
    bodies: list[int | None] = [None]  # where the body of a lambda begins, by nesting
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in OPENING_BRACKETS:
            bodies.append(None)
        elif kind is TokenType.COMMA or kind in CLOSING_BRACKETS:
            if (begin := bodies[-1]) is not None and begin in begins:
                ends.add(place)
            bodies[-1] = None
            if kind in CLOSING_BRACKETS:
                del bodies[max(len(bodies) - 1, 1) :]
        elif kind in {TokenType.ARROW, TokenType.DISTINCT}:
            bodies[-1] = place + 1
        elif kind is TokenType.PLACEHOLDER and (begin := bodies[-1]) is not None:
            begins.add(begin)
    return _with_parentheses(tokens, begins, ends)


def _with_parentheses(tokens: list[Token], begins: set[int], ends: set[int]) -> list[Token]:
    again: list[Token] = []
    for place, token in enumerate(tokens):
        if place in ends:
            again.append(token_as(TokenType.R_PAREN, ")", token))
        if place in begins:
            again.append(token_as(TokenType.L_PAREN, "(", token))
        again.append(token)
    return again


_ENDS_GROUP: Final = kinds("HAVING ORDER_BY LIMIT WINDOW WITH UNION EXCEPT INTERSECT")


@_within(r"\b(?:ASC|DESC)\b")
def no_order_in_group_by(tokens: list[Token]) -> list[Token]:
    """Remove ASC and DESC from `GROUP BY a DESC`."""
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


@_within("GROUP_CONCAT")
def no_limit_in_group_concat(tokens: list[Token]) -> list[Token]:
    """Remove the LIMIT from `group_concat(a ORDER BY b LIMIT 2)`."""
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


_DEFAULT_CALL: Final = re.compile(spelled("DEFAULT (?=open)"))


@_within("DEFAULT")
def default_as_call(tokens: list[Token]) -> list[Token]:
    """Read `DEFAULT(a)` as a call."""
    for found in _DEFAULT_CALL.finditer(shape_of(tokens)):
        place = found.start()
        tokens[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
    return tokens


_PIVOT: Final = re.compile(spelled("[PIVOT UNPIVOT]"))
_BEHIND_PIVOT: Final = re.compile(spelled("[ORDER_BY LIMIT OFFSET]"))


@_within("PIVOT")
def pivot_in_parentheses(tokens: list[Token]) -> list[Token]:
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


_NAMED_USING: Final = re.compile(spelled("(name) USING open (no_bracket+) close (ALIAS name)"))
_QUALIFIED: Final = re.compile(spelled("name DOT (?=name)"))


@_within("USING")
def no_alias_of_using(tokens: list[Token]) -> list[Token]:
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


_TYPED: Final = re.compile(spelled("(?<![ALIAS DOT DCOLON]) . (?=[STRING BYTE_STRING])"), re.DOTALL)


@cache
def _types() -> frozenset[str]:
    """Return the names of types: one of them may stand before a string."""
    catalog = catalog_of("postgres")
    return frozenset(row[0] for row in catalog.raw["types"].values()) if catalog else frozenset()


@_within("'")
def cast_of_literal(tokens: list[Token]) -> list[Token]:
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


@_within(r"[-+*/<>=~!@#%^&|?] [-+*/<>=~!@#%^&|?]")
def named_operators(tokens: list[Token]) -> list[Token]:
    """Read `a OPERATOR(<<=) b` for `a <<= b`, of which the tokenizer makes two operators."""
    again: list[Token] = []
    place = 0
    while place < len(tokens):
        end = _end_of_operator(tokens, place)
        parts = tokens[place:end]
        first = tokens[place]
        if len(parts) > 1 and "".join(token.text for token in parts) in _operators():
            operator = token_as(TokenType.OPERATOR, "OPERATOR", first)
            again += [operator, token_as(TokenType.L_PAREN, "(", first), *parts]
            parts = [token_as(TokenType.R_PAREN, ")", first)]
        again += parts
        place = end
    return again


def _end_of_operator(tokens: list[Token], place: int) -> int:
    """Return the end of the operator that begins at a place: signs without space between them."""
    end = place + 1
    if not _SIGNS.issuperset(tokens[place].text):
        return end
    while end < len(tokens) and tokens[end].start == tokens[end - 1].end + 1:
        if not _SIGNS.issuperset(tokens[end].text):
            break
        end += 1
    return end


_ENDS_FROM: Final = kinds(
    "SELECT WHERE GROUP_BY HAVING WINDOW ORDER_BY LIMIT SET UNION EXCEPT INTERSECT RETURNING"
)


@_within(r"\b(?:ON|USING)\b")
def join_before_on(tokens: list[Token]) -> list[Token]:
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


_TYPE_OF_CAST: Final = re.compile(
    spelled("ALIAS ([^ALIAS open close COMMA]+) (?:open no_bracket* close)? close")
)


@_within("CAST")
def one_word_as_type(tokens: list[Token]) -> list[Token]:
    """Keep only the last word of a type such as `UNSIGNED BIG INT`: SQLite allows any words."""
    for found in reversed(list(_TYPE_OF_CAST.finditer(shape_of(tokens)))):
        if _is_in_cast(tokens, found.start()):
            begin, end = found.span(1)
            del tokens[begin : end - 1]
    return tokens


_NO_TYPE: Final = re.compile(spelled("ALIAS (?=close)"))


@_within("CAST")
def type_of_cast(tokens: list[Token]) -> list[Token]:
    """Read a type where CAST has none: no words are one, too."""
    for found in reversed(list(_NO_TYPE.finditer(shape_of(tokens)))):
        if _is_in_cast(tokens, found.start()):
            tokens.insert(found.end(), token_as(TokenType.TEXT, "TEXT", tokens[found.start()]))
    return tokens


def _is_in_cast(tokens: list[Token], place: int) -> bool:
    """Return whether the innermost parenthesis around a position is that of CAST."""
    depth = 0
    for before in range(place - 1, 0, -1):
        kind = tokens[before].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if depth < 0:
            return tokens[before - 1].text.upper() == "CAST"
    return False


_PARAMETERS: Final = re.compile(spelled("(?<=VAR) open"))
_OPEN_LIST: Final = spelled("L_BRACKET")
_CLOSE_LIST: Final = spelled("R_BRACKET")
BEHIND_PARAMETERS: Final = spelled("close open")


def without_parameters(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Read `f(x)` for ClickHouse's `f(0.5)(x)`, which sqlglot knows of some aggregates only."""
    again = [*tokens]
    for found in reversed(list(_PARAMETERS.finditer(shape))):
        end = _end_of_parentheses(shape, found.start())
        is_whole = shape.count(_OPEN_LIST, found.start(), end) == shape.count(
            _CLOSE_LIST, found.start(), end
        )
        if is_whole and shape[end : end + 1] == OPEN and not _QUERY.match(shape, end + 1):
            last = _end_of_parentheses(shape, end) - 1
            tokens[last].comments.extend(tokens[end - 1].comments)
            del again[found.start() : end]
    return again


def _end_of_parentheses(shape: str, begin: int) -> int:
    """Return the place behind the parentheses that open at a place."""
    depth = 0
    for place in range(begin, len(shape)):
        depth += (shape[place] == OPEN) - (shape[place] == CLOSE)
        if not depth:
            return place + 1
    return len(shape)


ARROW: Final = spelled("ARROW")
_BARE_PARAMETERS: Final = re.compile(spelled("(?<=open) name (?:COMMA name)+ (?=ARROW)"))


def with_parameters_in_parentheses(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Read `f((x, y) -> x + y, a)` for ClickHouse's `f(x, y -> x + y, a)`."""
    again = [*tokens]
    for found in reversed(list(_BARE_PARAMETERS.finditer(shape))):
        begin, end = found.span()
        again.insert(end, token_as(TokenType.R_PAREN, ")", tokens[end]))
        again.insert(begin, token_as(TokenType.L_PAREN, "(", tokens[begin]))
    return again


def with_arrows(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Read `f((x) -> x + 1, a)` for ClickHouse's `f(lambda(tuple(x), x + 1), a)`."""
    again = [*tokens]
    for found in reversed(list(_LAMBDA.finditer(shape))):
        begin, end = found.start(), _end_of_parentheses(shape, found.start() + 1)
        if tokens[begin].text.lower() == "lambda" and end > found.end():
            comma = tokens[found.end() - 1]
            names = [
                token_as(one.token_type, one.text, one) for one in tokens[slice(*found.span(1))]
            ]
            again[end - 1 : end] = []
            again[begin : found.end()] = [
                token_as(TokenType.L_PAREN, "(", tokens[begin]),
                *names,
                token_as(TokenType.R_PAREN, ")", comma),
                token_as(TokenType.ARROW, "->", comma),
            ]
    return again


_LAMBDA: Final = re.compile(
    spelled("VAR open [VAR STRUCT]? open (VAR (?:COMMA VAR)*) COMMA? close COMMA")
)


def with_last_row_in_parentheses(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Read `VALUES 1, (2) AS t` for Spark's `VALUES 1, 2 AS t`: the alias is not that of the 2."""
    again = [*tokens]
    for found in reversed(list(_BARE_ROWS.finditer(shape))):
        begin, end = found.span(1)
        again.insert(end, token_as(TokenType.R_PAREN, ")", tokens[end - 1]))
        again.insert(begin, token_as(TokenType.L_PAREN, "(", tokens[begin]))
    return again


_BARE_ROW: Final = (
    "(?:DASH? [NUMBER STRING NULL TRUE FALSE]|[^open close COMMA] open no_bracket* close)"
)
_BARE_ROWS: Final = re.compile(
    spelled(f"VALUES (?:{_BARE_ROW} COMMA)* ({_BARE_ROW}) (?=ALIAS|name open)")
)
_QUERY: Final = re.compile(spelled("[SELECT WITH FROM]|open [SELECT WITH FROM open]"))


_BEFORE_QUERY: Final = re.compile(spelled("[FROM JOIN IN open COMMA] open") + r"\Z")
"""Not that of a call: `countIf(explain LIKE 'Filter')`."""
_BEHIND_NAME: Final = re.compile(spelled("[close COMMA DOT]"))


@_within("EXPLAIN")
def explained_queries(tokens: list[Token]) -> list[Token]:
    """Read `(SELECT '' AS explain WHERE EXISTS (SELECT 1))` for `(EXPLAIN PLAN SELECT 1)`.

    Elsewhere, `explain` is the name of that column.
    """
    for place in reversed(range(1, len(tokens))):
        if tokens[place].text.upper() != "EXPLAIN":
            continue
        shape = shape_of(tokens)
        found = _QUERY.search(shape, place)
        is_name = _BEFORE_QUERY.search(shape, 0, place) is None or _BEHIND_NAME.match(
            shape, place + 1
        )
        if is_name or found is None:
            tokens[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
            continue
        if _TEXT_OF_OPTION.search(shape, place, found.start()):
            return tokens  # the options of EXPLAIN are numbers
        end = _end_of_parentheses(shape, place - 1) - 1
        is_estimate = tokens[place + 1].text.upper() == "ESTIMATE"
        columns = _ESTIMATED if is_estimate else "'|STRING AS|ALIAS explain|VAR"
        begin = _tokens_like(tokens[place], f"SELECT|SELECT {columns}")
        if tokens[place + 1].text.upper() in _UNRESOLVED:
            tokens[place:end] = begin
            continue
        begin += _tokens_like(tokens[place], "WHERE|WHERE EXISTS|EXISTS (|L_PAREN")
        closing = _tokens_like(tokens[place], ")|R_PAREN")
        tokens[place:end] = [*begin, *tokens[found.start() : end], *closing]
    return tokens


_UNRESOLVED: Final = frozenset({"SYNTAX", "AST"})
"""Kinds of EXPLAIN that only parse the query."""
_TEXT_OF_OPTION: Final = re.compile(spelled("EQ STRING"))
_ESTIMATED: Final = (
    "'|STRING AS|ALIAS database|VAR ,|COMMA '|STRING AS|ALIAS table|VAR ,|COMMA 0|NUMBER"
    " AS|ALIAS parts|VAR ,|COMMA 0|NUMBER AS|ALIAS rows|VAR ,|COMMA 0|NUMBER AS|ALIAS marks|VAR"
)


def _tokens_like(place: Token, written: str) -> list[Token]:
    """Return tokens, each written as text and kind."""
    parts = (part.rpartition("|") for part in written.split())
    return [token_as(TokenType[kind], text, place) for text, _, kind in parts]


_TERMS: Final = kinds("GROUP_BY ORDER_BY PARTITION_BY WHERE PREWHERE HAVING QUALIFY")
_BRANCHES: Final = kinds("CASE WHEN THEN ELSE")
_WITH_AS: Final = frozenset({"INTERPOLATE", "REPLACE"})
"""Calls in which AS gives no alias of a value, or one that the parser reads."""
_SIDES_OF_TRIM: Final = frozenset({"LEADING", "TRAILING", "BOTH"})
_BEFORE_OTHERS: Final = kinds("FROM JOIN ALIAS WITH UNION INTERSECT EXCEPT VALUES")
"""What stands before the parentheses of queries."""
_BEGINS_TERM: Final = kinds("COMMA ARROW FROM FOR")
_ENDS_TERMS: Final = _ENDS_GROUP | kinds("SELECT SETTINGS FORMAT OFFSET QUALIFY")


@_within(r"\bAS\b")
def aliases_of_terms(tokens: list[Token]) -> list[Token]:
    """Read `GROUP BY (a % 3 AS k)` for `GROUP BY a % 3 AS k`, and so in other clauses and calls."""
    again: list[Token] = []
    begins = [-1]  # by level: where the term, or the argument of a call, begins in `again`
    for place, token in enumerate(tokens):
        kind = token.token_type
        again.append(token)
        if kind in OPENING_BRACKETS:
            begins.append(len(again) if _has_terms(tokens, place) else -1)
        elif kind in CLOSING_BRACKETS or kind is TokenType.END:
            del begins[max(len(begins) - 1, 1) :]
        elif kind in _BRANCHES:
            begins[-1 if kind is not TokenType.CASE else len(begins) :] = [len(again)]
        elif kind in _TERMS or (kind in _BEGINS_TERM and begins[-1] >= 0):
            begins[-1] = len(again)
        elif kind in _ENDS_TERMS:
            begins[-1] = -1
        elif begins[-1] < 0:
            continue
        elif token.text.upper() in _SIDES_OF_TRIM and tokens[place - 1].text.upper() == "(":
            begins[-1] = len(again)
        elif tokens[place - 1].token_type is TokenType.ALIAS and not _is_type(tokens, place):
            again.insert(begins[-1], token_as(TokenType.L_PAREN, "(", token))
            again.append(token_as(TokenType.R_PAREN, ")", token))
    return again


def _is_type(tokens: list[Token], place: int) -> bool:
    """Return whether what follows AS is the type of CAST: `CAST(1 AS a AS Int8)` has an alias."""
    goes_on = tokens[place + 1 : place + 2]
    is_last = not goes_on or goes_on[0].token_type not in {TokenType.ALIAS, TokenType.COMMA}
    return is_last and _is_in_cast(tokens, place)


def _has_terms(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a parenthesis has a value, a list, or the arguments of a call."""
    before = tokens[place - 1]
    may_hold = place > 0 and before.token_type not in _BEFORE_OTHERS
    return may_hold and before.text.upper() not in _WITH_AS


CHANGES: Final = frozenset(spelled("INSERT UPDATE DELETE"))
"""How statements begin that may have a modifier."""
_MODIFIERS: Final = {
    TokenType.INSERT: frozenset({"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"}),
    TokenType.UPDATE: frozenset({"LOW_PRIORITY", "IGNORE"}),
    TokenType.DELETE: frozenset({"LOW_PRIORITY", "QUICK", "IGNORE"}),
}


def without_modifiers(tokens: Sequence[Token]) -> Sequence[Token]:
    """Remove LOW_PRIORITY, QUICK and the like, which sqlglot parses as names of tables."""
    modifiers = _MODIFIERS[tokens[0].token_type]
    end = 1
    while end < len(tokens) - 1 and tokens[end].text.upper() in modifiers:
        end += 1
    return [tokens[0], *tokens[end:]]


_VAR: Final = spelled("VAR")
_SIDES: Final = frozenset(spelled("FULL SEMI ANTI"))
_JOIN_AS_ALIAS: Final = re.compile(
    spelled("[FROM JOIN COMMA] (?:name DOT)? name [FULL SEMI ANTI] (?=JOIN)")
)
"""`t FULL JOIN u`, where MySQL has no such join and reads `FULL` as an alias."""


def without_row_constructors(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Drop ROW before the rows of VALUES: `VALUES ROW(1), ROW(2)` has the columns of `(1), (2)`."""
    rows = {place for found in _ROWS.finditer(shape) for place in range(*found.span())}
    drops = {place for place in rows if tokens[place].text.upper() == "ROW"}
    return [token for place, token in enumerate(tokens) if place not in drops]


_ROWS: Final = re.compile(spelled("VALUES [ROW STRUCT] open|close COMMA [ROW STRUCT] open"))


def with_join_as_alias(tokens: Sequence[Token], shape: str) -> tuple[tuple[Token, ...], str] | None:
    """Return the tokens and shape of MySQL with FULL, SEMI and ANTI as names; None: as they are."""
    if _SIDES.isdisjoint(shape):
        return None
    again, letters = [*tokens], [*shape]
    for found in _JOIN_AS_ALIAS.finditer(shape):
        place = found.end() - 1
        again[place] = token_as(TokenType.VAR, tokens[place].text, tokens[place])
        letters[place] = _VAR
    changed = "".join(letters)
    return (tuple(again), changed) if changed != shape else None


_INSERTED: Final = re.compile(spelled(r"\A INSERT INTO name (?:DOT name)* open (?=FROM)"))


def without_parentheses_of_inserted(tokens: Sequence[Token], shape: str) -> Sequence[Token]:
    """Remove the parentheses of `INSERT INTO t (FROM u)`, which sqlglot parses as columns."""
    found = _INSERTED.match(shape)
    if found is None:
        return tokens
    depth = 1
    for place in range(found.end(), len(shape)):
        depth += (shape[place] == OPEN) - (shape[place] == CLOSE)
        if not depth:
            return [*tokens[: found.end() - 1], *tokens[found.end() : place], *tokens[place + 1 :]]
    return tokens
