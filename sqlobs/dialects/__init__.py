"""Everything known about SQL dialects and their engines, as data: one module per dialect.

Tests: `tests/dialects/test_documents.py`.
"""
