"""The Python modules of a source tree: their dotted names, text and syntax trees."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOTS = {"sqlobs": "sqlobs", "collectors/sqlobs_collector": "sqlobs_collector"}
"""Folder of each product package, and the name that it is imported by."""


@dataclass(frozen=True)
class Module:
    """One module of the product."""

    name: str
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Return the module's syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Return all nodes of the syntax tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def lines(self) -> int:
        """Return the number of physical lines, as `wc -l` counts them."""
        return self.text.count("\n")

    @property
    def is_package(self) -> bool:
        """Return whether this is the `__init__.py` of a package."""
        return self.path.endswith("__init__.py")

    @property
    def package(self) -> str:
        """Return the package that the module is in; of an `__init__.py`, itself."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Source:
    """The product code of one source tree: the library and the collector, without tests."""

    root: Path
    modules: dict[str, Module]

    @classmethod
    def read(cls, root: Path) -> Source:
        """Read all modules below `root`.

        Raises:
            FileNotFoundError: `root` is not a checkout of sqlobs.
        """
        if not (root / "sqlobs" / "__init__.py").is_file():
            msg = f"{root} has no sqlobs/__init__.py. Give the root of a checkout."
            raise FileNotFoundError(msg)
        return cls(root, {module.name: module for module in _modules(root)})

    def within(self, *packages: str) -> list[Module]:
        """Return the modules of the named packages, sub-packages included."""
        return [
            module
            for module in self.modules.values()
            if any(is_within(module.name, package) for package in packages)
        ]


def is_within(name: str, package: str) -> bool:
    """Return whether `name` is the package itself or in it."""
    return name == package or name.startswith(f"{package}.")


def _modules(root: Path) -> Iterator[Module]:
    """Yield every module, the packages in the order of `ROOTS`."""
    for folder, package in ROOTS.items():
        for file in sorted((root / folder).rglob("*.py")):
            parts = (package, *file.relative_to(root / folder).with_suffix("").parts)
            name = ".".join(parts).removesuffix(".__init__")
            yield Module(name, file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
