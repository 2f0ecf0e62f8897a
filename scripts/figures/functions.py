"""The length of functions, and how often `Any` is annotated."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scripts.figures.sources import Module


@dataclass(frozen=True)
class Lengths:
    """How long functions are, in lines of the body after the docstring."""

    number: int
    median: float
    p90: float
    longest: int
    longest_at: str


def lengths(modules: Iterable[Module]) -> Lengths:
    """Measure all functions and methods, nested ones too; signatures are not counted."""
    found = sorted(
        (_length(node), f"{module.path}:{node.lineno} {node.name}")
        for module in modules
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node)
    )
    sizes = [size for size, _ in found]
    return Lengths(
        len(sizes), median(sizes), quantiles(sizes, n=10, method="inclusive")[-1], *found[-1]
    )


def anys(modules: Iterable[Module]) -> int:
    """Return how often `Any` is written; the import of the name is not counted."""
    return sum(
        (isinstance(node, ast.Name) and node.id == "Any")
        or (isinstance(node, ast.Attribute) and node.attr == "Any")
        for module in modules
        for node in module.nodes
    )


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a body, blank lines and comments included; 0 if it is a docstring."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if has_docstring else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
