"""Checks in a process of their own, so that none holds Python's lock of the application.

`messages` is what the two processes say to each other, `program` what runs in the new one,
`process` the application's hold on it, and `checker` the checker that asks it.

Tests: `tests/tracing/test_checking_process.py`.
"""
