"""An Excel workbook about a run: a summary by difficulty with native charts, and every case.

Tests: `tests/reporting/test_workbook.py`.
Tests of table: `tests/reporting/test_leaderboard.py`.
"""
