"""StarRocks."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BACKTICKS, Connections, Definitions, Dialect, Scripts
from sqlobs.dialects.identifiers import TABLES_EXACT
from sqlobs.dialects.mysql import INDEX_KEYWORDS

DIALECT: Final = Dialect(
    name="starrocks",
    identifiers=TABLES_EXACT,
    quotes=BACKTICKS,
    scripts=Scripts(
        backslash_escapes=True, hash_comments=True, executes_comments=True, dollar_strings=False
    ),
    definitions=Definitions(index_keywords=INDEX_KEYWORDS),
    connections=Connections(sqlalchemy=("starrocks",)),
)
