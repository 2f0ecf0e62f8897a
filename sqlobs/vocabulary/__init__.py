"""Words of the dialects: functions that statements may call, keywords, types, statements."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import combinations

from sqlobs.dialects.registry import DIALECTS


def allowed_functions(dialect: str) -> frozenset[str]:
    """Return the names a dialect's statements may call.

    A dialect without a list of its own gets what two of the listed ones share, and common names of
    other systems that compute and do nothing else.
    """
    return listed(dialect) if dialect in _with_list() else _common()


@cache
def _with_list() -> tuple[str, ...]:
    """Return the dialects with a list of their own."""
    folder = files("sqlobs.vocabulary")
    return tuple(name for name in sorted(DIALECTS) if (folder / f"{name}.txt").is_file())


@cache
def _common() -> frozenset[str]:
    shared = (listed(one) & listed(other) for one, other in combinations(_with_list(), 2))
    return listed("common").union(*shared)


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of one of the lists that lie beside this module."""
    source = files("sqlobs.vocabulary") / f"{name}.txt"
    lines = (line.partition("#")[0] for line in source.read_text("utf-8").splitlines())
    return frozenset(word for line in lines for word in line.split())
