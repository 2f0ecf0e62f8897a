"""The columns of archive files: those of the store's tables, without row IDs and texts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlobs_collector.store.tables import EVALUATION, REPORT, UNIT

if TYPE_CHECKING:
    from sqlalchemy import Column

UNIT_COLUMNS: Final = tuple(one for one in UNIT.c if one.name not in {"id", "payload"})
EVALUATION_COLUMNS: Final = (
    *(UNIT.c[name] for name in ("workspace", "trace_id", "span_id", "occurred_ns")),
    *(one for one in EVALUATION.c if one.name != "unit_id"),
)
REPORT_COLUMNS: Final = tuple(one for one in REPORT.c if one.name != "payload")
_COLUMNS: Final[dict[str, tuple[Column[Any], ...]]] = {
    "unit": UNIT_COLUMNS,
    "evaluation": EVALUATION_COLUMNS,
    "report": REPORT_COLUMNS,
}


@cache
def schema_of(kind: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the Arrow schema of the files of a kind."""
    import pyarrow as pa

    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    return pa.schema([(one.name, types[one.type.python_type]) for one in _COLUMNS[kind]])
