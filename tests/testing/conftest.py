from __future__ import annotations

from sqlobs.testing.plugin import sqlobs_spans

__all__ = ["sqlobs_spans"]
