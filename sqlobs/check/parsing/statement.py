"""One parsed statement: its tokens, their shape, its tree.

Calls stay as written, and a fault names its place.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.keywords import (
    ANY_KEYWORD_AS_NAME,
    KEYWORDS_AS_NAMES,
    freed,
    with_names,
    without_unknown_keywords,
)
from sqlobs.check.parsing.nested_rewrites import (
    ARROW,
    BEHIND_PARAMETERS,
    CHANGES,
    with_arrows,
    with_join_as_alias,
    with_last_row_in_parentheses,
    with_parameters_in_parentheses,
    without_modifiers,
    without_parameters,
    without_parentheses_of_inserted,
    without_row_constructors,
)
from sqlobs.check.parsing.rewriting import PIPE, rewritten, with_names_of_pipes, without_pipes
from sqlobs.check.parsing.tokens import (
    CLOSE,
    LITERALS,
    OPEN,
    SEMICOLON,
    SyntaxFault,
    TokenizedText,
    kept_by_shape,
    kinds,
    letters_of,
    shape_of,
    spelled,
    with_replace_as_insert,
    without_explain,
)
from sqlobs.dialects.registry import dialect_of


@dataclass(slots=True, eq=False)
class Statement:
    """A statement as the parser reads it. It lives as long as its check: trees are never cached."""

    sql: str
    dialect: str
    tokens: tuple[Token, ...]
    """Those of the first statement; empty if the text cannot be tokenized."""
    tree: exp.Expr | None
    """The first statement; None when nothing parses."""
    shape: str = ""
    """One letter for each of `tokens`, see the docstring of `tokens`."""
    all_tokens: tuple[Token, ...] = ()
    """Those of the whole text, which may contain several statements."""
    whole_shape: str = ""
    """One letter for each of `all_tokens`."""
    words: frozenset[str] = frozenset()
    """Its tokens in upper case: enough for most rules."""
    is_orderly: bool = False
    """Clauses, joins and brackets are certainly in order."""
    own_calls: tuple[Token, ...] = ()
    """Names of calls with a special grammar (`EXTRACT(…)`), which the tree does not keep."""
    fault: SyntaxFault | None = None
    has_further_text: bool = False
    """The first statement is followed by more than its semicolon."""
    is_opaque: bool = False
    """sqlglot keeps the statement as text (SHOW, EXPLAIN, rare DDL)."""
    foreign_dialect: str | None = None
    """The dialect that parsed the tree, if the statement's own could not."""

    @property
    def count(self) -> int:
        """The number of statements in the text."""
        return sum(map(bool, self.whole_shape.split(SEMICOLON)))


def parse(text: TokenizedText) -> Statement:
    """Parse the first statement of a text.

    Calls are kept as written: a comment `sqlglot.anonymous` behind a call keeps the parser from
    turning it into a node of its own, which would lose the name and the order of arguments.
    """
    if text.fault is not None:
        return Statement(text.sql, text.dialect, (), None, fault=text.fault)
    sql, dialect, tokens, shape = text.sql, text.dialect, text.tokens, text.shape
    first, own_shape = tokens, shape
    if SEMICOLON in shape:
        first, own_shape = first_statement(tokens, shape)
    if "join_as_alias" in dialect_of(dialect).parsing.tokens:
        first, own_shape = with_join_as_alias(first, own_shape) or (first, own_shape)
    for pattern, position in KEYWORDS_AS_NAMES if ANY_KEYWORD_AS_NAME.search(own_shape) else ():
        if pattern.search(own_shape):
            first, own_shape = with_names(first, own_shape, dialect, pattern, position)
    words = frozenset([token.text.upper() for token in first])
    if "unknown_keywords" in dialect_of(dialect).parsing.tokens:
        first, own_shape = without_unknown_keywords(first, own_shape)
    own_calls = mark_calls(first, own_shape, dialect)
    tree, fault = parsed(sql, first, own_shape, dialect)
    if not isinstance(tree, exp.Query):
        again = _parsed_again(text, tree)
        if again is not None and again.tree is not None:
            return again
    in_order = is_orderly(own_shape)
    has_more = len(tokens) > len(first) + 1
    return Statement(
        *(sql, dialect, first, tree, own_shape, tokens, shape),
        *(words, in_order, own_calls, fault, has_more, tree.__class__ is exp.Command),
    )


def _parsed_again(text: TokenizedText, tree: exp.Expr | None) -> Statement | None:
    """Parse with other tokens what is not a query; None where there are none to try."""
    other = freed(text, grammar_of(text.dialect).words_as_calls) if tree is None else None
    if isinstance(tree, exp.Command):
        other = with_replace_as_insert(text) or without_explain(text)
    return None if other is None else parse(other)


def parsed(
    sql: str, tokens: tuple[Token, ...], shape: str, dialect: str
) -> tuple[exp.Expr | None, SyntaxFault | None]:
    """Return the tree, or where the parser stopped; both if the tree is not a statement."""
    try:
        trees = _trees(sql, tokens, shape, dialect)
    except ParseError as error:
        return None, _fault(error, tokens)
    except Exception:  # noqa: BLE001 - builders of malformed calls raise TypeError and others
        return None, SyntaxFault("the statement cannot be parsed")
    return first_tree(trees, tokens)


def first_tree(
    trees: Sequence[exp.Expr | None], tokens: tuple[Token, ...]
) -> tuple[exp.Expr | None, SyntaxFault | None]:
    """Return the tree of the first statement, with a fault if it is not a statement."""
    tree = trees[0] if trees else None
    if isinstance(tree, exp.Query):
        return tree, None
    if isinstance(tree, exp.Block):
        tree = next(iter(tree.expressions), None)
    return tree, None if is_statement(tree) else _fault_at("this is not a statement", tokens[0])


def _trees(sql: str, tokens: Sequence[Token], shape: str, dialect: str) -> list[exp.Expr | None]:
    """Parse; on failure parse again with the workarounds for valid SQL that sqlglot rejects.

    A VALUES list used as a query in MySQL is parsed without a dialect.
    """
    quirks = dialect_of(dialect).parsing.tokens
    if "change_modifiers" in quirks and shape[:1] in CHANGES:
        tokens = without_modifiers(tokens)
    elif "bracketed_inserts" in quirks and shape[:1] in CHANGES:
        tokens = without_parentheses_of_inserted(tokens, shape)
    if "values_query" in quirks and _VALUES_ROW.search(shape):
        tokens = without_row_constructors(tokens, shape)
    if "parameters" in quirks and BEHIND_PARAMETERS in shape:
        tokens = without_parameters(tokens, shape)
        shape = shape_of(tokens)
    if "lambda_calls" in quirks and "lambda" in sql:
        tokens = with_arrows(tokens, shape)
        shape = shape_of(tokens)
    if "bare_parameters" in quirks and ARROW in shape:
        tokens = with_parameters_in_parentheses(tokens, shape)
    if "bare_rows" in quirks and _VALUES in shape:
        tokens = with_last_row_in_parentheses(tokens, shape)
        shape = shape_of(tokens)
    if "pipes" in quirks and PIPE in shape:
        trees = _trees_again(sql, without_pipes(tokens, dialect), shape, dialect)
        with_names_of_pipes(trees)
        return trees
    return _trees_again(sql, tokens, shape, dialect)


def _trees_again(
    sql: str, tokens: Sequence[Token], shape: str, dialect: str
) -> list[exp.Expr | None]:
    quirks = dialect_of(dialect).parsing.tokens
    try:
        return grammar_of(dialect).trees(tokens, sql)
    except ParseError:
        if "values_query" in quirks and _VALUES_QUERY.search(shape):
            return grammar_of("").trees(tokens, sql)
        again = rewritten(tokens, dialect)
        if again is None:
            raise
        return grammar_of(dialect).trees(again, sql)


_VALUES: Final = spelled("VALUES")
_VALUES_QUERY: Final = re.compile(spelled(r"(?:\A|open) VALUES [ROW STRUCT]? open"))
_VALUES_ROW: Final = re.compile(spelled("VALUES [ROW STRUCT] open"))


def first_statement(tokens: tuple[Token, ...], shape: str) -> tuple[tuple[Token, ...], str]:
    """Return the first statement, without the semicolons around it, and its shape."""
    begin = len(shape) - len(shape.lstrip(SEMICOLON))
    end = shape.find(SEMICOLON, begin)
    own = slice(begin, None if end < 0 else end)
    return tokens[own], shape[own]


def mark_calls(tokens: Sequence[Token], shape: str, dialect: str) -> tuple[Token, ...]:
    """Mark the end of each call; return the names of those that sqlglot reads its own way."""
    grammar = grammar_of(dialect)
    read_apart: list[Token] = []
    for name, end in grammar.calls(shape):
        if tokens[name].text.upper() in grammar.own_calls:
            read_apart.append(tokens[name])
        elif not _is_array_with_subscript(tokens, name, end):
            tokens[end].comments.append(exp.SQLGLOT_ANONYMOUS)
    return tuple(read_apart)


def _is_array_with_subscript(tokens: Sequence[Token], name: int, end: int) -> bool:
    """Return whether a call is `array(a, b)[0]`; sqlglot forgets a and b of one that is marked."""
    after = tokens[end + 1].token_type if end + 1 < len(tokens) else None
    return after is TokenType.L_BRACKET and tokens[name].text.upper() == "ARRAY"


def is_statement(tree: exp.Expr | None) -> bool:
    """Return whether a tree is a statement: sqlglot also parses a bare expression."""
    if tree is None or isinstance(tree, exp.Query):
        return True
    return not isinstance(tree, (exp.Condition, exp.Alias, exp.Aliases, exp.Tuple, exp.Identifier))


def _fault(error: ParseError, tokens: Sequence[Token]) -> SyntaxFault:
    place = error.errors[0] if error.errors else {}
    line, column = place.get("line"), place.get("col")
    for token in tokens:
        if token.line == line and token.col == column:
            return _fault_at("the statement cannot be parsed", token)
    return SyntaxFault("the statement cannot be parsed")


def _fault_at(message: str, token: Token) -> SyntaxFault:
    """Name a place in the text. Literals are never quoted: they may contain personal data."""
    near = "a literal" if token.token_type in LITERALS else token.text
    return SyntaxFault(f"{message} near {near}", token.start, token.end + 1)


class Grammar:
    """The grammar of one dialect, with idle parsers: creating one costs as much as several rules.

    A parser is used by one thread at a time.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        grammar = dialect.parser_class
        self.words_as_calls: Final = frozenset(grammar.NO_PAREN_FUNCTION_PARSERS)
        """Words that sqlglot reads as calls without parentheses."""
        listed = self.words_as_calls & {"TRANSFORM"}
        self.own_calls: Final = frozenset(grammar.FUNCTION_PARSERS) | {"IF", "MAP"} | listed
        """Calls that sqlglot reads with a grammar of their own."""
        self.calls: Final = _finder_of_calls(letters_of(grammar.FUNC_TOKENS - _CONNECTORS))
        """Returns the calls in a shape: the name of each, and the parenthesis that ends it."""
        self._parsers: list[Parser] = []

    def trees(self, tokens: Iterable[Token], sql: str) -> list[exp.Expr | None]:
        """Parse tokens.

        Raises:
            ParseError: the grammar rejects them.
            Exception: whatever the builder of a malformed call raises.
        """
        try:
            parser = self._parsers.pop()
        except IndexError:
            parser = self._dialect.parser()
        _parsing.is_ours = True
        try:
            return parser.parse([*tokens], sql)
        finally:
            _parsing.is_ours = False
            parser.reset()
            self._parsers.append(parser)


@lru_cache(maxsize=64)
def grammar_of(dialect: str) -> Grammar:
    """Return the grammar of a dialect by sqlglot's name."""
    return Grammar(Dialect.get_or_raise(dialect_of(dialect).parsing.grammar or dialect))


_CONNECTORS: Final = kinds("AND OR")
"""Operators that sqlglot also reads as calls in some dialects: `a AND (b)` is none."""
_EXISTS: Final = "EXISTS open [TABLE VALUES open]"
"""EXISTS before a query without SELECT (`EXISTS (TABLE t)`), which sqlglot reads as a call."""
_BEFORE_TYPES: Final = "[ALIAS DCOLON]"
"""Tokens before the name of a type: `CAST(x AS char(3))`, `x::char(3)`."""
_OF_TYPES: Final = letters_of(kinds("ALIAS DCOLON"))
_IN_QUERIES: Final = "[SELECT WITH VALUES open]"
"""What follows the parenthesis of `WITH t AS MATERIALIZED (SELECT …)`, which is no type."""
_TYPE: Final = -1
"""In place of the name of a call: a type with others inside (`Array(Tuple(a Int8))`)."""


def _finder_of_calls(names: str) -> Callable[[str], tuple[tuple[int, int], ...]]:
    calls_and_parentheses = re.compile(
        spelled(
            f"(?<!{_BEFORE_TYPES}) (?!{_EXISTS}) [{names}] open"
            f"|(?<={_BEFORE_TYPES}) [{names}] open(?! {_IN_QUERIES})|open|close"
        )
    )

    @kept_by_shape
    def calls(shape: str) -> tuple[tuple[int, int], ...]:
        opened: list[int | None] = []
        found: list[tuple[int, int]] = []
        for match in calls_and_parentheses.finditer(shape):
            begin, end = match.span()
            if shape[begin] == CLOSE:
                name = opened.pop() if opened else None
                if name is not None and name != _TYPE:
                    found.append((name, begin))
            elif (begin and shape[begin - 1] in _OF_TYPES) or opened[-1:] == [_TYPE]:
                opened.append(_TYPE if end - begin > 1 else None)
            else:
                opened.append(begin if end - begin > 1 else None)
        return tuple(found)

    return calls


class _Parsing(threading.local):
    """Whether this thread is parsing for us."""

    is_ours = False


_parsing = _Parsing()
# sqlglot logs statements that it keeps as text, literals included, to the application's log
logging.getLogger("sqlglot").addFilter(lambda _: not _parsing.is_ours)


_SELECT: Final = "SELECT (?:FROM (?:JOIN [ON USING])*+)?+"
_QUERY: Final = (
    f"(?:{_SELECT} set_operation)*+ {_SELECT} WHERE?+ GROUP_BY?+ HAVING?+ ORDER_BY?+ LIMIT?+"
)
_INSIDE: Final = re.compile(
    spelled(
        "[open close SELECT FROM JOIN ON USING WHERE GROUP_BY HAVING WINDOW QUALIFY ORDER_BY LIMIT"
        " OFFSET FETCH UNION INTERSECT EXCEPT]+"
    )
)
_WITHIN: Final = re.compile(spelled(f"open (?:{_QUERY})?+ close"))
_WHOLE: Final = re.compile(spelled(_QUERY))
_LEVELS: Final = 8
"""Statements nested deeper are left to the rules."""


@kept_by_shape
def is_orderly(shape: str) -> bool:
    """Return whether clauses, joins and parentheses are certainly in order; else the rules decide.

    Most statements are, so that the three rules for these faults need not run. Parentheses that are
    empty, or contain an ordered query, are removed until none is left.
    """
    skeleton = "".join(_INSIDE.findall(shape))
    for _ in range(_LEVELS):
        if OPEN not in skeleton:
            break
        skeleton = _WITHIN.sub("", skeleton)
    return _WHOLE.fullmatch(skeleton) is not None
