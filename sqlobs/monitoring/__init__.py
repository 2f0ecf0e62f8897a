"""Grafana dashboards and Prometheus rules as code, over the names of `sqlobs.semconv` alone.

Tests: `tests/monitoring/test_rules.py`.
Tests of panel_counters: `tests/monitoring/test_replay.py`.
Tests of panels, queries: `tests/monitoring/test_dashboards.py`.
Tests of exposition: `tests/monitoring/test_watching.py`.
"""
