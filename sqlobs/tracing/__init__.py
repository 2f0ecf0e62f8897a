"""Traces generations as they run: decorators, context blocks, streams, spans, metrics, units.

Tests: `tests/tracing/test_requests.py`.
"""
