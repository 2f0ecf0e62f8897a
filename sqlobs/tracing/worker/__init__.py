"""The background thread that checks, counts and sends; what happens when the process ends.

Tests: `tests/tracing/test_background_worker.py`.
"""
