"""Compares the checker with engines' verdicts on any corpus: `python -m tests.agreement`."""
