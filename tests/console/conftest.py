from __future__ import annotations

from tests.collector.conftest import collector, launch

__all__ = ["collector", "launch"]
