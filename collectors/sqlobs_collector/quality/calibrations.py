"""The calibrations in effect: those from the review queue, else those of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.judge.trust.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.judge.trust.category_rates import Table
    from sqlobs_collector.store.calibrations import CalibrationReader


class Calibrations:
    """Finds the confusion matrix of a judge in a workspace."""

    def __init__(
        self,
        configured: Mapping[str, Table],
        stored: CalibrationReader | None = None,
        *,
        is_current: Callable[[Calibration], bool] = lambda _: True,
    ) -> None:
        """Set up.

        Args:
            configured: By evaluation, for every workspace without a calibration of its own.
            stored: Reads the calibrations that were made from labels.
            is_current: Whether a calibration is that of a configured judge: a changed model or
                prompt is another judge.
        """
        self._configured = configured
        self._stored = stored
        self._is_current = is_current
        self._tables: dict[tuple[str, str], Table] = {}

    def refresh(self) -> None:
        """Read the stored calibrations."""
        found = [] if self._stored is None else self._stored.all()
        known = [(one, Calibration.from_json(one.document)) for one in found]
        self._tables = {
            (one.workspace, one.judge): calibration.table
            for one, calibration in known
            if self._is_current(calibration)
        }

    def table(self, workspace: str, evaluation: str) -> Table | None:
        """Return a judge's confusion matrix; None: it is not calibrated."""
        own = self._tables.get((workspace, evaluation))
        return self._configured.get(evaluation) if own is None else own
