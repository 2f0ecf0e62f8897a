"""SQL x schema x dialect -> report: pure, without database, telemetry or network."""

from __future__ import annotations
