"""Profiles of the search for counterexamples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "brief",
    settings.get_profile("ci"),
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
