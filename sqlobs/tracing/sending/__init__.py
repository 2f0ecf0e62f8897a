"""Sends records: providers, exporters, metrics, and units for the collector.

Tests: `tests/telemetry/test_providers.py`.
Tests of collector_client, schema_sender: `tests/telemetry/test_collector_contract.py`.
Tests of instruments: `tests/telemetry/test_instruments.py`.
Tests of exporters: `tests/telemetry/test_responses.py`.
Tests of senders: `tests/telemetry/test_schema_sender.py`.
Tests of unit_sender: `tests/telemetry/test_unit_sender.py`.
"""
