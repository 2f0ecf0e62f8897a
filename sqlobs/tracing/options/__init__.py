"""The options of a call: its arguments, the layers that set options, and the current scope.

Tests: `tests/tracing/test_accepted_arguments.py`.
"""
