"""The rest of the daily budgets of targets, on `/metrics`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sqlobs.execution.budget import remaining, today
from sqlobs.execution.target import Limits
from sqlobs.semconv import collector as metrics

if TYPE_CHECKING:
    from sqlobs.execution.access import CostLimits
    from sqlobs.execution.budget import UsageLedger
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.pipeline_metrics import PipelineMetrics


def show_target_budgets(
    flow: PipelineMetrics, ledger: UsageLedger, config: CollectorConfig
) -> None:
    """Register a gauge for each daily limit of each target."""
    for alias, target in config.targets.items():
        costs, limits = target.cost.limits(), Limits(timeout_s=target.limits.timeout_s)
        daily = {"bytes": costs.daily_bytes, "seconds": costs.daily_seconds}
        for unit in (name for name, limit in daily.items() if limit is not None):
            read = partial(_rest, ledger, alias, costs, limits, unit)
            flow.watch(metrics.BUDGET_REMAINING, f"target_{alias}_{unit}", read=read)


def _rest(ledger: UsageLedger, alias: str, costs: CostLimits, limits: Limits, unit: str) -> float:
    return remaining(costs, ledger.used(today(), alias), limits)[unit]
