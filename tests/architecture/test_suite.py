"""What holds of the tests themselves."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def test_a_busy_machine_fails_no_property():
    """An example that loads a parser may take a second; the next one takes a millisecond."""
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
