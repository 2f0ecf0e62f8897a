"""The durable log of what was received: one SQLite file an hour, or more where much comes."""

from __future__ import annotations
