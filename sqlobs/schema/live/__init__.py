"""Reads the content of a schema from a live database: SQLAlchemy's reflection, SQLite, DuckDB.

The only package below `sqlobs.schema` that imports drivers; the checker never imports it.

Tests: `tests/schema/test_live.py`.
Tests of warehouse: `tests/schema/test_warehouse_catalogs.py` and `tests/warehouses`.
"""

from __future__ import annotations
