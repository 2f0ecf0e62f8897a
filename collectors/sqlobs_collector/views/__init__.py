"""What pages and endpoints show: one module per noun, each from the store to a pydantic model.

A view reads and computes; it knows neither HTTP nor HTML.

Tests: `tests/collector/test_requests.py`.
Tests of settings: `tests/console/test_settings.py`.
"""

from __future__ import annotations
