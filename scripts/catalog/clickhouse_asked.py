"""Which functions of ClickHouse's catalog are asked about again, with how many arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Entries = list[list[Any]]
UNASKED = re.compile(r"[^A-Za-z]|AI[A-Z]|sleep|file$|getSubcolumn$")
"""How functions begin that are internal, ask a model or wait, the one that reads a file, and
one whose second argument is the name of a part of the first."""
CALLED = frozenset({"scalar", "aggregate"})
MOST = 3
"""Arguments; no more are asked about."""


def asked(document: Mapping[str, Any]) -> Iterator[tuple[str, Entries]]:
    """Yield the names of the functions that can be called alone, with their entries."""
    for name, entries in document["functions"].items():
        own = [one for one in entries if one[0] in CALLED]
        if own and UNASKED.match(name) is None:
            yield name, own


def counts(entries: Entries) -> set[int]:
    """Return the numbers of arguments of some entries, up to `MOST`.

    >>> sorted(counts([["scalar", 1, -1], ["scalar", "INT", ["ANY", "ANY"], ""]]))
    [1, 2, 3]
    """
    found = {len(one[2]) for one in entries if is_typed(one)}
    for _, least, most in (one for one in entries if not is_typed(one)):
        last = least + 2 if most < 0 else most
        found.update(range(least, min(last, MOST) + 1))
    return {count for count in found if count <= MOST}


def is_typed(entry: list[Any]) -> bool:
    """Return whether an entry has types: result and parameters."""
    return isinstance(entry[2], list)
