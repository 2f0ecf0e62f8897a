"""Reads the content of a schema from a live database: SQLAlchemy's reflection, SQLite, DuckDB.

The only package below `sqlobs.schema` that imports drivers; the checker never imports it.

Tests: `tests/schema/test_live.py`.
"""

from __future__ import annotations
