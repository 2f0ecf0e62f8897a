"""How good the answers are: rates over windows of event time, computed from the store."""

from __future__ import annotations
