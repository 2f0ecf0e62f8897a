"""The OTLP formats: bytes in, messages out; no I/O.

Tests: `tests/collector/test_request_budgets.py`.
Tests of answers: `tests/collector/test_service.py`.
"""

from __future__ import annotations
