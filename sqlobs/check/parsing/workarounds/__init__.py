"""Rewrites the tokens of valid SQL that sqlglot fails to parse, by engine.

Rewriting may change results but never names; the tree is not executed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.workarounds import arguments, limits
from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token

    Reading = Callable[[list[Token]], list[Token]]


def reread(tokens: Sequence[Token], dialect: str) -> list[Token] | None:
    """Return the rewritten tokens; None if no workaround applies."""
    again = [*tokens]
    for reading in (*_rewritings(dialect), *_COMMON):
        again = reading(again)
    return again if again != [*tokens] else None


_COMMON: Final[tuple[Reading, ...]] = (
    arguments.with_bracketed_arguments,
    limits.with_product_for_remainder,
)
"""Workarounds for every dialect."""


@cache
def _rewritings(dialect: str) -> tuple[Reading, ...]:
    """Return the workarounds of a dialect, from the module that it names."""
    name = dialect_of(dialect).parsing.reparse
    if not name:
        return ()
    found: tuple[Reading, ...]
    found = import_module(f"sqlobs.check.parsing.workarounds.{name}").READINGS
    return found
