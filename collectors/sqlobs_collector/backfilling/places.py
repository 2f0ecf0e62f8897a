"""Where units come from, and where their results go; can be pickled."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol
from uuid import uuid4

from sqlobs.errors import ConfigError
from sqlobs_collector.archive.schemas import EVALUATION_COLUMNS
from sqlobs_collector.backfilling.parquet import located
from sqlobs_collector.backfilling.running import UnitResult
from sqlobs_collector.backfilling.unit_files import pending_in, units_in, with_reports
from sqlobs_collector.datadir import make_durable
from sqlobs_collector.evaluation.outcomes import transition_of
from sqlobs_collector.evaluation.result_storing import evaluations_of, store_results
from sqlobs_collector.store.backfill import Backfill, pending_among, pending_units
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Engine

    from sqlobs_collector.backfilling.running import Chunk
    from sqlobs_collector.evaluation.outcomes import Scored
    from sqlobs_collector.store.backfill import Pending
    from sqlobs_collector.store.rows import Queued, Reported

_OF_EVALUATION: Final = tuple(one for one in EVALUATION_COLUMNS[4:] if one.name != "emitted_ns")
_OPTION: Final = "--output"


class Source(Protocol):
    """Units."""

    def pending(self, engine: Engine) -> Iterator[Pending]:
        """Yield which units there are."""

    def read(
        self, engine: Engine, chunk: Chunk, wanted: set[int]
    ) -> list[tuple[Queued, Sequence[Reported]]]:
        """Return the wanted units of a chunk, with what was said later about each."""


class Results(Protocol):
    """Results."""

    @property
    def asks_judge(self) -> bool:
        """Return whether the judge is asked about units."""

    def prepare(self) -> None:
        """Make the place of the results, before anything is evaluated."""

    def left(self, engine: Engine, unit_ids: Sequence[int]) -> set[int]:
        """Return which of some units have no results of this backfill yet."""

    def keep(self, engine: Engine, scored: Sequence[Scored]) -> list[UnitResult]:
        """Store the results of units, durably and all at once."""


@dataclass(frozen=True, slots=True)
class StoredUnits:
    """Units of the store."""

    backfill: Backfill

    def pending(self, engine: Engine) -> Iterator[Pending]:
        """Yield which units there are."""
        return pending_units(engine, self.backfill)

    def read(
        self, engine: Engine, chunk: Chunk, wanted: set[int]
    ) -> list[tuple[Queued, Sequence[Reported]]]:
        """Return the wanted units of a chunk."""
        return with_reports(StoreReader(engine), [one for one in chunk.unit_ids if one in wanted])


@dataclass(frozen=True, slots=True)
class FileUnits:
    """Units of a Parquet file, which `export --records` wrote."""

    address: str

    def pending(self, _: Engine) -> Iterator[Pending]:
        """Yield which units there are."""
        return pending_in(self.address)

    def read(
        self, _: Engine, chunk: Chunk, wanted: set[int]
    ) -> list[tuple[Queued, Sequence[Reported]]]:
        """Return the wanted units of a chunk."""
        return units_in(self.address, chunk.place, wanted)


@dataclass(frozen=True, slots=True)
class StoredResults:
    """Results go into the store, where the state of each unit tells that it has them."""

    backfill: Backfill
    asks_judge: bool = True

    def prepare(self) -> None:
        """Do nothing: the store is there."""

    def left(self, engine: Engine, unit_ids: Sequence[int]) -> set[int]:
        """Return which of some units got their state before this backfill began."""
        return pending_among(engine, self.backfill, unit_ids)

    def keep(self, engine: Engine, scored: Sequence[Scored]) -> list[UnitResult]:
        """Store the results of units that are as they were read, in one transaction."""
        with Store(engine).writing() as writer:
            locked = writer.backfills.lock(self.backfill, [one.unit for one in scored])
            kept = [one for one in scored if one.unit.unit_id in locked]
            stored = store_results(writer, kept, now_ns=time.time_ns())
        return [UnitResult(one.unit_id, one.state, one.reason) for one in stored.transitions]


@dataclass(slots=True)
class FileResults:
    """Results go into Parquet files of a directory, one file a chunk.

    A row is an evaluation, with the ids of its unit; a unit without evaluations has one row.
    """

    address: str
    asks_judge: bool = False
    _done: frozenset[int] | None = None

    def prepare(self) -> None:
        """Make the directory.

        Raises:
            ConfigError: It cannot be made.
        """
        system, folder = located(self.address, _OPTION)
        try:
            system.create_dir(folder, recursive=True)
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())
            raise ConfigError(f"cannot write to {self.address}: {reason}") from error

    def left(self, _: Engine, unit_ids: Sequence[int]) -> set[int]:
        """Return which of some units are in no file."""
        if self._done is None:
            self._done = self._read()
        left = set(unit_ids) - self._done
        if left and self._has(min(left)):  # written since, by a worker that ended right after it
            self._done = self._read()
        return left - self._done

    def keep(self, _: Engine, scored: Sequence[Scored]) -> list[UnitResult]:
        """Write one file, which gets its name when all of it is on disk."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        now_ns = time.time_ns()
        rows = [row for one in scored for row in _rows(one, now_ns=now_ns)]
        system, folder = located(self.address, _OPTION)
        draft = f"{folder}/.{uuid4().hex}.tmp"
        table = pa.Table.from_pylist(rows, _schema())
        pq.write_table(table, draft, filesystem=system, compression="zstd")
        path = self._path(folder, min(one.unit.unit_id for one in scored))
        _sync(system, draft)
        system.move(draft, path)
        _sync(system, folder)
        results = (transition_of(one, now_ns=now_ns) for one in scored)
        return [UnitResult(one.unit_id, one.state, one.reason) for one in results]

    def _read(self) -> frozenset[int]:
        import pyarrow.dataset as ds
        from pyarrow import fs

        system, folder = located(self.address, _OPTION)
        found = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
        paths = [one.path for one in found if one.path.endswith(".parquet")]
        if not paths:
            return frozenset()
        written = ds.dataset(paths, filesystem=system, format="parquet", schema=_schema())
        return frozenset(written.to_table(columns=["unit_id"])["unit_id"].to_pylist())

    def _has(self, first_id: int) -> bool:
        system, folder = located(self.address, _OPTION)
        return bool(system.get_file_info(self._path(folder, first_id)).is_file)

    def _path(self, folder: str, first_id: int) -> str:
        return f"{folder}/units-from-{first_id:012}.parquet"


def _rows(one: Scored, *, now_ns: int) -> list[dict[str, object]]:
    state = transition_of(one, now_ns=now_ns)
    unit = {
        "unit_id": one.unit.unit_id,
        "workspace": one.unit.workspace,
        "trace_id": one.unit.trace_id,
        "span_id": one.unit.span_id,
        "state": state.state,
        "reason": state.reason,
    }
    evaluations = evaluations_of(one, now_ns=now_ns)
    rows = [
        {f"evaluation_{column.name}": row.values[column.name] for column in _OF_EVALUATION}
        for row in evaluations
    ]
    return [{**unit, **row} for row in rows or [{}]]


def _schema() -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    texts = ("workspace", "trace_id", "span_id", "state", "reason")
    return pa.schema(
        [
            ("unit_id", pa.int64()),
            *((name, pa.string()) for name in texts),
            *((f"evaluation_{one.name}", types[one.type.python_type]) for one in _OF_EVALUATION),
        ]
    )


def _sync(system: Any, path: str) -> None:  # noqa: ANN401 - as above
    """Make a file or a folder durable; a bucket has done it when it responds."""
    from pyarrow import fs

    if isinstance(system, fs.LocalFileSystem):
        make_durable(path)
