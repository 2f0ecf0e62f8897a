"""What a request, an execution or feedback leaves behind: values that are described and sent.

Tests: `tests/telemetry/test_attributes.py`.
"""
