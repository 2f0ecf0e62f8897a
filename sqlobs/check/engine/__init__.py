"""Engine knowledge: what an engine defines or documents, and the schema prepared for it."""

from __future__ import annotations
