"""What a construct is: a sample that shows which engines have it, and how it is recognised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp
    from sqlglot.tokenizer_core import TokenType


@dataclass(frozen=True, slots=True)
class Construct:
    """One construct, recognised by a node of the tree."""

    name: str
    """What it is called in a message."""
    sample: str
    """A statement over `probe (x)` that is valid where the construct is; `keyed (x)` has a key."""
    node: type[exp.Expr]
    words: tuple[str, ...]
    """Upper-case tokens without which the construct cannot be there, the rarest first."""
    recognises: Callable[[exp.Expr], bool] = lambda _: True
    is_disorder: bool = False
    """Its words stand where an orderly statement has none (`Statement.is_orderly`)."""
    is_call: bool = False
    """It looks like a call: where it is not known, the engine misses a function of its name."""


@dataclass(frozen=True, slots=True)
class TokenConstruct:
    """One construct, recognised by a token."""

    name: str
    sample: str
    token: TokenType
    word: str
    """The upper-case text of the token."""


def has_part(name: str) -> Callable[[exp.Expr], bool]:
    """Return a test for a node that has an argument of this name."""
    return lambda node: bool(node.args.get(name))
