"""Turns records into attributes: masked, redacted, with size limits.

Tests: `tests/telemetry/test_attributes.py`.
"""
