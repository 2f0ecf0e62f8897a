"""Profiles of the search for counterexamples.

No example has a deadline: the first one may load a parser, and a busy machine is slow. Hypothesis
would call such a test flaky, for the same example is faster when it is tried once more.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("brief", settings.get_profile("ci"), max_examples=10, **_UNTIMED)
settings.register_profile("suite", **_UNTIMED)
settings.load_profile("suite")  # `--hypothesis-profile` comes later and wins
