"""The durable log of what was received: files of frames that prove by themselves to be whole."""

from __future__ import annotations
