"""From an evaluated unit to a judge's verdict: asked at most once, within the budget.

Tests: `tests/collector/test_judging.py`.
"""

from __future__ import annotations
