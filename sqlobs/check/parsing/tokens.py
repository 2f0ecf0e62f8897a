"""Tokens of a text as its engine reads them, and token patterns.

A token pattern is a regular expression over the shape of a statement: one letter for each token. It
finds sequences of tokens without a loop in Python; the position of a match is the index of its
first token.

Tests: `tests/check/test_forms.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import islice
from typing import Final, TypeVar

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from sqlobs.dialects.registry import dialect_of

Finder = Callable[[str], tuple[tuple[str, int, int], ...]]
"""Returns (name, first token, end) of each match in a shape."""

T = TypeVar("T")

_FIRST: Final = 0x100
"""Offset of the letters: none of them is special in a regular expression."""
MOST_KEPT: Final = 2048
LONGEST_KEPT: Final = 512
"""Results are cached for this many shapes, of this many tokens at most."""
_LETTERS: Final = tuple(chr(_FIRST + number) for number in range(max(TokenType) + 1))


def shape_of(tokens: Iterable[Token]) -> str:
    """Return the kinds of tokens as a text with one letter for each token.

    >>> from sqlglot import tokenize
    >>> letter_of(TokenType.SELECT) + letter_of(TokenType.NUMBER) == shape_of(tokenize("SELECT 1"))
    True
    """
    return "".join([_LETTERS[token.token_type] for token in tokens])


def kept_by_shape(compute: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the result of a function by shape: statements of one shape are frequent.

    Results for long shapes are not cached, to bound memory.
    """
    kept = lru_cache(maxsize=MOST_KEPT)(compute)

    @wraps(compute)
    def cached(shape: str) -> T:
        return kept(shape) if len(shape) <= LONGEST_KEPT else compute(shape)

    return cached


def finder(patterns: Mapping[str, str]) -> Finder:
    """Return a function that finds named patterns in a shape."""
    pattern = re.compile("|".join(f"(?P<{name}>{one})" for name, one in patterns.items()))

    @kept_by_shape
    def found(shape: str) -> tuple[tuple[str, int, int], ...]:
        return tuple([(str(one.lastgroup), *one.span()) for one in pattern.finditer(shape)])

    return found


def count_up_to(most: int, pattern: re.Pattern[str], shape: str) -> int:
    """Count the matches of a pattern, up to `most`."""
    return sum(1 for _ in islice(pattern.finditer(shape), most))


def letter_of(kind: TokenType) -> str:
    """Return the letter of a token kind."""
    return _LETTERS[kind]


def letters_of(kinds: Iterable[TokenType]) -> str:
    """Return the letters of token kinds."""
    return "".join(map(letter_of, kinds))


def kinds(words: str) -> frozenset[TokenType]:
    """Return the token kinds that a text lists: `kinds("SELECT GROUP_BY")`."""
    return frozenset(TokenType[word] for word in words.split())


def spelled(shape: str) -> str:
    r"""Translate a token pattern into a regular expression over the shape of a statement.

    The notation is a regular expression in which words in capitals are sqlglot's kinds of tokens,
    and words in lower case the groups below. Spaces are ignored.

    >>> from sqlglot import tokenize
    >>> bool(re.search(spelled(r"LIMIT NUMBER (?=sign|\Z)"), shape_of(tokenize("LIMIT 1"))))
    True
    """
    return _WORD.sub(lambda found: _letters(found[0]), shape).replace(" ", "")


def _letters(word: str) -> str:
    return spelled(_GROUPS[word]) if word.islower() else letter_of(TokenType[word])


_WORD: Final = re.compile("[A-Z_]{2,}|[a-z_]{2,}")
_STRINGS: Final = (
    "STRING BIT_STRING HEX_STRING BYTE_STRING NATIONAL_RAW_STRING NATIONAL_STRING RAW_STRING"
    " HEREDOC_STRING UNICODE_STRING"
)
_GROUPS: Final = {
    "open": "L_PAREN",
    "close": "R_PAREN",
    "in_bracket": "[^open close SELECT]",
    "no_bracket": "[^open close]",
    "list": "open in_bracket+ close",
    "name": "[VAR IDENTIFIER]",
    "joined": "[VAR IDENTIFIER DOT ALIAS]",
    "named_relation": "[FROM JOIN] joined* name",
    "literal": "[STRING NUMBER BIT_STRING HEX_STRING BYTE_STRING NATIONAL_STRING RAW_STRING]",
    "strings": _STRINGS,
    "literals": f"NUMBER {_STRINGS}",
    "moment": "[DATE TIME TIMESTAMP TIMESTAMPTZ DATETIME]",
    "sign": "[PLUS DASH]",
    "percent": "[PERCENT MOD]",
    "rows": "[ROW ROWS]",
    "direction": "[ASC DESC]",
    "set_operation": "[UNION INTERSECT EXCEPT]",
    "value_start": "[SELECT DISTINCT WHERE AND OR ON FROM JOIN DOT EQ GROUP_BY ORDER_BY open]",
    "value_end": "[VAR IDENTIFIER close STRING NUMBER]",
    "behind_value": "[COMMA close FROM ALIAS AND OR GROUP_BY ORDER_BY LIMIT]",
    "before_star": "[SELECT COMMA open ORDER_BY GROUP_BY HAVING WHERE THEN ELSE"
    " SLASH PLUS DASH STAR]",
    "before_query": "[ALIAS FROM JOIN IN]",
    "with_again": "close (?:WITH|COMMA (?:WITH|RECURSIVE))",
}
"""Token patterns with a name; those without brackets are members of a set: `[^literals]`."""
OPEN: Final = spelled("open")
CLOSE: Final = spelled("close")
"""The letters of parentheses."""
SET_OPERATIONS: Final = kinds("UNION INTERSECT EXCEPT")
OPENING_BRACKETS: Final = kinds("L_PAREN L_BRACKET L_BRACE")
CLOSING_BRACKETS: Final = kinds("R_PAREN R_BRACKET R_BRACE")
OPENING: Final = OPENING_BRACKETS | {TokenType.CASE}
CLOSING: Final = CLOSING_BRACKETS | {TokenType.END}
"""Tokens that enclose one level of nesting."""
LITERALS: Final = kinds(f"NUMBER {_STRINGS}")
SEMICOLON: Final = spelled("SEMICOLON")
"""The separator of statements."""


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Where parsing stopped, and the message."""

    message: str
    start: int | None = None
    end: int | None = None


@dataclass(slots=True, eq=False)
class TokenizedText:
    """A text with its tokens; without tokens where a quote or comment is not closed."""

    sql: str
    dialect: str
    tokens: tuple[Token, ...]
    shape: str
    """One letter for each token, see the docstring of `tokens`."""
    fault: SyntaxFault | None = None

    def with_tokens(self, tokens: tuple[Token, ...]) -> TokenizedText:
        """Return the text with other tokens."""
        return TokenizedText(self.sql, self.dialect, tokens, shape_of(tokens))


def tokenize(sql: str, dialect: str, *, ansi_quotes: bool = False) -> TokenizedText:
    """Tokenize a text; with `ansi_quotes`, MySQL reads `"a"` as a name."""
    try:
        tokens = tuple(_tokens(sql, dialect, ansi_quotes=ansi_quotes))
    except TokenError:
        message = "the text cannot be tokenized: a quote or comment is not closed"
        return TokenizedText(sql, dialect, (), "", SyntaxFault(message))
    return TokenizedText(sql, dialect, tokens, shape_of(tokens))


def _tokens(sql: str, dialect: str, *, ansi_quotes: bool) -> list[Token]:
    quirks = dialect_of(dialect).parsing.tokens
    if "backticked_names" in quirks and "`" in sql:
        sql = _requoted(sql, _BACKTICKED, '"')
    elif "executed_comments" in quirks and ("/*!" in sql or "/*M!" in sql):
        sql = _with_executed_comments(sql)
    elif ansi_quotes and '"' in sql:
        sql = _requoted(sql, _DOUBLE_QUOTED, "`")
    elif "unicode_signs" in quirks and not sql.isascii():
        sql = _UNICODE_SIGNS.sub(_with_ascii_sign, sql)
    if "inner_array_joins" in quirks and ("nner" in sql or "NNER" in sql):
        sql = _INNER_ARRAY.sub("     ", sql)
    if "hexadecimal_fractions" in quirks and ("0x" in sql or "0X" in sql):
        sql = _HEXADECIMAL.sub(lambda found: "1." + "0" * (len(found[0]) - 2), sql)
    tokens = tokenized(sql, dialect)
    # The pattern alone would cost every statement as much as a rule.
    if "calls_of_list" in quirks and "list" in sql.lower() and _LIST_CALL.search(sql):
        return _with_calls_of_list(tokens)
    if "keyword_calls" in quirks and _KEYWORD_CALL.search(sql):
        return _with_keyword_calls(tokens)
    if "normalized_tests" in quirks and "NORMALIZED" in sql.upper():
        return _with_tests_for_null(tokens)
    return tokens


def tokenized(sql: str, dialect: str) -> list[Token]:
    """Tokenize a text as sqlglot does; an idle tokenizer is used again: creating one is slow.

    Raises:
        TokenError: a quote or comment is not closed.
    """
    grammar, idle = _tokenizers(dialect)
    try:
        tokenizer = idle.pop()
    except IndexError:
        tokenizer = grammar.tokenizer()
    try:
        return tokenizer.tokenize(sql)
    finally:
        tokenizer.tokenize("")  # forgets the text
        idle.append(tokenizer)


@lru_cache(maxsize=64)
def _tokenizers(dialect: str) -> tuple[Dialect, list[Tokenizer]]:
    return Dialect.get_or_raise(dialect), []


def with_replace_as_insert(text: TokenizedText) -> TokenizedText | None:
    """Tokenize `REPLACE INTO …` like INSERT: sqlglot keeps what follows REPLACE as text.

    None: it is another statement.
    """
    first, quirks = text.tokens[0], dialect_of(text.dialect).parsing.tokens
    is_insert = "replace_without_into" in quirks or _INTO.match(text.sql, first.end + 1)
    if first.token_type is not TokenType.REPLACE or not is_insert:
        return None
    sql = f"{text.sql[: first.start]}INSERT {text.sql[first.end + 1 :]}"
    again = tokenize(sql, text.dialect)
    if again.fault is not None:
        return None
    return text.with_tokens((token_as(TokenType.INSERT, first.text, first), *again.tokens[1:]))


def without_explain(text: TokenizedText) -> TokenizedText | None:
    """Tokenize the query of `EXPLAIN SELECT …`, where the engine resolves its names.

    None: it is another statement.
    """
    found = _EXPLAIN.match(text.sql)
    if found is None or "explained_queries" not in dialect_of(text.dialect).parsing.tokens:
        return None
    again = tokenize(" " * found.end() + text.sql[found.end() :], text.dialect)
    return None if again.fault is not None else text.with_tokens(again.tokens)


def token_as(kind: TokenType, text: str, place: Token) -> Token:
    """Return a token of another kind at the position of `place`."""
    return Token(kind, text, place.line, place.col, place.start, place.end)


_EXPLAIN: Final = re.compile(
    r"\s*explain\s+(?:(?:extended|formatted|codegen|cost)\s+)?(?=(?:select|with|values)\b|\()",
    re.IGNORECASE,
)
_INTO: Final = re.compile(r"\s+into\b", re.IGNORECASE)
_HEXADECIMAL: Final = re.compile(r"\b0[xX][\da-fA-F_]*\.?[\da-fA-F_]*[pP][-+]?\d+")
"""`0x1p-1022`, in which sqlglot reads a name."""
_INNER_ARRAY: Final = re.compile(r"\binner(?=\s+array\s+join\b)", re.IGNORECASE)
"""`INNER ARRAY JOIN tags`, in which sqlglot reads a table; the same as without INNER."""
_LIST_CALL: Final = re.compile(r"\blist\s*\(", re.IGNORECASE)


def _with_calls_of_list(tokens: Sequence[Token]) -> list[Token]:
    """Rename `list` to its synonym `array_agg` before a subscript.

    sqlglot drops the `x` of `list(x)[1]`, but keeps that of `array_agg(x)[1]`.
    """
    kept, opened = list(tokens), []
    for place, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(place - 1)
        elif token.token_type is TokenType.R_PAREN and opened:
            called, after = opened.pop(), tokens[place + 1 : place + 2]
            is_list = called >= 0 and tokens[called].token_type is TokenType.LIST
            if is_list and after and after[0].token_type is TokenType.L_BRACKET:
                kept[called] = token_as(TokenType.VAR, "array_agg", tokens[called])
                kept[called].comments.extend(tokens[called].comments)
    return kept


def _with_keyword_calls(tokens: Sequence[Token]) -> list[Token]:
    """Make a name of the word in `window(a, '1 hour')`, `SELECT window` and `any(a)`.

    They are no clause and, unlike in `a LIKE ANY ('b')`, no quantifier.
    """
    before, behind = [None, *tokens[:-1]], [*tokens[1:], *tokens[-1:]]
    again = []
    for first, token, after in zip(before, tokens, behind, strict=True):
        kind, following = token.token_type, after.token_type
        if kind is TokenType.WINDOW and following not in _NAMES:
            again.append(token_as(TokenType.VAR, token.text, token))
        elif kind is TokenType.ANY and following is TokenType.L_PAREN and _is_free(first):
            # sqlglot reads the word as a quantifier, whatever its kind; a quoted name is none
            again.append(token_as(TokenType.IDENTIFIER, token.text, token))
        else:
            again.append(token)
    return again


def _is_free(before: Token | None) -> bool:
    """Return whether no operator precedes, as in `a LIKE ANY ('b')`."""
    return before is None or before.token_type not in _BEFORE_QUANTIFIER


_KEYWORD_CALL: Final = re.compile(r"\b(?:window\b|any\s*\()", re.IGNORECASE)
_NAMES: Final = kinds("VAR IDENTIFIER")
_BEFORE_QUANTIFIER: Final = kinds("LIKE ILIKE RLIKE EQ NEQ LT LTE GT GTE")
_NORMAL_FORMS: Final = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
_BEFORE_NORMALIZED: Final = frozenset({TokenType.IS, TokenType.NOT})


def _with_tests_for_null(tokens: Sequence[Token]) -> list[Token]:
    """Replace `IS NORMALIZED` and `IS NFC NORMALIZED`, unknown to sqlglot, by `IS NULL`."""
    kept: list[Token] = []
    for token in tokens:
        if token.text.upper() == "NORMALIZED":
            form = len(kept) - (bool(kept) and kept[-1].text.upper() in _NORMAL_FORMS)
            if form and kept[form - 1].token_type in _BEFORE_NORMALIZED:
                kept[form:] = [token_as(TokenType.NULL, token.text, token)]
                continue
        kept.append(token)
    return kept


_BACKTICKED: Final = re.compile(
    r"""'(?:[^']|'')*+(?:'|\Z)|"(?:[^"]|"")*+(?:"|\Z)|--[^\n]*|/\*.*?(?:\*/|\Z)
    |(?P<quoted>`[^`"]*`)""",
    re.DOTALL | re.VERBOSE,
)
"""DuckDB supports backticks as identifier quotes, sqlglot's tokenizer for DuckDB does not.

An unclosed quote extends to the end: retrying at each position would be quadratic."""


_DOUBLE_QUOTED: Final = re.compile(
    r"""'(?:[^'\\]|''|\\.)*+(?:'|\Z)|`[^`]*+(?:`|\Z)|--[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z)
    |(?P<quoted>"[^"`]*")""",
    re.DOTALL | re.VERBOSE,
)


"""With `ANSI_QUOTES`, MySQL reads double quotes as identifier quotes."""


def _requoted(sql: str, quotations: re.Pattern[str], mark: str) -> str:
    """Return a text whose quoted names have the quotes that sqlglot's tokenizer reads."""

    def with_mark(found: re.Match[str]) -> str:
        quoted = found["quoted"]
        return found[0] if quoted is None else f"{mark}{quoted[1:-1]}{mark}"

    return quotations.sub(with_mark, sql)


_UNICODE_SIGNS: Final = re.compile(
    r"""'(?:[^'\\]|''|\\.)*+(?:'|\Z)|"(?:[^"\\]|""|\\.)*+(?:"|\Z)|`[^`]*+(?:`|\Z)|--[^\n]*
    |/\*.*?(?:\*/|\Z)|\u2018(?P<text>[^\u2019]*)\u2019|\u201c(?P<name>[^\u201d]*)\u201d|(?P<minus>\u2212)
    |(?P<space>[\x85\xa0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff])""",
    re.DOTALL | re.VERBOSE,
)
"""Signs that ClickHouse reads like their ASCII ones, outside of texts, names and comments."""


def _with_ascii_sign(found: re.Match[str]) -> str:
    """Return what means the same in ASCII, of the same length."""
    if found["minus"]:
        return "-"
    if found["space"]:
        return " "
    for group, quote in (("text", "'"), ("name", '"')):
        if (inside := found[group]) is not None:
            plain = inside.replace(quote, "_").replace("\\", "_")
            return f"{quote}{plain}{quote}"
    return found[0]


_EXECUTED: Final = re.compile(
    r"""'(?:[^'\\]|''|\\.)*+(?:'|\Z)|"(?:[^"\\]|""|\\.)*+(?:"|\Z)|`[^`]*+(?:`|\Z)|--\s[^\n]*
    |\#[^\n]*|/\*(?!M?!).*?(?:\*/|\Z)|(?P<begin>/\*M?!(?P<version>\d{5,6})?)|(?P<end>\*/)""",
    re.DOTALL | re.VERBOSE,
)
_OF_MYSQL: Final = range(50_700, 100_000)
"""Versions of MySQL only: MariaDB ignores comments for them."""


def _with_executed_comments(sql: str) -> str:
    """Blank out the marks around comments that the server executes: `/*! SELECT 1 */`."""
    is_comment = False

    def blank(found: re.Match[str]) -> str:
        nonlocal is_comment
        if found["begin"]:
            is_comment = int(found["version"] or 0) in _OF_MYSQL
        if found.lastgroup not in {"begin", "version", "end"} or is_comment:
            return found[0]
        return " " * len(found[0])

    return _EXECUTED.sub(blank, sql)
