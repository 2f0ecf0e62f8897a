"""Words of the dialects: functions that statements may call, keywords, types, statements."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

_DIALECTS: Final = {"postgres", "sqlite"}


def allowed_functions(dialect: str) -> frozenset[str]:
    """Return the names a dialect's statements may call; no name for a dialect without a list."""
    return listed(dialect) if dialect in _DIALECTS else frozenset()


@cache
def listed(name: str) -> frozenset[str]:
    """Return the words of one of the lists that lie beside this module."""
    source = files("sqlobs.execution.vocabulary") / f"{name}.txt"
    lines = (line.partition("#")[0] for line in source.read_text("utf-8").splitlines())
    return frozenset(word for line in lines for word in line.split())
