"""The receivers: OTLP over HTTP and gRPC, one intake behind both.

Tests: `tests/collector/test_receiver_contract.py`.
Tests of feedback, rate_limit: `tests/collector/test_feedback_endpoint.py`.
Tests of credentials, gate, intake: `tests/collector/test_request_budgets.py`.
Tests of grpc, http: `tests/collector/test_receiver_contract.py`.
"""

from __future__ import annotations
