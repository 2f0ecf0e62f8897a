"""The admin port: liveness, readiness, metrics, and the API of the store.

An endpoint is a function of a router module here; `application.py` lists the routers. It takes the
client from `access.py` (`reader: CanRead`), what the collector knows from `sources.py`
(`sources: Known`), and raises `problems.BadQueryError` or `problems.MissingError`. Plain functions
run on a thread.

Tests: `tests/collector/test_admin_access.py`.
Tests of golden: `tests/collector/test_golden.py`.
Tests of feedback: `tests/collector/test_feedback_endpoint.py`.
Tests of judges, review: `tests/collector/test_review.py`.
Tests of sessions, login, protection: `tests/console/test_login.py`.
"""

from __future__ import annotations
