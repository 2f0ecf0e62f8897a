"""Cuts a statement into its bracket levels, so that clauses are seen apart from subqueries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

SET_OPERATIONS: Final = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})


def select_levels(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each bracket level that holds a SELECT, without its subqueries.

    A subquery leaves its two brackets in the level around it.
    """
    levels: list[list[Token]] = []
    stack: list[list[Token]] = [[]]
    for token in tokens:
        kind = token.token_type
        if kind is TokenType.R_PAREN and len(stack) > 1:
            _keep(stack.pop(), levels)
        stack[-1].append(token)
        if kind is TokenType.L_PAREN:
            stack.append([])
    for level in stack:
        _keep(level, levels)
    return levels


def _keep(level: list[Token], levels: list[list[Token]]) -> None:
    if any(token.token_type is TokenType.SELECT for token in level):
        levels.append(level)


def selects(level: Sequence[Token]) -> list[list[Token]]:
    """Cut a level at its set operations: one list for each SELECT."""
    parts: list[list[Token]] = [[]]
    for place, token in enumerate(level):
        after_star = place > 0 and level[place - 1].token_type is TokenType.STAR
        if token.token_type in SET_OPERATIONS and not after_star:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
