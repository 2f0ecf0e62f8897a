"""From an evaluated unit to a judge's verdict: asked at most once, within the budget."""

from __future__ import annotations
