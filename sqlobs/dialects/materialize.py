"""Materialize."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Dialect, Execution
from sqlobs.dialects.identifiers import EXACT_LOWER

DIALECT: Final = Dialect(
    name="materialize", identifiers=EXACT_LOWER, execution=Execution(system_functions_schema=True)
)
