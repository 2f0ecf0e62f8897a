"""Forms of SQL that some engines support and others reject."""

from __future__ import annotations
