"""A self-contained HTML page about a run: no network, no build step, safe with hostile text.

Tests: `tests/reporting/test_page.py`.
Tests of anatomy, details, view: `tests/reporting/test_production.py`.
"""
