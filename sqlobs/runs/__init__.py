"""A run's rows: what an evaluation found about each case, as values that are written and shown.

Tests: `tests/runs/test_lines.py`.
"""
