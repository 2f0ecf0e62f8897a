"""Microsoft Fabric."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import BRACKETS, Definitions, Dialect, Scripts

DIALECT: Final = Dialect(
    name="fabric",
    quotes=BRACKETS,
    scripts=Scripts(bracketed_names=True),
    definitions=Definitions(index_keywords=frozenset({"INDEX"}), bracketed_types=True),
)
