"""One text-to-SQL request, from the call of the function until it is counted and sent.

Tests: `tests/tracing/test_requests.py`.
"""
