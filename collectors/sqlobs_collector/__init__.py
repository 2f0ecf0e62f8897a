"""The collector service: receives units over OTLP, evaluates a sample, writes scores back.

Tests: `tests/collector/test_service.py`.
Tests of addresses, admintoken, metricsview: `tests/collector/test_admin_access.py`.
Tests of assembly, origin, secrets: `tests/collector/test_config.py`.
Tests of errors: `tests/collector/test_journal.py`.
Tests of pipeline_metrics: `tests/collector/test_judging.py`.
Tests of cli: `tests/collector/test_maintenance.py`.
Tests of datadir: `tests/collector/test_replay_command.py`.
Tests of webserver: `tests/collector/test_request_budgets.py`.
Tests of sdkmetrics, sdkpoints: `tests/collector/test_sdk_metrics.py`.
Tests of quotas: `tests/collector/test_quotas.py`.
Tests of series_point, shared_series: `tests/collector/test_shared_series.py`.
Tests of disclosure: `tests/collector/test_workspaces.py`.
Tests of posting: `tests/telemetry/test_responses.py`.
"""

from __future__ import annotations
