"""Engine knowledge: what an engine defines or documents, and the schema prepared for it.

Tests: `tests/check/test_versions.py`.
"""

from __future__ import annotations
