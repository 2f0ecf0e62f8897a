"""A short run of the fuzzer; the long one is `python -m tests.fuzz --minutes 60`."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.laws import hold
from tests.fuzz.texts import DIALECTS, TEXTS


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.sampled_from(DIALECTS), st.booleans(), st.booleans())
def test_no_text_breaks_a_law(drawn, dialect, strict, native):
    """The checker answers, points into the text, and tells nothing of a literal."""
    hold(drawn[0], dialect, strict=strict, native=native, is_whole=drawn[1])
