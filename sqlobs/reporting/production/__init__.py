"""A collector's units as a run: production requests as cases.

Tests: `tests/reporting/test_production.py`.
"""
