"""Why a rate changed: what an alert's link shows.

Tests: `tests/collector/test_explain.py`.
"""
