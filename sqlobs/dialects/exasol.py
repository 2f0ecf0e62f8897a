"""Exasol."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect
from sqlobs.dialects.identifiers import EXACT_UPPER

DIALECT: Final = Dialect(
    name="exasol", identifiers=EXACT_UPPER, connections=Connections(sqlalchemy=("exa",))
)
