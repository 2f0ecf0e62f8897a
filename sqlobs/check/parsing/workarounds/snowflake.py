"""Tokens of Snowflake that sqlglot rejects."""

from __future__ import annotations

from typing import Final

from sqlobs.check.parsing.workarounds.oracle import without_end_of_nth_value

READINGS: Final = (without_end_of_nth_value,)
