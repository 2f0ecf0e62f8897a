"""Runs untrusted SQL under limits: a gate, the engine's own limits, killable worker processes.

Three layers, each of which must be sufficient on its own:

- `gate`: the statement's tree and tokens; one read-only query, allow-listed functions only;
- `engines`: the database's own limits; a read-only snapshot, time, rows, bytes, memory;
- `pool`: a process that is killed when the first two were not enough.

An `Executor` runs an `ExecutionRequest` on a `Target` and returns a `PairOutcome` of `Execution`s;
`Limits` bounds time, rows and bytes. `live_engine` has your own database prepare statements without
running them, for `check_sql(native=...)`; `local_engine` has the engine of a warehouse on
this machine analyze them. `fan_outs` finds joins that multiply rows.

Tests: `tests/execution/test_executor.py`.
Tests of json_template: `tests/evaluation/test_generation.py`.
Tests of target: `tests/execution/test_engine_contract.py`.
Tests of calls, relations, restrictions, volatility: `tests/execution/test_gate.py`.
Tests of failure: `tests/execution/test_values_in_messages.py`.
Tests of local: `tests/engines/test_process.py`.
Tests of messages, pool, process, worker: `tests/execution/test_workers.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.fan_out import FanOut, fan_outs
    from sqlobs.execution.live import LiveEngine, live_engine
    from sqlobs.execution.local import LocalEngine, local_engine
    from sqlobs.execution.outcome import Execution, ExecutionRequest, PairOutcome
    from sqlobs.execution.target import HttpQuery, Limits, Target

__all__ = [
    "Execution",
    "ExecutionRequest",
    "Executor",
    "FanOut",
    "HttpQuery",
    "Limits",
    "LiveEngine",
    "LocalEngine",
    "PairOutcome",
    "Target",
    "fan_outs",
    "live_engine",
    "local_engine",
]

_HOMES = {
    "Execution": "sqlobs.execution.outcome",
    "ExecutionRequest": "sqlobs.execution.outcome",
    "Executor": "sqlobs.execution.executor",
    "FanOut": "sqlobs.execution.fan_out",
    "HttpQuery": "sqlobs.execution.target",
    "Limits": "sqlobs.execution.target",
    "LiveEngine": "sqlobs.execution.live",
    "LocalEngine": "sqlobs.execution.local",
    "PairOutcome": "sqlobs.execution.outcome",
    "Target": "sqlobs.execution.target",
    "fan_outs": "sqlobs.execution.fan_out",
    "live_engine": "sqlobs.execution.live",
    "local_engine": "sqlobs.execution.local",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
