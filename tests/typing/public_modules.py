"""The public modules as type checkers see them; never run, only checked by mypy and pyright."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

from sqlobs.check import CheckReport, NativeVerdict, Policy, check_sql
from sqlobs.errors import SchemaError, SqlobsError
from sqlobs.evaluation import CaseSet, LoadSettings, PairEvaluation, evaluate_pair, load_cases
from sqlobs.execution import (
    ExecutionRequest,
    Executor,
    LiveEngine,
    PairOutcome,
    Target,
    live_engine,
)
from sqlobs.judge import LlmFallback
from sqlobs.metrics import Interval, Match, SoftF1, ex, soft_f1, wilson_interval
from sqlobs.reporting import GateVerdict, Run, check_gates, console_block, parse_gate
from sqlobs.schema import Column, Schema, Table
from sqlobs.testing import CapturedSpans, capture_spans

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.types import ResultTable


def check_checking(schema: Schema) -> None:
    assert_type(check_sql("SELECT 1", schema=schema, policy=Policy()), CheckReport)
    assert_type(NativeVerdict("grammar 1").code, str | None)
    assert_type(Table("orders", (Column("id"),)).column("id"), Column | None)
    assert_type(LlmFallback.from_environment(), LlmFallback)
    raise SchemaError("a schema") from SqlobsError()


def check_metrics(table: ResultTable) -> None:
    assert_type(ex(table, table), Match)
    assert_type(soft_f1(table, table), SoftF1)
    assert_type(wilson_interval(1, 2), Interval | None)


def check_execution() -> None:
    target = Target.from_url("shop", "sqlite:///shop.db")
    with Executor([target], workers=1) as executor:
        assert_type(executor.run(ExecutionRequest(sql="SELECT 1", target="shop")), PairOutcome)
        assert_type(evaluate_pair("a", "b", target, executor=executor), PairEvaluation)
    assert_type(live_engine("postgresql://reader@db/shop"), LiveEngine)


def check_runs(run: Run, cases: Path, settings: LoadSettings) -> None:
    assert_type(load_cases(cases, settings), CaseSet)
    assert_type(check_gates(run, [parse_gate("esm<80%")]), list[GateVerdict])
    assert_type(console_block(run), str)
    with capture_spans() as spans:
        assert_type(spans, CapturedSpans)
