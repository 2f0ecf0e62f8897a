"""Presto."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect
from sqlobs.dialects.identifiers import LOWER

DIALECT: Final = Dialect(
    name="presto",
    spellings=frozenset({"prestosql", "prestodb"}),
    identifiers=LOWER,
    connections=Connections(sqlalchemy=("presto",)),
)
