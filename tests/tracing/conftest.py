from __future__ import annotations

import pytest

from tests.tracing.rig import Rig


@pytest.fixture
def rig():
    """An instance with private providers, inline, whose spans and metrics can be read."""
    with Rig(mode="inline") as made:
        yield made


@pytest.fixture(autouse=True)
def warm_checker():
    """Parser and schema are loaded before a test looks at deadlines."""
    from sqlobs import check_sql
    from tests.tracing.rig import GOOD, SCHEMA

    check_sql(GOOD, schema=SCHEMA)


@pytest.fixture(autouse=True)
def no_faults():
    """A failure inside sqlobs is swallowed for users, never for tests."""
    from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

    before = INTERNAL_ERRORS.counts
    yield
    assert INTERNAL_ERRORS.counts == before


@pytest.fixture
def faults():
    """The failures that a test provokes on purpose: read, then forgotten."""
    from sqlobs.tracing.internal_errors import INTERNAL_ERRORS, InternalErrors

    kept = INTERNAL_ERRORS.counts
    reader = FaultReader(INTERNAL_ERRORS, kept)
    yield reader
    INTERNAL_ERRORS._counts.clear()
    INTERNAL_ERRORS._counts.update(kept)
    assert isinstance(INTERNAL_ERRORS, InternalErrors)


class FaultReader:
    """The failures since the test began."""

    def __init__(self, faults, before):
        self._faults = faults
        self._before = before

    @property
    def new(self):
        """Kinds and how often each occurred in this test."""
        return {
            kind: count - self._before.get(kind, 0)
            for kind, count in self._faults.counts.items()
            if count != self._before.get(kind, 0)
        }
