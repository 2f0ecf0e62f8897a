"""Everything known about SQL dialects and their engines, as data: one module per dialect.

Tests: `tests/dialects/test_documents.py`.
Tests of catalog: `tests/check/test_profile.py`.
"""
