"""Keywords that sqlglot takes for something else.

Some stand where only a name can: `t.from`, `FROM values`, `SELECT 1 AS join`. sqlglot reserves them
in every position. Engines do not: their catalogs list the words that are reserved in each. Others
are unknown to sqlglot, which reads names: `SELECT TOP -1 a`.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.parsing.tokens import TokenizedText, letter_of, shape_of, spelled, token_as
from sqlobs.dialects.catalog import catalog_of

_VAR: Final = letter_of(TokenType.VAR)
_DOT: Final = letter_of(TokenType.DOT)
_WORDS: Final = (
    "FROM WHERE JOIN ON USING HAVING LIMIT OFFSET UNION SELECT PREWHERE QUALIFY AND OR XOR NOT"
    " CASE WHEN THEN ELSE ALL DISTINCT ALTER BETWEEN CREATE CROSS DESCRIBE DROP EXCEPT FETCH FOR"
    " GLOB GLOBAL GRANT ILIKE IN INNER INSERT INTERSECT INTO ISNULL LATERAL NOTNULL OUTER RETURNING"
    " REVOKE RLIKE ROLLBACK VALUES WINDOW WITH"
)
_BEHIND_TABLE: Final = (
    r"(?=\Z|[close ON USING ALIAS WHERE PREWHERE GROUP_BY ORDER_BY LIMIT JOIN UNION])"
)
_PATTERNS: Final = (
    ("DOT [^VAR IDENTIFIER STAR open literals] (?!open)", "qualified"),
    (f"ALIAS [{_WORDS} SETTINGS] (?:(?=COMMA|FROM)|{_BEHIND_TABLE})", "alias"),
    ("[SELECT open COMMA WHERE AND OR HAVING] [IN BETWEEN WHEN] (?=open)", "function"),
    ("[FROM JOIN] DICTIONARY (?=open)", "function"),
    (f"[FROM JOIN] [{_WORDS}] {_BEHIND_TABLE}", "table"),
    (f"[WITH COMMA] [{_WORDS} SETTINGS TABLE_SAMPLE] (?=ALIAS open)", "cte"),
    ("[open COMMA] [ALL DISTINCT] (?=COMMA|close|FROM)", "column"),
    (f"[{_WORDS}] (?=DOT [^NUMBER])", "qualifier"),
    ("[SELECT COMMA] [FROM INTO JOIN LATERAL LIMIT WINDOW] (?=FROM|COMMA)", "column"),
)
"""The shape around a keyword that can only be a name, and the catalog's list of the words that are
reserved there. A match ends with the keyword."""
KEYWORDS_AS_NAMES: Final = tuple((re.compile(spelled(one)), place) for one, place in _PATTERNS)
"""With the positions for `with_names`."""
ANY_KEYWORD_AS_NAME: Final = re.compile("|".join(spelled(one) for one, _ in _PATTERNS))
"""Few statements match: one search costs less than one for each pattern."""


def with_names(
    tokens: tuple[Token, ...], shape: str, dialect: str, pattern: re.Pattern[str], position: str
) -> tuple[tuple[Token, ...], str]:
    """Turn the keyword that ends each match into a name where the engine allows it.

    Patterns over the shape then do not mistake `t.from` and `AS join` for clauses.
    """
    catalog = catalog_of(dialect)
    reserved = None if catalog is None else catalog.reserved.get(position)
    if reserved is None:
        return tokens, shape
    again, letters = [*tokens], [*shape]
    for found in pattern.finditer(shape):
        place = found.end() - 1
        token = tokens[place]
        if token.text.isidentifier() and token.text.upper() not in reserved:
            again[place] = token_as(TokenType.VAR, token.text, token)
            letters[place] = _VAR
    return tuple(again), "".join(letters)


def freed(text: TokenizedText, own: frozenset[str]) -> TokenizedText | None:
    """Make names of words in the place of a value that sqlglot reserves and the engine does not.

    None: there are no such words. `own` are those that sqlglot reads as calls.
    """
    if (catalog := catalog_of(text.dialect)) is None:
        return None
    reserved, behind_dot = catalog.reserved["column"], catalog.reserved["qualified"]
    again, last, is_new = [*text.tokens], -1, False
    for found in _WORD_AS_VALUE.finditer(text.shape):
        place = found.start()
        token = again[place]
        word = token.text.upper()
        if last == place - 1 or (token.token_type is TokenType.VAR and word not in own):
            continue  # behind a name no value begins: `SELECT a, select FROM t`
        is_field = text.shape[place - 1] == _DOT
        if token.text.isidentifier() and word not in (behind_dot if is_field else reserved):
            kind = TokenType.IDENTIFIER if word in own else TokenType.VAR
            again[place] = token_as(kind, token.text, token)
            last = place
            is_new = is_new or not is_field or word in own  # `with_names` did the rest
    return text.with_tokens(tuple(again)) if is_new else None


_WORD_AS_VALUE: Final = re.compile(
    spelled(
        "(?<=[SELECT DISTINCT COMMA DOT ALIAS open WHERE AND OR NOT ON GROUP_BY ORDER_BY HAVING"
        " EQ NEQ LT LTE GT GTE PLUS DASH STAR SLASH CASE WHEN THEN ELSE BETWEEN])"
        " [^IDENTIFIER literals] (?![open STRING NUMBER])"
    )
)
"""A word in the place of a value that can only be a name: `SELECT percent FROM t`."""


_UNKNOWN: Final = re.compile(
    spelled("SELECT DISTINCT? VAR (?:DASH? NUMBER|open DASH? NUMBER close)|[EXCEPT REPLACE] VAR")
)
_TIES: Final = re.compile(spelled("WITH VAR"))


def without_unknown_keywords(
    tokens: tuple[Token, ...], shape: str
) -> tuple[tuple[Token, ...], str]:
    """Remove ClickHouse's `TOP (1) WITH TIES`, and STRICT behind EXCEPT and REPLACE."""
    again = [*tokens]
    for found in reversed(list(_UNKNOWN.finditer(shape))):
        begin, end = found.span()
        if tokens[end - 1].text.upper() == "STRICT":
            del again[end - 1]
            continue
        begin += 1 + (tokens[begin + 1].token_type is TokenType.DISTINCT)
        if tokens[begin].text.upper() == "TOP":
            ties = _TIES.match(shape, end)
            is_tied = ties is not None and tokens[end + 1].text.upper() == "TIES"
            del again[begin : end + 2 * is_tied]
    return (tokens, shape) if len(again) == len(tokens) else (tuple(again), shape_of(again))
