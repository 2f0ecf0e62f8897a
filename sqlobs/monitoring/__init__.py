"""Grafana dashboard and Prometheus rules as code, over the names of `sqlobs.semconv` alone.

Tests: `tests/monitoring/test_rules.py`.
Tests of panels, queries: `tests/monitoring/test_dashboard.py`.
Tests of exposition: `tests/monitoring/test_watching.py`.
"""
