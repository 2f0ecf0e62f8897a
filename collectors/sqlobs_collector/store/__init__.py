"""The store: units, what is known of them, and how far the journal has been read."""

from __future__ import annotations
