"""Which metrics are computed for each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.execution.target import Limits
from sqlobs.scores.comparison import ScoreSettings

if TYPE_CHECKING:
    from sqlobs.evaluation.own_metric import Metric
    from sqlobs.metrics.spider.database import SpiderDatabase

LIMITS: Final = Limits(max_sql_bytes=1_000_000)
"""References with thousands of columns are long, and evaluations are few: a generous limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSettings:
    """Which metrics are computed for each case."""

    limits: Limits = LIMITS
    """Of the prediction and of the reference, each by itself."""
    scores: ScoreSettings = field(default_factory=ScoreSettings)
    metrics: tuple[Metric, ...] = ()
    """Metrics of the user's own."""
    with_em: bool = True
    with_esm: bool = True
    with_check: bool = True
    with_local_engine: bool = False
    """The engine of BigQuery, Spark or ClickHouse on this machine is asked as well."""
    timing_runs: int = 0
    """How often a correct prediction and its reference are timed for VES; 0 = no VES."""
    spider: Mapping[str, SpiderDatabase] = field(default_factory=dict)
    """Spider's tables by database; where they are known, clauses are matched as Spider does."""
