"""One look at every node of a tree: its nodes by class."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    Nodes = Mapping[type[exp.Expr], list[exp.Expr]]
    """Every node of a tree, by its class."""


def nodes_of(tree: exp.Expr) -> Nodes:
    """Return every node below a tree by its class, without recursion: it may be deep."""
    nodes: defaultdict[type[exp.Expr], list[exp.Expr]] = defaultdict(list)
    for node in tree.dfs():
        nodes[node.__class__].append(node)
    nodes.default_factory = None
    return nodes
