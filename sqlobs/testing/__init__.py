"""What users need in their own tests: captured spans, a collector in memory, a pytest fixture.

Loaded by pytest in every project that has sqlobs installed, so that nothing heavy is imported
before a test asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

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


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
