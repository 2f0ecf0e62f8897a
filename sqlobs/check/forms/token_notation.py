"""The notation of token patterns: a regular expression with words for kinds of tokens."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.parsing.token_pattern import letter_of


def spelled(shape: str) -> str:
    r"""Translate a token pattern into a regular expression over the shape of a statement.

    Words in capitals are sqlglot's kinds of tokens, words in small letters the groups below.
    Spaces are ignored.

    >>> from sqlglot import tokenize
    >>> from sqlobs.check.parsing.token_pattern import shape_of
    >>> bool(re.search(spelled(r"LIMIT NUMBER (?=sign|\Z)"), shape_of(tokenize("LIMIT 1"))))
    True
    """
    return _WORD.sub(lambda found: _letters(found[0]), shape).replace(" ", "")


def _letters(word: str) -> str:
    return spelled(_GROUPS[word]) if word.islower() else letter_of(TokenType[word])


_WORD: Final = re.compile("[A-Z_]{2,}|[a-z_]{2,}")
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
    "moment": "[DATE TIME TIMESTAMP TIMESTAMPTZ DATETIME]",
    "sign": "[PLUS DASH]",
    "percent": "[PERCENT MOD]",
    "rows": "[ROW ROWS]",
    "direction": "[ASC DESC]",
    "value_start": "[SELECT DISTINCT WHERE AND OR ON FROM JOIN DOT EQ GROUP_BY ORDER_BY open]",
    "value_end": "[VAR IDENTIFIER close STRING NUMBER]",
    "behind_value": "[COMMA close FROM ALIAS AND OR GROUP_BY ORDER_BY LIMIT]",
    "before_star": "[SELECT COMMA open ORDER_BY GROUP_BY HAVING WHERE THEN ELSE"
    " SLASH PLUS DASH STAR]",
    "before_query": "[ALIAS FROM JOIN IN]",
    "with_again": "close (?:WITH|COMMA (?:WITH|RECURSIVE))",
}
