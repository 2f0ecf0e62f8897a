"""An Excel workbook about a run: summary by difficulty with native charts, and all cases.

Tests: `tests/reporting/test_workbook.py`.
Tests of table: `tests/reporting/test_leaderboard.py`.
"""
