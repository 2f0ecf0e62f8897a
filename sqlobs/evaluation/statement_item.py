"""The input of judges that need no reference: a statement with what is known about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.execution.fan_out import fan_outs
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.facts import facts_of, schema_text
from sqlobs.judge.verdicts.rendering import render
from sqlobs.judge.verdicts.roster import JUDGE_FAILED

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Databases
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits
    from sqlobs.judge.judge_names import JudgeName
    from sqlobs.runs.case import CheckSummary


def judges_of(predicted: Execution, names: tuple[JudgeName, ...]) -> tuple[JudgeName, ...]:
    """Return the judges to ask: of a statement that was not run, not those that see results."""
    is_run = predicted.outcome.status in {"ok", "error", "timeout"}
    return tuple(name for name in names if is_run or name in JUDGE_FAILED)


def statement_item(
    case: Case,
    predicted: Execution,
    check: CheckSummary | None,
    databases: Databases,
    executor: Executor | None,
    limits: Limits,
) -> JudgeItem:
    """Return the item: findings, outcome and proofs of inflated aggregates are its facts.

    Without an executor there are no proofs.
    """
    sql, outcome = case.predicted_sql or "", predicted.outcome
    target, schema = databases.target_of(case), databases.schema_of(case)
    proofs: tuple[str, ...] = ()
    if executor is not None and outcome.table is not None and schema is not None:
        found = fan_outs(
            executor,
            sql,
            schema=schema,
            dialect=target.dialect,
            target=target.alias,
            limits=limits,
        )
        proofs = tuple(proof.sentence for proof in found)
    has_failed = outcome.status in {"error", "timeout"}
    return JudgeItem(
        sql=sql,
        question=case.question,
        dialect=target.dialect,
        schema=None if schema is None else schema_text(schema, [sql]),
        hints=case.hint,
        predicted_result=render(outcome.table),
        predicted_error=(outcome.error or outcome.status) if has_failed else None,
        facts=facts_of(check, outcome, proofs=proofs),
        case_id=case.label,
    )
