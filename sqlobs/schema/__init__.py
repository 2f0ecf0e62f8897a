"""What we know of databases: tables, columns, keys; read from DDL, mappings, live catalogues."""

from __future__ import annotations
