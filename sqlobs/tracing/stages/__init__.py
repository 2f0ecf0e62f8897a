"""The stages inside and after a request: model calls, retrieval, executions.

Tests: `tests/tracing/test_stages.py`.
"""
