"""Types of expressions: what an engine infers, and what it rejects to combine.

Tests: `tests/check/test_nested_types.py`.
"""
