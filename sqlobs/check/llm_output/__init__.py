"""Finds the statement in what a model returned.

Tests: `tests/check/test_extraction.py`.
"""

from __future__ import annotations
