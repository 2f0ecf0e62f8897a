"""The stages inside and after a request: model calls, retrieval, executions, feedback.

Tests: `tests/tracing/test_stages.py`.
"""
