"""Test helpers for users: captured spans, an in-memory collector, cases from files.

Loaded by pytest in every project that has sqlobs installed, so that nothing heavy is imported
before a test asks for it.

Tests: `tests/testing/test_capture.py`.
Tests of cases, vectors: `tests/testing/test_cases_and_vectors.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.testing.cases import RuleCase, load_rule_cases
    from sqlobs.testing.collector import FakeCollector
    from sqlobs.testing.spans import CapturedSpans, capture_spans, span_tree
    from sqlobs.testing.vectors import Vector, load_vectors

__all__ = [
    "CapturedSpans",
    "FakeCollector",
    "RuleCase",
    "Vector",
    "capture_spans",
    "load_rule_cases",
    "load_vectors",
    "span_tree",
]

_HOMES = {
    "CapturedSpans": "sqlobs.testing.spans",
    "FakeCollector": "sqlobs.testing.collector",
    "RuleCase": "sqlobs.testing.cases",
    "Vector": "sqlobs.testing.vectors",
    "capture_spans": "sqlobs.testing.spans",
    "load_rule_cases": "sqlobs.testing.cases",
    "load_vectors": "sqlobs.testing.vectors",
    "span_tree": "sqlobs.testing.spans",
}


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
