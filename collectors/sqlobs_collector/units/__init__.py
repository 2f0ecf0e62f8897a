"""From records to units: decoding, joining, sampling."""

from __future__ import annotations
