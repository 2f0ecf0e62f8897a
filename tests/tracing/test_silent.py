"""Telemetry that is disabled: nothing is recorded, nothing logged."""

from __future__ import annotations

import logging

from tests.tracing.rig import GOOD, Rig


def test_a_disabled_instance_logs_nothing(monkeypatch, caplog):
    """Disabled means silent."""
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with Rig() as rig, caplog.at_level(logging.DEBUG):
        rig.sqlobs.trace_generation(lambda question: GOOD)("q")
    assert [record for record in caplog.records if record.name.startswith("sqlobs")] == []
