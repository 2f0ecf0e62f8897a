"""Spark SQL 2."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, Dialect, Scripts
from sqlobs.dialects.identifiers import LOWER

DIALECT: Final = Dialect(
    name="spark2", identifiers=LOWER, quotes=BACKTICKS, scripts=Scripts(backslash_escapes=True)
)
