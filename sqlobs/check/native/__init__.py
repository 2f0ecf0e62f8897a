"""Verdicts of engines that run inside this process.

Tests: `tests/check/test_engines.py`.
Tests of duckdb: `tests/check/test_native_duckdb.py`.
Tests of sqlite: `tests/check/test_native_sqlite.py`.
"""
