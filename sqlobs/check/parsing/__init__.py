"""From text to tokens and trees, with limits on what parsing may cost."""

from __future__ import annotations
