"""The pytest plugin: the fixture `sqlobs_spans`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.testing.spans import CapturedSpans


@pytest.fixture
def sqlobs_spans() -> Iterator[CapturedSpans]:
    """Capture what sqlobs traces during the test; nothing leaves the process."""
    from sqlobs.testing.spans import capture_spans

    with capture_spans() as spans:
        yield spans
