"""The durable log of what was received: one SQLite file an hour."""

from __future__ import annotations
