"""A statement as pieces to show: words by kind, lines laid out, differences marked.

Tests: `tests/reporting/test_statement.py`.
"""
