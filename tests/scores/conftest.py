"""The shop of the collector's tests, and what runs statements on it."""

from __future__ import annotations

from tests.collector.conftest import executor, shop

__all__ = ["executor", "shop"]
