"""Imports that run: who imports whom, cycles, layers contracts, modules with one importer.

An import runs when it is not below `if TYPE_CHECKING`. Imports inside functions run too.
`from package import module` is an import of the module; that of `package/__init__.py`, which Python
runs on the way, is not counted.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scripts.figures.sources import Module, Source

_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
Graph: TypeAlias = "Mapping[str, frozenset[str]]"


@dataclass(frozen=True)
class Cycle:
    """Modules that all import each other, directly or through others."""

    package: str
    modules: tuple[str, ...]


def imports(source: Source, *, with_annotations: bool = False) -> dict[str, frozenset[str]]:
    """Return what each module imports of the product.

    Args:
        source: the source tree.
        with_annotations: count imports below `if TYPE_CHECKING` too.
    """
    return {
        module.name: frozenset(_targets(module, source, with_annotations)) - {module.name}
        for module in source.modules.values()
    }


def cycles(graph: Graph) -> list[Cycle]:
    """Return the strongly connected components of more than one module, the largest first."""
    found = [component for component in _components(graph) if len(component) > 1]
    return [
        Cycle(_common_package(component), tuple(sorted(component)))
        for component in sorted(found, key=len, reverse=True)
    ]


def uncontracted(source: Source, graph: Graph) -> tuple[list[str], list[str]]:
    """Return the packages whose parts import each other, and those of them without a contract.

    A part is a direct child of the package: a module, or a sub-package with everything in it. A
    contract counts when it is one of import-linter's kind `layers`, and exhaustive.
    """
    project = tomllib.loads((source.root / "pyproject.toml").read_text(encoding="utf-8"))
    contracted = {
        container
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and contract.get("exhaustive")
        for container in contract.get("containers", ())
    }
    packages = [module.name for module in source.modules.values() if module.is_package]
    layered = [package for package in packages if _has_inner_imports(package, graph)]
    return layered, [package for package in layered if package not in contracted]


def single_importers(source: Source, graph: Graph) -> list[str]:
    """Return the modules that exactly one other module imports; packages are not counted."""
    importers = Counter(target for targets in graph.values() for target in targets)
    return [
        name
        for name, number in importers.items()
        if number == 1 and not source.modules[name].is_package
    ]


def _targets(module: Module, source: Source, with_annotations: bool) -> Iterator[str]:  # noqa: FBT001
    """Yield the product modules that the module imports."""
    for node in _running(module.tree, with_annotations=with_annotations):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in source.modules)
        elif isinstance(node, ast.ImportFrom) and node.module in source.modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in source.modules else node.module


def _running(tree: ast.AST, *, with_annotations: bool) -> Iterator[ast.AST]:
    """Yield all statements, without those below `if TYPE_CHECKING` unless `with_annotations`."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        is_left_out = isinstance(node, ast.If) and _is_type_checking(node.test)
        for name in ("orelse",) if is_left_out and not with_annotations else _BLOCKS:
            pending.extend(getattr(node, name, ()))


def _is_type_checking(test: ast.expr) -> bool:
    """Return whether a condition is `TYPE_CHECKING` or `typing.TYPE_CHECKING`."""
    return ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _has_inner_imports(package: str, graph: Graph) -> bool:
    """Return whether one part of the package imports another."""
    prefix = f"{package}."
    return any(
        target.startswith(prefix) and _part(name, prefix) != _part(target, prefix)
        for name, targets in graph.items()
        if name.startswith(prefix)
        for target in targets
    )


def _part(name: str, prefix: str) -> str:
    """Return the direct child of a package that a module belongs to."""
    return name.removeprefix(prefix).partition(".")[0]


def _common_package(names: Iterable[str]) -> str:
    """Return the innermost package that holds all modules."""
    levels = zip(*(name.split(".")[:-1] for name in names), strict=False)
    return ".".join(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _components(graph: Graph) -> Iterator[list[str]]:
    """Yield the strongly connected components (Kosaraju: by finishing order, then backwards)."""
    backwards: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets:
            backwards[target].add(name)
    seen: set[str] = set()
    order = [name for start in graph for name in _finished(start, graph, seen)]
    seen = set()
    for start in reversed(order):
        if component := list(_finished(start, backwards, seen)):
            yield component


def _finished(start: str, graph: Mapping[str, Iterable[str]], seen: set[str]) -> Iterator[str]:
    """Yield what can be reached and was not seen, each module after those that it leads to."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(graph[start]))]
    while path:
        unseen = next((target for target in path[-1][1] if target not in seen), None)
        if unseen is None:
            yield path.pop()[0]
        else:
            seen.add(unseen)
            path.append((unseen, iter(graph[unseen])))
