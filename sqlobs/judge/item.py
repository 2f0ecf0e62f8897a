"""The input of a judge: a question, its SQL, and their context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlobs.types import ResultTable

if TYPE_CHECKING:
    from sqlobs.types import ExecutionOutcome

Result: TypeAlias = ResultTable | str
"""A table, or text in its place (a recorded rendering, "No execution result")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeItem:
    """One statement to judge; every text in it may be hostile."""

    sql: str
    question: str | None = None
    dialect: str | None = None
    """The dialect in sqlglot's name."""
    schema: str | None = None
    """DDL with descriptions, as returned by `Schema.render`."""
    hints: str | None = None
    """Domain knowledge, such as a dataset's evidence."""
    reference: str | None = None
    """The reference SQL."""
    results_equal: bool | None = None
    """Execution accuracy of the pair; None if it was not executed."""
    predicted_result: Result | None = None
    reference_result: Result | None = None
    predicted_error: str | None = None
    """Set if the statement did not run: it is incorrect without a model call."""
    facts: tuple[str, ...] = ()
    """Automatically established facts about the statement: findings, outcome, proofs."""
    case_id: str | None = None
    """The caller's key; copied to the judgment and never sent."""

    @classmethod
    def of_outcomes(  # noqa: D417 - the rest are the fields of the same names
        cls,
        *,
        sql: str,
        predicted: ExecutionOutcome,
        reference_outcome: ExecutionOutcome,
        results_equal: bool | None,
        question: str | None = None,
        dialect: str | None = None,
        schema: str | None = None,
        hints: str | None = None,
        reference: str | None = None,
        facts: tuple[str, ...] = (),
        case_id: str | None = None,
    ) -> JudgeItem:
        """Return the item of an executed pair.

        Args:
            predicted: Outcome of running `sql`.
            reference_outcome: Outcome of running `reference`.
        """
        failed = predicted.status in {"error", "timeout"}
        return cls(
            sql=sql,
            question=question,
            dialect=dialect,
            schema=schema,
            hints=hints,
            reference=reference,
            results_equal=results_equal,
            predicted_result=predicted.table,
            reference_result=reference_outcome.table,
            predicted_error=(predicted.error or predicted.status) if failed else None,
            facts=facts,
            case_id=case_id,
        )
