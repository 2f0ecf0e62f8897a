"""The cold tier: requests whose texts have expired, as Parquet files by kind, workspace and day.

Tests: `tests/collector/test_archive.py`.
"""

from __future__ import annotations
