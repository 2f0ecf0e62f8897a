"""The pytest plugin: the fixture `sqlobs_spans`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.testing.spans import CapturedSpans

_LOADED_LATE: Final = (
    "sqlobs.check.assessment",
    "sqlobs.check.report.message_masking",
    "sqlobs.check.native.duckdb",
    "sqlobs.check.native",
    "sqlobs.check.native.sqlite",
    "sqlobs.testing.spans",
)
"""What the worker loads with its first check, and this fixture with its first use."""


def pytest_collection_finish() -> None:
    """Load all that tracing needs before a test, and its worker, starts.

    pytest parses every module of a plugin's package again, and CPython 3.11 may fail where two
    threads do so at once: "SystemError: AST constructor recursion depth mismatch".
    """
    if "sqlobs.tracing.instance" in sys.modules:
        for name in _LOADED_LATE:
            import_module(name)


@pytest.fixture
def sqlobs_spans() -> Iterator[CapturedSpans]:
    """Capture what sqlobs traces during the test; nothing leaves the process."""
    from sqlobs.testing.spans import capture_spans

    with capture_spans() as spans:
        yield spans
