"""Runs ranked by their judge: terminal, page, workbook and JSON.

Tests: `tests/reporting/test_leaderboard.py`.
"""
