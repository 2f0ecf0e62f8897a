"""Quality of the answers: rates over windows of event time, computed from the store.

Tests: `tests/collector/test_quality.py`.
"""

from __future__ import annotations
