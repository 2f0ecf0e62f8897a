"""Calibrations of judges that were made from labels of the review queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from sqlobs_collector.store.portable import upsert
from sqlobs_collector.store.rows import Row
from sqlobs_collector.store.tables import CALIBRATION

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration(Row):
    """The calibration of a judge in one workspace."""

    workspace: str
    judge: str
    document: str
    """As `sqlobs judge calibrate` writes it."""
    author: str
    made_ns: int


class CalibrationReader:
    """Reads calibrations."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[StoredCalibration]:
        """Return the calibrations of all workspaces."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(CALIBRATION)).mappings()
            return [StoredCalibration(**row) for row in rows]


class CalibrationWriter:
    """Writes calibrations on the connection of a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, row: StoredCalibration) -> None:
        """Store a calibration in place of an earlier one."""
        key = [CALIBRATION.c.workspace, CALIBRATION.c.judge]
        statement = upsert(CALIBRATION).values(row.values)
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=key, set_=row.values)
        )
