"""Steps that happen once, whichever thread comes first: a span ends once, a request counts once.

The steps still to do are a list of names, and doing one is `list.remove`: an atomic
compare-and-set without a lock, cheap enough for every request.
Tests: `tests/tracing/test_background_worker.py`.
"""

from __future__ import annotations

Todo = list[str]


def once(todo: Todo, step: str) -> bool:
    """Claim a step; False where another caller already has."""
    try:
        todo.remove(step)
    except ValueError:
        return False
    return True
