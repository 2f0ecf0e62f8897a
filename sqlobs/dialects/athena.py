"""Amazon Athena."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect
from sqlobs.dialects.identifiers import LOWER

DIALECT: Final = Dialect(
    name="athena",
    spellings=frozenset({"amazonathena", "awsathena"}),
    identifiers=LOWER,
    connections=Connections(sqlalchemy=("awsathena",)),
)
