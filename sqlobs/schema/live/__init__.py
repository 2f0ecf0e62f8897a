"""Schemas that change: read from live catalogues, refreshed in the background.

The only package below `sqlobs.schema` that knows drivers and threads; the checker never imports it.
"""

from __future__ import annotations
