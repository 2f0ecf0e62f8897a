"""The OTLP formats: bytes in, messages out; no I/O."""

from __future__ import annotations
