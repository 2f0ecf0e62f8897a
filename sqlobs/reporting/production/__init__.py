"""What a collector holds, read as a run: requests of production as cases.

Tests: `tests/reporting/test_production.py`.
"""
