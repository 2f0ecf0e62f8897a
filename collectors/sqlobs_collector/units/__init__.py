"""From records to units: decoding, joining, sampling.

Tests: `tests/collector/test_units.py`.
Tests of paths: `tests/collector/test_admin_access.py`.
"""

from __future__ import annotations
