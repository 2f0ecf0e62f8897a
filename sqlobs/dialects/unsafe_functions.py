"""Functions, relations and files through which a query reaches beyond the tables of its database.

The lists name what is known to be harmful, for findings. They protect nothing: the gate of
`sqlobs.execution`, through which statements run, allows only known functions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeFunctions:
    """What an engine offers beyond its tables."""

    functions: frozenset[str] = frozenset()
    """Functions that read files, call other servers, change state or hold the session up."""
    packages: frozenset[str] = frozenset()
    """Packages whose functions do the same (`utl_http.request`), in lower case."""
    prefixes: tuple[str, ...] = ()
    """How the names of relations of the engine begin, in lower case."""
    opens_files: bool = False
    """A path may stand where a table may."""

    def has_function(self, name: str, package: str = "") -> bool:
        """Return whether a function reaches out, from its name and what stands before it."""
        return name.lower() in self.functions or package.lower() in self.packages


NONE: Final = UnsafeFunctions()
"""For an engine of which nothing is known."""

_PATH: Final = re.compile(
    r"[/\\]|\.(?:csv|tsv|json|jsonl|ndjson|parquet|txt|xlsx|db|gz|zst)$", re.IGNORECASE
)


def is_path(name: str) -> bool:
    """Return whether a name refers to a file: it has a separator, a scheme, or a known suffix."""
    return _PATH.search(name) is not None
