"""Types of expressions: what an engine infers, and what it refuses to combine.

Tests: `tests/check/test_nested_types.py`.
"""
