"""The Grafana dashboards: one module each, over the queries and shapes of panels beside them.

Tests: `tests/monitoring/test_dashboards.py`.
"""
