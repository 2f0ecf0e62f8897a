"""The rest of the judge's daily budget, on `/metrics`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.budget import micro_usd
from sqlobs.semconv import collector as metrics

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.store.reading import StoreReader

_MILLION: Final = 1_000_000


def show_budget(flow: PipelineMetrics, reader: StoreReader, limits: BudgetLimits) -> None:
    """Register the gauges of the configured limits."""
    most_usd, most_tokens = limits.usd, limits.tokens
    if most_usd is not None:
        flow.watch(
            metrics.BUDGET_REMAINING,
            "judge_usd",
            read=lambda: (micro_usd(most_usd) - reader.used(_today())[1]) / _MILLION,
        )
    if most_tokens is not None:
        flow.watch(
            metrics.BUDGET_REMAINING,
            "judge_tokens",
            read=lambda: most_tokens - reader.used(_today())[0],
        )


def _today() -> str:
    """Return the period as the endpoint's clock names it: the date in UTC."""
    return datetime.now(UTC).date().isoformat()
