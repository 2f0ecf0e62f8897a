"""The rig and the checks of the tests of tracing."""

from __future__ import annotations

import pytest

from tests.tracing.conftest import faults, no_faults, rig, warm_checker
from tests.tracing.rig import Rig

__all__ = ["faults", "no_faults", "outspoken", "rig", "warm_checker"]


@pytest.fixture
def outspoken(monkeypatch):
    """A rig whose settings let prompts and completions onto spans."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    monkeypatch.setenv("SQLOBS_CAPTURE_SQL", "raw")
    with Rig(mode="inline") as made:
        yield made
