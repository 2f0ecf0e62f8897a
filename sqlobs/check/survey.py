"""One look at every node of a tree: its nodes by class, and its words without literals."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

_END: Final = ")"
_LITERAL_NODES: Final = frozenset(
    {
        exp.Literal,
        exp.National,
        exp.HexString,
        exp.BitString,
        exp.ByteString,
        exp.RawString,
        exp.UnicodeString,
    }
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is in a tree."""

    nodes: Mapping[type[exp.Expr], list[exp.Expr]]
    """Every node, by its class."""
    words: list[str]
    """The tree in prefix notation, every literal as `?`, unquoted names in lower case."""


NOTHING: Final = Survey({}, [])
"""The survey of no tree."""


def survey(tree: exp.Expr) -> Survey:
    """Look at every node below a tree, without recursion: it may be deep."""
    nodes: defaultdict[type[exp.Expr], list[exp.Expr]] = defaultdict(list)
    words: list[str] = []
    stack: list[object] = [tree]
    while stack:
        item = stack.pop()
        if not isinstance(item, exp.Expr):
            words.append(str(item))
            continue
        kind = item.__class__
        nodes[kind].append(item)
        if kind is exp.Identifier:
            words.append(item.this if item.args.get("quoted") else item.this.lower())
        elif kind in _LITERAL_NODES:
            words.append("?")
        else:
            words.append(kind.__name__)
            stack.append(_END)
            for value in item.args.values():
                if value.__class__ is list:
                    stack += value
                elif value:
                    stack.append(value)
    nodes.default_factory = None
    return Survey(nodes, words)
