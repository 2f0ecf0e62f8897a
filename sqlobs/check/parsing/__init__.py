"""From text to tokens and trees, with limits on what parsing may cost.

Tests: `tests/check/test_rules.py`.
"""

from __future__ import annotations
