"""Everything that people decide with, for the admin port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs_collector.curation.calibrating import Calibrator, JudgeIdentities
    from sqlobs_collector.curation.golden_editor import GoldenEditor
    from sqlobs_collector.curation.golden_runs import GoldenRuns
    from sqlobs_collector.curation.review_queue import ReviewQueue
    from sqlobs_collector.curation.review_sampling import ReviewSampler
    from sqlobs_collector.curation.wrong_findings import WrongFindings
    from sqlobs_collector.settings.judging import Judge
    from sqlobs_collector.store.calibrations import CalibrationReader
    from sqlobs_collector.store.golden import GoldenReader
    from sqlobs_collector.store.judge_budget import JudgeBudgetReader
    from sqlobs_collector.store.judges import JudgeReader
    from sqlobs_collector.store.review import ReviewReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Readers of decisions, and what makes them."""

    golden: GoldenReader
    editor: GoldenEditor
    runs: GoldenRuns
    reviews: ReviewReader
    sampler: ReviewSampler
    queue: ReviewQueue
    wrong: WrongFindings
    calibrator: Calibrator
    calibrations: CalibrationReader
    judges: JudgeReader
    budgets: JudgeBudgetReader
    judge: Judge
    """The judge's settings."""
    identities: JudgeIdentities
