"""Alerts without Prometheus: the objectives, evaluated from the store, and a webhook.

Tests: `tests/collector/test_notifying.py`.
"""
