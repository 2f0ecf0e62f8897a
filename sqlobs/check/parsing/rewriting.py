"""Rewrites the tokens of valid SQL that sqlglot cannot parse, as the dialect's `rewrites` say.

Operators of a pipe (`FROM t |> EXTEND a + 1 AS b`) become those that sqlglot knows.

Rewriting may change results but never names; the tree is not executed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing import nested_rewrites
from sqlobs.check.parsing.nested_rewrites import Rewriting
from sqlobs.check.parsing.tokens import (
    CLOSING_BRACKETS,
    LITERALS,
    OPENING_BRACKETS,
    kinds,
    letter_of,
    token_as,
    tokenized,
)
from sqlobs.dialects.base import Rewrite
from sqlobs.dialects.registry import dialect_of

_COMMON: Final = (
    "parentheses_around_comparisons",
    # LIMIT 5 % 3, in which sqlglot reads a percentage
    Rewrite(r"%|PERCENT", "*", within=r" LIMIT\b"),
)
"""Rewrites for every dialect."""


def rewritten(tokens: Sequence[Token], dialect: str) -> list[Token] | None:
    """Return the rewritten tokens of a statement; None if nothing is to be rewritten."""
    again = [*tokens]
    text = _text_of(again)
    for rewriting in _rewritings(dialect):
        changed = rewriting(again, text)
        if changed != again:
            again, text = changed, _text_of(changed)
    return again if again != [*tokens] else None


@cache
def _rewritings(dialect: str) -> tuple[Rewriting, ...]:
    rewrites = (*dialect_of(dialect).parsing.rewrites, *_COMMON)
    return tuple(
        getattr(nested_rewrites, one) if isinstance(one, str) else _Rewriting(one, dialect)
        for one in rewrites
    )


class _Rewriting:
    """One pattern of a dialect, applied to tokens."""

    def __init__(self, rewrite: Rewrite, dialect: str) -> None:
        # The blank before it comes first: `re` searches fast for what a pattern begins with
        self._pattern: Final = re.compile(rf" (?:{rewrite.pattern})(?!\S)")
        self._within: Final = re.compile(rewrite.within)
        self._parts: Final = rewrite.replacement.split()
        self._dialect: Final = dialect

    def __call__(self, tokens: list[Token], text: str) -> list[Token]:
        found = [*self._pattern.finditer(f" {text}")] if self._within.search(text) else []
        if not found:
            return tokens
        begins = [1]
        for word in _words_of(tokens)[:-1]:
            begins.append(begins[-1] + len(word) + 1)
        again: list[Token] = []
        done = 0
        for match in found:
            begin, end = _span(begins, match, 0)
            again += tokens[done:begin]
            again += self._replacement(tokens, match, begins)
            done = end
        return again + tokens[done:]

    def _replacement(
        self, tokens: list[Token], match: re.Match[str], begins: list[int]
    ) -> Iterator[Token]:
        begin, _ = _span(begins, match, 0)
        for part in self._parts:
            if part[0] == "\\":
                yield from tokens[slice(*_span(begins, match, int(part[1:])))]
            else:
                yield token_as(*_kind_and_text(part, self._dialect), tokens[begin])


def _span(begins: list[int], match: re.Match[str], group: int) -> tuple[int, int]:
    """Return which tokens a group matches."""
    begin, end = match.span(group)
    return bisect_left(begins, begin), bisect_right(begins, end - 1) if end > begin else 0


def _text_of(tokens: Sequence[Token]) -> str:
    """Return tokens as `Rewrite` says that patterns match them."""
    return " ".join(_words_of(tokens))


def _words_of(tokens: Sequence[Token]) -> list[str]:
    return [
        _literal(token, before) if token.token_type in _LITERALS else token.text.upper()
        for before, token in zip((None, *tokens), tokens, strict=False)
    ]


_LITERALS: Final = LITERALS | {TokenType.IDENTIFIER}


def _literal(token: Token, before: Token | None) -> str:
    if token.token_type is TokenType.IDENTIFIER:
        return '"'
    if token.token_type is TokenType.NUMBER:
        return "0"
    if before is not None and before.token_type is TokenType.VAR:
        return "&'" if before.end + 1 == token.start else "'"
    return "'"


@cache
def _kind_and_text(part: str, dialect: str) -> tuple[TokenType, str]:
    """Return the token of one keyword (`GROUP_BY`), name or sign."""
    try:
        (token,) = tokenized(part.replace("GROUP_BY", "GROUP BY"), dialect)
    except (TokenError, ValueError) as error:
        raise ValueError(f"{part!r} is not one token of {dialect}") from error
    return token.token_type, token.text


PIPE: Final = letter_of(TokenType.PIPE_GT)
_CLAUSES: Final = kinds("SELECT FROM WHERE GROUP_BY HAVING QUALIFY ORDER_BY LIMIT WINDOW")
_NAMES: Final = kinds("VAR IDENTIFIER")
_BEFORE_ALIAS: Final = LITERALS | CLOSING_BRACKETS | _NAMES | kinds("END NULL TRUE FALSE")


def without_pipes(tokens: Sequence[Token], dialect: str) -> list[Token]:
    """Replace the operators of pipes that sqlglot lacks, or reads without the names around.

    `EXTEND`, `SET`, `DROP`, `RENAME` and `DISTINCT` keep the aliases of FROM: a row that is joined
    adds columns, and a condition checks names. See
    cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax.

    Raises:
        ParseError: an operator has a clause that it does not allow.
    """
    again = [*tokens]
    for place in reversed(range(len(tokens))):
        if again[place].token_type is TokenType.PIPE_GT:
            end = _end_of_operator(again, place + 1)
            rest = again[end:]
            again[place + 1 : end] = _operator(again[place + 1 : end], rest, dialect)
    return again


def with_names_of_pipes(trees: Sequence[exp.Expr | None]) -> None:
    """Make names of what sqlglot leaves of `|> AS t` and `|> AGGREGATE … GROUP BY a AS b`."""
    for tree in filter(None, trees):
        for node in tree.find_all(exp.From, exp.Group):
            if isinstance(node, exp.From) and isinstance(node.this, exp.TableAlias):
                node.set("this", exp.Table(this=node.this.this.copy()))
            for term in node.expressions if isinstance(node, exp.Group) else ():
                if isinstance(term, exp.Identifier):
                    term.replace(exp.Column(this=term.copy()))


def _end_of_operator(tokens: Sequence[Token], begin: int) -> int:
    for place, depth in _depths(tokens, begin):
        kind = tokens[place].token_type
        if depth < 0 or (not depth and kind in {TokenType.PIPE_GT, TokenType.SEMICOLON}):
            return place
    return len(tokens)


def _depths(tokens: Sequence[Token], begin: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the place of each token and how many brackets are open around it."""
    depth = 0
    for place in range(begin, len(tokens)):
        kind = tokens[place].token_type
        depth -= kind in CLOSING_BRACKETS
        yield place, depth
        depth += kind in OPENING_BRACKETS


def _operator(own: list[Token], rest: Sequence[Token], dialect: str) -> list[Token]:
    """Return the tokens for one operator; `rest` is what follows it."""
    word = own[0].text.upper() if own else ""
    _reject_clauses(own, word)
    if word == "LIMIT" and _LIMIT.fullmatch(_text_of(own)):
        # sqlglot fails on one after a whole query: `SELECT a FROM t |> LIMIT 1`
        return [token_as(*_kind_and_text(part, dialect), own[0]) for part in ("WHERE", "TRUE")]
    if word == "AGGREGATE":
        return _without_positions(own)
    if word not in _OPERATORS:
        return own
    is_windowed = any(token.text.upper() == "OVER" for token in own)
    needs_names = any(
        token.token_type in _NAMES and after.token_type is TokenType.DOT
        for token, after in pairwise(rest)
    )
    items = list(_split(own[1:]))
    if not items and word != "DISTINCT":
        raise ParseError("", [{"line": own[0].line, "col": own[0].col}])
    if word == "DROP":
        _reject_further(items)
    text, parts = _rewritten_operator(word, items, keeps_names=needs_names, is_windowed=is_windowed)
    traits = dialect_of(dialect).resolution
    if text == _ADDED and traits is not None and not traits.calls_see_siblings:
        text = _ADDED_BY_QUERY if needs_names else "EXTEND items"
    again: list[Token] = []
    for part in text.split():
        if part == "items":
            again += parts
        else:
            again.append(token_as(*_kind_and_text(part, dialect), own[0]))
    return again


def _reject_further(names: Iterable[list[Token]]) -> None:
    """Raise where a comma between two names is missing: `|> DROP a b`."""
    for _, *further in names:
        if further and further[0].token_type is not TokenType.DOT:
            raise ParseError("", [{"line": further[0].line, "col": further[0].col}])


def _without_positions(own: list[Token]) -> list[Token]:
    """Replace the positions in GROUP BY, which count the columns of the input, by NULL."""
    again, is_behind = [*own], False
    for place, token in enumerate(own):
        is_behind = is_behind or token.token_type is TokenType.GROUP_BY
        before, after = own[place - 1], own[place + 1 : place + 2]
        is_first = before.token_type in {TokenType.GROUP_BY, TokenType.COMMA}
        is_last = not after or after[0].token_type is TokenType.COMMA
        if is_behind and token.token_type is TokenType.NUMBER and is_first and is_last:
            again[place] = token_as(TokenType.NULL, "NULL", token)
    return again


_LIMIT: Final = re.compile("LIMIT 0(?: OFFSET 0)?")  # LIMIT 5 OFFSET 10
_OPERATORS: Final = frozenset("EXTEND WINDOW SET DROP RENAME DISTINCT".split())
_ADDED: Final = "CROSS JOIN UNNEST ( [ STRUCT ( items ) ] )"
_CHECKED: Final = "WHERE STRUCT ( items ) IS NOT NULL"
_ADDED_BY_QUERY: Final = "CROSS JOIN LATERAL ( SELECT items )"
"""For engines in which a call in FROM cannot refer to columns of earlier items."""


def _rewritten_operator(
    word: str, items: list[list[Token]], *, keeps_names: bool, is_windowed: bool
) -> tuple[str, list[Token]]:
    """Return tokens as text, and the ones that stand at `items`."""
    if word == "DISTINCT":
        return "WHERE TRUE", []
    if word in {"EXTEND", "WINDOW"}:
        named = _joined([_named(item, place) for place, item in enumerate(items)])
        return ("EXTEND items" if is_windowed else _ADDED), named
    if word == "SET":
        pairs = [_around(item, TokenType.EQ) for item in items]
        if is_windowed:
            return "SELECT * REPLACE ( items )", _joined([_alias(b, a) for a, b in pairs])
        return _CHECKED, _joined([part for pair in pairs for part in pair])
    if word == "DROP":
        return (_CHECKED if keeps_names else "SELECT * EXCEPT ( items )"), _joined(items)
    named = _joined([_named(item, 0) for item in items])
    return (_ADDED if keeps_names else "SELECT * , items"), named


def _named(item: list[Token], place: int) -> list[Token]:
    """Return an item of a SELECT list with `AS` before its alias, or with one of its own."""
    kinds_of = [item[at].token_type for at, depth in _depths(item) if not depth]
    if TokenType.ALIAS in kinds_of or all(kind in _PATH for kind in kinds_of):
        return item
    last = item[-1]
    if len(item) > 1 and last.token_type in _NAMES and item[-2].token_type in _BEFORE_ALIAS:
        return _alias(item[:-1], [last])
    return _alias(item, [token_as(TokenType.VAR, f"extended_{place}", last)])


_PATH: Final = _NAMES | {TokenType.DOT}


def _alias(value: list[Token], name: list[Token]) -> list[Token]:
    return [*value, token_as(TokenType.ALIAS, "AS", name[0]), *name] if name else value


def _around(item: list[Token], kind: TokenType) -> tuple[list[Token], list[Token]]:
    at = next((place for place, token in enumerate(item) if token.token_type is kind), len(item))
    return item[:at], item[at + 1 :]


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    begin = 0
    for place, depth in _depths(tokens):
        if not depth and tokens[place].token_type is TokenType.COMMA:
            yield tokens[begin:place]
            begin = place + 1
    if tokens[begin:]:
        yield tokens[begin:]


def _joined(items: Sequence[list[Token]]) -> list[Token]:
    again = [*items[0]]
    for item in items[1:]:
        again += [token_as(TokenType.COMMA, ",", again[-1]), *item]
    return again


def _reject_clauses(own: Sequence[Token], word: str) -> None:
    """Raise at a clause that stands without a pipe before it: `|> SELECT a ORDER BY a`."""
    for place, depth in _depths(own):
        token = own[place]
        if depth or not place or token.token_type not in _CLAUSES:
            continue
        before = own[place - 1].text.upper()
        if (token.token_type is TokenType.FROM and before == "DISTINCT") or before == ".":
            continue  # IS DISTINCT FROM
        is_group = word == "AGGREGATE" and (token.text[:1] in "gG" or before == "AND")
        if not is_group or (own[place + 1 : place + 2] and own[place + 1].text.upper() == "ALL"):
            raise ParseError("", [{"line": token.line, "col": token.col}])
