"""The tokens and nodes of a statement by their kinds, so that each question looks at a few of them.

Tests: `tests/execution/test_gate.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

    Node = TypeVar("Node", bound=exp.Expr)


class Parts:
    """What a statement consists of."""

    def __init__(self, tree: exp.Expr, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.token_kinds = [token.token_type for token in tokens]
        self.nodes = tuple(tree.walk())
        """Those of its tree, the root first."""
        self.by_kind: dict[type, list[exp.Expr]] = {}
        for node in self.nodes:
            kind: type = type(node)
            if kind in self.by_kind:
                self.by_kind[kind].append(node)
            else:
                self.by_kind[kind] = [node]

    def release(self) -> None:
        """Cut the nodes apart, so that they are freed now.

        Each knows its parent: such a tree lives until the next garbage collection, and the next
        statement's tree gets memory that is in no cache of the processor.
        """
        for node in self.nodes:
            node.parent = None

    def of(self, kind: type[Node]) -> list[Node]:
        """Return the nodes of a kind or of a kind below it."""
        above: type = kind
        return [node for own in self.by_kind if _is_a(own, above) for node in self.by_kind[own]]  # type: ignore[misc]  # as `_is_a` says

    def counts(self) -> dict[type, int]:
        """Return how many nodes of each kind there are."""
        return {kind: len(nodes) for kind, nodes in self.by_kind.items()}


@lru_cache(maxsize=4096)
def _is_a(kind: type, above: type) -> bool:
    return issubclass(kind, above)
