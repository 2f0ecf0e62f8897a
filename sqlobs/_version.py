"""The version of the distribution, once."""

from __future__ import annotations

__version__ = "0.1.0"
