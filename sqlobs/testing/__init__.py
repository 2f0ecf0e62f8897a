"""What users need in their own tests: captured spans, a collector in memory, a pytest fixture.

Loaded by pytest in every project that has sqlobs installed, so that nothing heavy is imported
before a test asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.testing.collector import FakeCollector
    from sqlobs.testing.spans import CapturedSpans, capture_spans, span_tree

__all__ = ["CapturedSpans", "FakeCollector", "capture_spans", "span_tree"]

_HOMES = {
    "CapturedSpans": "sqlobs.testing.spans",
    "FakeCollector": "sqlobs.testing.collector",
    "capture_spans": "sqlobs.testing.spans",
    "span_tree": "sqlobs.testing.spans",
}


def __getattr__(name: str) -> object:
    """Import a public name from its home at its first use."""
    if name not in _HOMES:
        message = f"module 'sqlobs.testing' has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
