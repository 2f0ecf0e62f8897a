"""StarRocks."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, SCRIPTS_OF_MYSQL, Connections, Definitions, Dialect
from sqlobs.dialects.identifiers import TABLES_EXACT
from sqlobs.dialects.mysql import INDEX_KEYWORDS

DIALECT: Final = Dialect(
    name="starrocks",
    identifiers=TABLES_EXACT,
    quotes=BACKTICKS,
    scripts=SCRIPTS_OF_MYSQL,
    definitions=Definitions(index_keywords=INDEX_KEYWORDS),
    connections=Connections(sqlalchemy=("starrocks",)),
)
