"""Units in a Parquet file, each with its record and what was said later: to evaluate elsewhere."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.backfilling.parquet import opened_file
from sqlobs_collector.store.backfill import Pending
from sqlobs_collector.store.rows import Queued, Reported
from sqlobs_collector.store.unit_queue import TAKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs_collector.store.reading import StoreReader

UNITS_PER_GROUP: Final = 256
"""Of a row group, which one worker reads."""
_NAMES: Final = tuple(one.name for one in fields(Queued))


@cache
def schema() -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the columns: those of a unit, and `reports`."""
    import pyarrow as pa

    types = {int: pa.int64(), bool: pa.bool_(), str: pa.string(), bytes: pa.binary()}
    of_unit = [(one.name, types[one.type.python_type]) for one in TAKEN]
    said = pa.struct([("kind", pa.string()), ("record_id", pa.string()), ("payload", pa.binary())])
    return pa.schema([*of_unit, ("reports", pa.list_(said))])


def write_units(reader: StoreReader, units: Iterable[Pending], path: str) -> int:
    """Write units to a file, a row each; return how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(path, schema(), compression="zstd") as writer:
        for group in chunked(units):
            rows = [_row(*one) for one in with_reports(reader, [one.unit_id for one in group])]
            if rows:
                writer.write_table(pa.Table.from_pylist(rows, schema()))
            count += len(rows)
    return count


def pending_in(path: str) -> Iterator[Pending]:
    """Yield the units of a file.

    Raises:
        ConfigError: It cannot be read, or has other columns.
    """
    with opened_file(path) as file:
        if not set(schema().names) <= set(file.schema_arrow.names):
            raise ConfigError(
                f"{path} has no records of units: write it with `sqlobs-collector export --records`"
            )
        for place in range(file.num_row_groups):
            rows = file.read_row_group(place, columns=["unit_id", "workspace", "target"])
            for row in rows.to_pylist():
                yield Pending(row["unit_id"], row["workspace"], row["target"], place)


def units_in(path: str, place: int, wanted: set[int]) -> list[tuple[Queued, Sequence[Reported]]]:
    """Return the wanted units of one row group."""
    with opened_file(path) as file:
        rows = file.read_row_group(place).to_pylist()
    return [
        (
            Queued(**{name: row[name] for name in _NAMES}),
            [Reported(**one) for one in row["reports"]],
        )
        for row in rows
        if row["unit_id"] in wanted
    ]


def with_reports(
    reader: StoreReader, unit_ids: Sequence[int]
) -> list[tuple[Queued, Sequence[Reported]]]:
    """Return units of the store, in the order of their ids, with what was said later."""
    units = sorted(reader.whole(unit_ids), key=lambda one: one.unit_id)
    reported = reader.reported(units)
    return [(one, reported.get(one.unit_id, ())) for one in units]


def chunked(units: Iterable[Pending]) -> Iterator[list[Pending]]:
    """Yield units in groups."""
    group: list[Pending] = []
    for one in units:
        group.append(one)
        if len(group) == UNITS_PER_GROUP:
            yield group
            group = []
    if group:
        yield group


def _row(unit: Queued, reports: Sequence[Reported]) -> dict[str, object]:
    said = [
        {"kind": one.kind, "record_id": one.record_id, "payload": one.payload} for one in reports
    ]
    return {**{name: getattr(unit, name) for name in _NAMES}, "reports": said}
