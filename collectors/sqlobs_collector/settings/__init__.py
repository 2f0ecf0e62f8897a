"""What each stage can be told: one model per section of the configuration."""

from __future__ import annotations
