"""Calibrations from the review queue: labels of people against the verdicts in the store."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sqlobs.errors import InputError
from sqlobs.judge.judgment import Judgment
from sqlobs.judge.trust.calibration import Measured, calibrate
from sqlobs.judge.trust.labels import settled
from sqlobs_collector.curation.decisions import DecisionError, person
from sqlobs_collector.store.calibrations import StoredCalibration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.judge.judgment import DecidedBy
    from sqlobs.judge.trust.calibration import Calibration
    from sqlobs.types import Label
    from sqlobs_collector.curation.review_queue import ReviewQueue
    from sqlobs_collector.store.review import ReviewItem, ReviewReader
    from sqlobs_collector.store.writing import Store


@dataclass(frozen=True, slots=True)
class JudgeIdentities:
    """The judges that are configured now."""

    model: str | None
    """None: there is no judge."""
    fingerprints: Mapping[str, str]
    """By evaluation."""

    def is_current(self, judge: str, detail: Mapping[str, object]) -> bool:
        """Return whether a verdict was given by this model with this prompt."""
        is_model = detail.get("model") in {None, self.model}  # None: decided by execution
        return is_model and detail.get("fingerprint") == self.fingerprints.get(judge)

    def is_calibrated_by(self, calibration: Calibration) -> bool:
        """Return whether a calibration is that of a configured judge."""
        prompt = self.fingerprints.get(calibration.judge)
        return (calibration.model, calibration.prompt) == (self.model, prompt)


class Calibrator:
    """Makes calibrations."""

    def __init__(
        self,
        store: Store,
        reviews: ReviewReader,
        queue: ReviewQueue,
        judges: JudgeIdentities,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._store = store
        self._reviews = reviews
        self._queue = queue
        self._judges = judges
        self._clock_ns = clock_ns

    def measured(self, workspace: str, judge: str) -> list[Measured]:
        """Return the sampled items that people agree on, with the current judge's verdicts."""
        labels = settled(self._queue.labels(workspace, judge))
        found = []
        for item in self._reviews.items(workspace, judge):
            label = labels.get(item.case_id)
            judgment = self._judgment(item)
            if item.origin == "sample" and label is not None and judgment is not None:
                found.append(
                    Measured(
                        judgment=judgment,
                        human=label.correct,
                        results_equal=item.results_equal is True,
                    )
                )
        return found

    def calibrate(self, workspace: str, judge: str, *, author: str) -> Calibration:
        """Make and store the calibration of a judge; rates are corrected by it from now on.

        Raises:
            DecisionError: There is no judge, or too few labels of either kind.
        """
        if self._judges.model is None:
            raise DecisionError("no judge is configured: set judge.base_url and judge.model")
        try:
            found = calibrate(
                self.measured(workspace, judge),
                judge=judge,
                model=self._judges.model,
                prompt=self._judges.fingerprints[judge],
            )
        except InputError as error:
            raise DecisionError(str(error)) from error
        row = StoredCalibration(
            workspace=workspace,
            judge=judge,
            document=found.to_json(),
            author=person(author),
            made_ns=self._clock_ns(),
        )
        with self._store.writing() as writer:
            writer.calibrations.put(row)
        return found

    def _judgment(self, item: ReviewItem) -> Judgment | None:
        """Return the verdict on an item; None: the configured judge gave none yet."""
        detail = json.loads(item.detail or "{}")
        if item.label is None or not self._judges.is_current(item.judge, detail):
            return None
        return Judgment(
            name=item.judge,
            label=cast("Label", item.label),
            model=detail.get("model"),
            decided_by=cast("DecidedBy", detail.get("decided_by", "judge")),
        )
