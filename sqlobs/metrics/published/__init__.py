"""Result comparisons of other projects, as published and under their own names.

For comparing figures with a leaderboard; the rules of sqlobs are in `execution_accuracy`.

Tests: `tests/metrics/test_published.py`.
"""
