"""The versions of the store's tables, oldest first."""

from __future__ import annotations
