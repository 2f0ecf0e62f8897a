"""Callables and streams whose calls are activities.

Tests: `tests/tracing/test_decorated_functions.py`.
"""
