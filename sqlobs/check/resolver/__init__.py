"""Name resolution: one walk over a tree that resolves its names and infers its types.

Tests: `tests/check/test_rules.py`.
"""
