"""Tables of token kinds for loops over tokens.

A kind is a member of an IntEnum, whose hash is computed in Python: looking it up in a set costs
five times as much as indexing a table with it, and the rules look at every token many times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIZE = max(TokenType) + 1


def table_of(kinds: Iterable[TokenType]) -> tuple[bool, ...]:
    """Return a table that is true at the given kinds, to be indexed with a kind."""
    members = {int(kind) for kind in kinds}
    return tuple(place in members for place in range(_SIZE))
