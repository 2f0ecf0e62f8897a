"""Which functions a statement calls, by its tokens: names as the engine will read them.

The tree is no help here: it knows many functions by a class that several names share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.dialects.registry import dialect_of
from sqlobs.vocabulary import allowed_functions, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.execution.parts import Parts

_NAME: Final = re.compile(r"[^\W\d][\w$#@]*")
LITERALS: Final = {
    TokenType.STRING,
    TokenType.NUMBER,
    TokenType.BYTE_STRING,
    TokenType.HEX_STRING,
    TokenType.BIT_STRING,
    TokenType.HEREDOC_STRING,
    TokenType.RAW_STRING,
    TokenType.NATIONAL_STRING,
    TokenType.UNICODE_STRING,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function; `schema` is what stands before the dot."""

    name: str
    schema: str | None
    has_arguments: bool


def calls_in(parts: Parts, *, dialect: str) -> tuple[Call, ...]:
    """Return the calls of a statement: every name that stands before a parenthesis.

    Keywords and types are no calls, nor are names that get their columns there (`WITH t(a) AS`).
    """
    return tuple(_calls(parts, _declared_positions(parts), dialect))


def folded(token: Token, dialect: str) -> str:
    """Return a name as the engine looks it up: quotes keep capitals, but not in SQLite."""
    keeps = (
        token.token_type is TokenType.IDENTIFIER
        and not dialect_of(dialect).execution.folds_quoted_names
    )
    return token.text if keeps else token.text.lower()


def _calls(parts: Parts, declared: frozenset[int], dialect: str) -> Iterator[Call]:
    tokens, opening = parts.tokens, TokenType.L_PAREN
    for index, kind in enumerate(parts.token_kinds[1:]):
        if kind is not opening:
            continue
        token, schema = tokens[index], _schema_before(tokens, index, dialect)
        if token.start not in declared and (schema or _is_name(token, dialect)):
            closing = tokens[index + 2 : index + 3]
            yield Call(
                name=folded(token, dialect),
                schema=schema,
                has_arguments=not (closing and closing[0].token_type is TokenType.R_PAREN),
            )


def _is_name(token: Token, dialect: str) -> bool:
    if token.token_type is TokenType.IDENTIFIER:
        return True
    words = token.text.lower().split()
    if token.token_type in LITERALS or not words or not _NAME.fullmatch(words[-1]):
        return False
    is_syntax = words[-1] in listed("keywords") or words[-1] in listed("types")
    return not is_syntax or words[-1] in allowed_functions(dialect)


def _schema_before(tokens: Sequence[Token], index: int, dialect: str) -> str | None:
    if index > 1 and tokens[index - 1].token_type is TokenType.DOT:
        return folded(tokens[index - 2], dialect)
    return None


def _declared_positions(parts: Parts) -> frozenset[int]:
    aliases = (alias for alias in parts.of(exp.TableAlias) if alias.args.get("columns"))
    positions = (alias.this.meta.get("start") for alias in aliases if alias.this is not None)
    return frozenset(position for position in positions if position is not None)
