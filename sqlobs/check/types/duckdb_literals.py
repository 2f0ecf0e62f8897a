"""Whether DuckDB reads a text as a value of a type: what it certainly does not."""

from __future__ import annotations

import re
from calendar import monthrange
from typing import Final

from sqlobs.check.types.nested import labels_of

_NUMBERS: Final = frozenset(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE"
    " DECIMAL".split()
)
_DATES: Final = frozenset(
    {"DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
)
_BOOLEANS: Final = frozenset("true t yes y 1 false f no n 0".split())
_DAY: Final = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_SPECIAL: Final = frozenset("epoch infinity inf nan".split())


def can_hold(kind: str, text: str) -> bool:
    """Say whether a text may be a value of a type. True where that is not known."""
    if (labels := labels_of(kind)) is not None:
        return text in labels
    if kind == "BOOLEAN":
        return text.lower() in _BOOLEANS
    if kind.endswith("[]"):
        return text.lstrip()[:1] == "["
    if kind in _NUMBERS or kind in _DATES:
        if not any(map(str.isdigit, text)):
            return text.strip().lstrip("+-").lower() in _SPECIAL
        return kind in _NUMBERS or _is_day(text)
    return True


def _is_day(text: str) -> bool:
    """Refuse a date beyond the calendar; DuckDB reads more than one form."""
    found = _DAY.match(text)
    if found is None:
        return True
    year, month, day = (int(part) for part in found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(max(year, 1), month)[1]  # noqa: PLR2004
