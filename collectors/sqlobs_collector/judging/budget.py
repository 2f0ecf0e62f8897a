"""What is left of the judge's daily budgets, and what they stop, on `/metrics`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.budget import micro_usd
from sqlobs.judge.endpoint.clock import SystemClock
from sqlobs.semconv import collector as metrics
from sqlobs_collector.store.judge_budget import SPENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlobs.judge.endpoint.budget import BudgetLimits
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.settings.judging import Judge
    from sqlobs_collector.store.judge_budget import JudgeBudgetReader, Spent

_MILLION: Final = 1_000_000


def today() -> str:
    """Return the period as the endpoint's clock names it: the date in UTC."""
    return SystemClock().day()


def show_budgets(
    flow: PipelineMetrics, reader: JudgeBudgetReader, judge: Judge, workspaces: Iterable[str]
) -> None:
    """Register the gauges of the configured limits, and of what they stop in each workspace."""
    _show_rest(flow, lambda: reader.used(today()), judge.limits)
    for workspace in workspaces:
        limits, used = judge.limits_of(workspace), partial(_used, reader, workspace)
        _show_rest(flow, used, limits, workspace=workspace)
        for reason in SPENT:
            read = partial(_stopped, reader, workspace, reason)
            flow.watch(metrics.JUDGE_STOPPED, reason, read=read, workspace=workspace)


def _show_rest(
    flow: PipelineMetrics,
    used: Callable[[], tuple[int, int]],
    limits: BudgetLimits,
    *,
    workspace: str = "",
) -> None:
    most_usd, most_tokens = limits.usd, limits.tokens
    if most_usd is not None:
        flow.watch(
            metrics.BUDGET_REMAINING,
            "judge_usd",
            read=lambda: (micro_usd(most_usd) - used()[1]) / _MILLION,
            workspace=workspace,
        )
    if most_tokens is not None:
        flow.watch(
            metrics.BUDGET_REMAINING,
            "judge_tokens",
            read=lambda: most_tokens - used()[0],
            workspace=workspace,
        )


def _used(reader: JudgeBudgetReader, workspace: str) -> tuple[int, int]:
    usage = reader.of(today(), workspace)
    return usage.tokens, usage.micro_usd


def _stopped(reader: JudgeBudgetReader, workspace: str, reason: Spent) -> int:
    return reader.of(today(), workspace).stopped[reason]
