"""RisingWave."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect, Execution
from sqlobs.dialects.identifiers import EXACT_LOWER

DIALECT: Final = Dialect(
    name="risingwave",
    identifiers=EXACT_LOWER,
    execution=Execution(system_functions_schema=True),
    connections=Connections(sqlalchemy=("risingwave",)),
)
