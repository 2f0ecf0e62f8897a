"""Access to a model with cache, rate limit, budget and retries; failures are values with a reason.

Tests: `tests/judge/test_endpoint.py`.
Tests of batch_output, batch_server, clock, store, ticket: `tests/judge/test_batch.py`.
Tests of asking: `tests/judge/test_fallback.py`.
Tests of text: `tests/judge/test_verdict.py`.
"""
