"""From a queued unit to its scores: run it, compare it, say why not."""

from __future__ import annotations
