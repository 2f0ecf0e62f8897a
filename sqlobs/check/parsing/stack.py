"""Threads with a stack of their own, so that deep SQL cannot kill the process.

Compiled sqlglot has no stack check: in a thread with a small stack, deep nesting is a
segmentation fault instead of a RecursionError.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final, TypeVar

STACK_BYTES: Final = 16 * 1024 * 1024
INLINE_DEPTH: Final = 16
"""Deepest nesting that is parsed on the caller's own stack: a level uses up to 3.7 KB of it."""
INLINE_TOKENS: Final = 256
"""Longest statement that is parsed on the caller's own stack: a chain (`1 + 1 + 1`) nests without
parentheses, once per operator."""
MOST_LEVELS: Final = 64
"""Recursion depth of compiled code that fits any stack."""

_lock = threading.Lock()  # threading.stack_size is process-wide: set, start, restore as one step


T = TypeVar("T")


def start_on_big_stack(target: Callable[[], None], *, name: str) -> threading.Thread:
    """Start a daemon thread with a 16 MB stack."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    with _lock:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def on_big_stack(work: Callable[[], T]) -> T:
    """Run `work` on a thread with a 16 MB stack and return what it returns or raises."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread
            errors.append(error)

    start_on_big_stack(run, name="sqlobs-deep-check").join()
    for error in errors:
        raise error
    return results[0]


def on_stack_for(levels: int, work: Callable[[], T]) -> T:
    """Run `work` here, or on a thread with a 16 MB stack if it may recurse deeply."""
    return work() if levels <= MOST_LEVELS else on_big_stack(work)


def is_deep_text(sql: str) -> bool:
    """Return whether parentheses and brackets nest deeper than `INLINE_DEPTH`, from the text alone.

    Cheap enough for a request thread. Those in literals and comments count too, so a shallow
    statement may be reported as deep; the check itself measures again on tokens.
    """
    if sql.count("(") + sql.count("[") + sql.count("{") <= INLINE_DEPTH:
        return False
    depth = 0
    for character in sql:
        if character in "([{":
            depth += 1
            if depth > INLINE_DEPTH:
                return True
        elif character in ")]}" and depth:
            depth -= 1
    return False


def _after_fork() -> None:
    global _lock  # noqa: PLW0603 - a thread of the parent may have held it
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
