"""From text to tokens and trees, with limits on what parsing may cost.

Tests: `tests/check/test_rules.py`.
Tests of token_pattern: `tests/check/test_forms.py`.
"""

from __future__ import annotations
