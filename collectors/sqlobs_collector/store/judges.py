"""What judges did in one workspace, and how often people called a verdict wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from sqlobs_collector.store.judge_rows import CanaryResult
from sqlobs_collector.store.tables import (
    CANARY,
    EVALUATION,
    UNIT,
    WRONG_FINDING,
    is_unit_of,
)

if TYPE_CHECKING:
    from sqlalchemy import Engine

_LLM: Final = "llm"
_CHECKER: Final = "verdict"


@dataclass(frozen=True, slots=True)
class JudgedCount:
    """The verdicts of one kind of a judge."""

    metric: str
    label: str
    count: int
    cost_usd: float | None
    last_ns: int


@dataclass(frozen=True, slots=True)
class CalledWrong:
    """How often people called a kind of verdict wrong."""

    metric: str
    verdict: str
    requests: int
    """Requests with that verdict of which somebody says that it is wrong."""
    out_of: int
    """All requests with that verdict."""


class JudgeReader:
    """Counts; each call is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def counts(self, workspace: str, *, since_ns: int) -> list[JudgedCount]:
        """Return the verdicts on requests since a time, by judge and label."""
        query = (
            select(
                EVALUATION.c.metric,
                EVALUATION.c.label,
                func.count(),
                func.sum(EVALUATION.c.cost_usd),
                func.max(EVALUATION.c.created_ns),
            )
            .join(UNIT, UNIT.c.id == EVALUATION.c.unit_id)
            .where(UNIT.c.workspace == workspace, UNIT.c.occurred_ns >= since_ns)
            .where(EVALUATION.c.kind == _LLM)
            .group_by(EVALUATION.c.metric, EVALUATION.c.label)
        )
        with self._engine.connect() as connection:
            return [JudgedCount(*row) for row in connection.execute(query)]

    def canaries(self, judge: str) -> CanaryResult | None:
        """Return the last result of a judge's canaries, by its model and fingerprint."""
        with self._engine.connect() as connection:
            row = connection.execute(select(CANARY).where(CANARY.c.judge == judge)).one_or_none()
        return None if row is None else CanaryResult(*row)

    def called_wrong(self, workspace: str, *, since_ns: int) -> list[CalledWrong]:
        """Return how often verdicts on requests since a time were called wrong."""
        of = (UNIT.c.workspace == workspace) & (UNIT.c.occurred_ns >= since_ns)
        query = (
            select(
                WRONG_FINDING.c.metric,
                WRONG_FINDING.c.verdict,
                func.count(func.distinct(WRONG_FINDING.c.unit_id)),
            )
            .join(UNIT, UNIT.c.id == WRONG_FINDING.c.unit_id)
            .where(is_unit_of(workspace), UNIT.c.occurred_ns + 0 >= since_ns)
            .group_by(WRONG_FINDING.c.metric, WRONG_FINDING.c.verdict)
            .order_by(func.count().desc(), WRONG_FINDING.c.metric, WRONG_FINDING.c.verdict)
        )
        found = []
        with self._engine.connect() as connection:
            for metric, verdict, requests in connection.execute(query).all():
                if metric == _CHECKER:
                    said = func.coalesce(UNIT.c.failure_code, UNIT.c.verdict)
                    all_of = select(func.count()).select_from(UNIT).where(of, said == verdict)
                else:
                    all_of = (
                        select(func.count(func.distinct(UNIT.c.id)))
                        .join(EVALUATION, EVALUATION.c.unit_id == UNIT.c.id)
                        .where(of, EVALUATION.c.metric == metric, EVALUATION.c.label == verdict)
                    )
                out_of = connection.execute(all_of).scalar_one()
                found.append(CalledWrong(metric, verdict, requests, out_of))
        return found
