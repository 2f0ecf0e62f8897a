"""Apache Drill."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, Connections, Dialect, Scripts

DIALECT: Final = Dialect(
    name="drill",
    quotes=BACKTICKS,
    scripts=Scripts(backslash_escapes=True),
    connections=Connections(sqlalchemy=("drill",)),
)
