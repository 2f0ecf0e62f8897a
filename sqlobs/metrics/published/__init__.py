"""Other people's result comparisons as they publish them, under their own names.

For comparing figures with a leaderboard; the rules of sqlobs are in `execution_accuracy`.

Tests: `tests/metrics/test_published.py`.
"""
