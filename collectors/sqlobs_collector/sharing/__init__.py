"""Several processes on one store: who is alive, and who does what one does for all.

Tests: `tests/collector/test_sharing.py`.
"""

from __future__ import annotations
