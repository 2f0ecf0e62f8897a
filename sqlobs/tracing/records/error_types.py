"""`error.type`: the class of an exception, not its message, which may quote values."""

from __future__ import annotations


def error_type_of(error: BaseException) -> str:
    """Return the fully qualified class; that of a builtin is its bare name."""
    kind = type(error)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
