"""Daemon threads with a stack of their own size."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_stack_lock = threading.Lock()  # the stack size is process-wide: set, start, restore as one step


def start_thread(
    target: Callable[[], None], *, name: str, stack_bytes: int = 0
) -> threading.Thread:
    """Start a daemon thread with a stack of its own size (0: the system's)."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    if not stack_bytes:
        thread.start()
        return thread
    with _stack_lock:
        before = threading.stack_size(stack_bytes)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def _after_fork() -> None:
    global _stack_lock  # noqa: PLW0603 - a thread of the parent may have held it
    _stack_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
