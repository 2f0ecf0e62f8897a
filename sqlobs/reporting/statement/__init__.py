"""A statement prepared for display: tokens by kind, line breaks, marked differences.

Tests: `tests/reporting/test_statement.py`.
"""
