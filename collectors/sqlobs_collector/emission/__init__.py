"""From stored evaluations to events and spans in the user's backend.

Tests: `tests/collector/test_emission.py`.
"""

from __future__ import annotations
