"""Reads the content of a schema from a live database: SQLAlchemy's reflection, SQLite, DuckDB.

The only package below `sqlobs.schema` that imports drivers; the checker never imports it.
"""

from __future__ import annotations
