"""From records to units: decoding, joining, sampling.

Tests: `tests/collector/test_units.py`.
Tests of paths: `tests/collector/test_admin_access.py`.
Tests of journal_erasure: `tests/collector/test_erasure.py`.
"""

from __future__ import annotations
