"""The stages that evaluate units and ask the judge."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from sqlobs.execution.executor import Executor
from sqlobs.execution.local import close_local_engines
from sqlobs.scores.local_verdicts import LocalVerdicts
from sqlobs.semconv import collector as metrics
from sqlobs_collector.assembly import (
    EvaluatingParts,
    evaluation_selection_of,
    golden_set,
    judge_queue_of,
    judge_worker_of,
    quotas_of,
    schemas_of,
    target_settings,
    targets_of,
)
from sqlobs_collector.evaluation.evaluator import Evaluator
from sqlobs_collector.evaluation.reachability import TargetWatch
from sqlobs_collector.evaluation.scorer import Scorer
from sqlobs_collector.evaluation.target_budgets import show_target_budgets
from sqlobs_collector.judging.budget import show_budgets
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.judge_budget import JudgeBudgetReader
from sqlobs_collector.store.target_usage import StoreUsage

if TYPE_CHECKING:
    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.judging.judge_worker import JudgeWorker
    from sqlobs_collector.stages.running import Running


def start_judge(running: Running) -> JudgeWorker | None:
    """Start what asks the judge, if one is configured."""
    judge = judge_worker_of(
        running.config,
        running.store,
        running.flow,
        worker=running.worker,
        canaries=running.duty("canaries"),
        clock_ns=running.clock_ns,
    )
    if judge is None:
        return None
    running.start(judge)
    config = running.config
    budgets = JudgeBudgetReader(running.engine)
    show_budgets(running.flow, budgets, config.judge, config.auth.all_workspaces)
    running.flow.watch(metrics.JUDGE_PAUSED, read=lambda: judge.is_paused)
    return judge


def evaluating_parts(running: Running, judge: JudgeWorker | None) -> EvaluatingParts:
    """Return what evaluates units; it is started by the role `evaluate`.

    The console uses it, too: annotators look at executed statements.

    Args:
        running: The process.
        judge: Woken when there is something to ask; None: another process does that.
    """
    config, store, reader = running.config, running.store, running.reader
    golden = _golden(running)
    executor = _executor(running)
    watch = None
    if executor is not None and "evaluate" in config.roles:
        watch = _watch_targets(running, executor)
    schemas = schemas_of(config, reader)
    quotas = running.start(quotas_of(config, running.engine, running.clock_ns))
    scorer = Scorer(
        executor=executor,
        targets=target_settings(config),
        golden=golden,
        wanted=evaluation_selection_of(config),
        schemas=schemas,
        local=_local_verdicts(running),
        inquirer=judge_queue_of(config, schemas, quotas.judge_rate),
        on_execution=_do_nothing if watch is None else watch.heard,
        clock_ns=running.clock_ns,
    )
    evaluator = Evaluator(
        reader,
        store,
        scorer,
        workers=config.evaluate.workers,
        flow=running.flow,
        worker=running.worker,
        on_inquiries=_do_nothing if judge is None else judge.notify,
        clock_ns=running.clock_ns,
    )
    if "evaluate" in config.roles:
        running.start(evaluator)
    return EvaluatingParts(
        store=store,
        reader=reader,
        golden=golden,
        schemas=schemas,
        executor=executor,
        evaluator=evaluator,
        scorer=scorer,
    )


def _golden(running: Running) -> GoldenSet:
    golden = golden_set(running.config, GoldenReader(running.engine))
    with running.store.writing() as writer:
        writer.golden.rekey(golden.digest_of)
    return golden


def _local_verdicts(running: Running) -> LocalVerdicts | None:
    """Return what asks local engines; their processes end with this one."""
    dialects = running.config.evaluate.local_engines
    if not dialects or "evaluate" not in running.config.roles:
        return None
    running.exits.push_async_callback(asyncio.to_thread, close_local_engines)
    return LocalVerdicts(dialects)


def _executor(running: Running) -> Executor | None:
    config = running.config
    targets, ledger = targets_of(config), StoreUsage(running.store)
    if "evaluate" in config.roles:
        show_target_budgets(running.flow, ledger, config)
    if not targets:
        return None
    executor = Executor(targets, workers=config.evaluate.workers, ledger=ledger)
    running.exits.push_async_callback(asyncio.to_thread, executor.close)
    return executor


def _watch_targets(running: Running, executor: Executor) -> TargetWatch:
    settings = target_settings(running.config)
    watch = TargetWatch(executor, settings)
    for alias, target in settings.known.items():
        for workspace in target.workspaces:
            for metric, read in (
                (metrics.TARGET_UP, partial(watch.is_up, alias)),
                (metrics.TARGET_HELD, partial(_held, executor, alias)),
            ):
                running.flow.watch(metric, alias, read=read, workspace=workspace)
    return running.start(watch)


def _do_nothing(*_: object) -> None:
    """A listener that does nothing."""


def _held(executor: Executor, alias: str) -> float:
    return float(executor.held.get(alias, 0))
