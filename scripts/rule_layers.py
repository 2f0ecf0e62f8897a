"""The layers of the rules in pyproject.toml: a new rule needs no entry of its own there.

A rule may import what several rules share, and rules may not import each other in a circle.
`python -m scripts.docs` writes the layers from the imports.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.figures.imports import imports
from scripts.figures.sources import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]
PROJECT = ROOT / "pyproject.toml"
_PACKAGE = "sqlobs.check.rules"
_LAYERS = re.compile(
    rf'(?<=^containers = \["{re.escape(_PACKAGE)}"\]\nexhaustive = true\nlayers = \[\n).*?(?=^\]$)',
    re.MULTILINE | re.DOTALL,
)
"""The lines between `layers = [` and `]` of the contract."""


def project_with_layers() -> str:
    """Return the text of pyproject.toml with the layers that follow from the imports."""
    prefix = f"{_PACKAGE}."
    graph = {
        name.removeprefix(prefix): {one.removeprefix(prefix) for one in targets if prefix in one}
        for name, targets in imports(Source.read(ROOT)).items()
        if name.startswith(prefix)
    }
    layers: dict[int, list[str]] = {}
    for name in sorted(graph):
        layers.setdefault(_height(name, graph), []).append(name)
    lines = [f'  "{" | ".join(layers[height])}",\n' for height in sorted(layers, reverse=True)]
    return _LAYERS.sub("".join(lines), PROJECT.read_text(encoding="utf-8"))


def _height(name: str, graph: Mapping[str, set[str]]) -> int:
    """Return the longest chain of imports below a rule, as the number of imports."""
    return max((1 + _height(below, graph) for below in graph[name]), default=0)
