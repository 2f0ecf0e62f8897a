"""A small but real text-to-SQL service, decorated as a user would, started by `sqlobs demo`."""

from __future__ import annotations
