"""Apache Hive."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, Connections, Dialect, Scripts
from sqlobs.dialects.identifiers import LOWER

DIALECT: Final = Dialect(
    name="hive",
    spellings=frozenset({"hiveql"}),
    identifiers=LOWER,
    quotes=BACKTICKS,
    scripts=Scripts(backslash_escapes=True),
    connections=Connections(sqlalchemy=("hive",)),
)
