"""The judges of a workspace, as page, API and command show them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, Field

from sqlobs.judge.trust.calibration import Calibration, agreement_of
from sqlobs.judge.trust.tuning import read_examples
from sqlobs_collector.curation.review_sampling import REVIEWED
from sqlobs_collector.judging.budget import today
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store.judge_budget import Spent  # noqa: TC001 - pydantic reads it

if TYPE_CHECKING:
    from sqlobs_collector.curation.desk import Desk
    from sqlobs_collector.store.judges import CalledWrong, JudgedCount

WINDOW_S: Final = 7 * 86_400
"""Verdicts on requests of this period are counted."""
_MOST_CRITIQUES: Final = 50
_MILLION: Final = 1_000_000


class AgreementView(BaseModel):
    """How well a judge agrees with people on the sampled requests."""

    labeled: int
    kappa: float | None
    low: float | None
    high: float | None
    accuracy: float | None
    sensitivity: float | None
    specificity: float | None


class CalibrationView(BaseModel):
    """The calibration that corrects a judge's rates."""

    source: str
    """`review`: made from the queue; `configuration`: judge.calibration."""
    is_current: bool
    """Whether it is that of the configured model and prompt; others correct nothing."""
    made_ns: int | None
    author: str | None
    sensitivity: float | None
    specificity: float | None
    labeled: int


class ExamplesView(BaseModel):
    """The examples in a judge's prompt."""

    version: int
    cases: int
    is_active: bool
    kappa_before: float | None
    kappa_after: float | None


class JudgeView(BaseModel):
    """One judge."""

    name: str
    passed: int
    failed: int
    not_evaluated: int
    cost_usd: float | None
    last_ns: int | None
    agreement: AgreementView | None
    """None: it is no judge that can be calibrated, or nobody labeled a request."""
    calibration: CalibrationView | None
    examples: ExamplesView | None


class CanariesView(BaseModel):
    """The last run of the canaries."""

    at_ns: int
    is_sound: bool


class BudgetView(BaseModel):
    """What judging has cost today (UTC)."""

    used_usd: float
    daily_usd: float | None
    used_tokens: int
    daily_tokens: int | None


class WorkspaceBudgetView(BudgetView):
    """What judging this workspace has cost today (UTC)."""

    stopped: dict[Spent, int] = Field(
        description="Questions that were not asked: `workspace_budget`: its own budget was used up;"
        " `budget`: that of all workspaces, or its rate limit."
    )


class CalledWrongView(BaseModel):
    """How often people called a kind of verdict wrong."""

    evaluation: str
    verdict: str
    requests: int
    out_of: int


class CritiqueView(BaseModel):
    """Why somebody calls a verdict wrong."""

    generation_id: str
    evaluation: str
    verdict: str
    author: str
    critique: str
    said_ns: int


class JudgesView(BaseModel):
    """The judges of a workspace; counts are of the last 7 days."""

    model: str | None
    """None: no judge is configured."""
    has_canaries: bool
    canaries: CanariesView | None
    budget: BudgetView
    """Of all workspaces together."""
    workspace_budget: WorkspaceBudgetView
    judges: list[JudgeView]
    called_wrong: list[CalledWrongView]
    critiques: list[CritiqueView]


def judges_view(desk: Desk, workspace: str) -> JudgesView:
    """Return what is known of a workspace's judges."""
    since_ns = time.time_ns() - WINDOW_S * 10**9
    counts = desk.judges.counts(workspace, since_ns=since_ns)
    names = dict.fromkeys([*REVIEWED, *sorted(one.metric for one in counts)])
    return JudgesView(
        model=desk.judge.model,
        has_canaries=desk.judge.canaries,
        canaries=_canaries(desk),
        budget=_budget(desk),
        workspace_budget=_workspace_budget(desk, workspace),
        judges=[_judge(desk, workspace, name, counts) for name in names],
        called_wrong=[
            _called_wrong(one) for one in desk.judges.called_wrong(workspace, since_ns=since_ns)
        ],
        critiques=[
            CritiqueView(
                generation_id=case_id,
                evaluation=one.metric,
                verdict=one.verdict,
                author=one.author,
                critique=one.critique,
                said_ns=one.said_ns,
            )
            for case_id, one in desk.reviews.wrong_findings(workspace)[:_MOST_CRITIQUES]
        ],
    )


def calibration_view(desk: Desk, workspace: str, judge: str) -> CalibrationView | None:
    """Return the calibration of a judge in a workspace; None: it has none."""
    for one in desk.calibrations.all():
        if (one.workspace, one.judge) == (workspace, judge):
            found = Calibration.from_json(one.document)
            is_current = desk.identities.is_calibrated_by(found)
            return _calibration(
                found, "review", is_current=is_current, made_ns=one.made_ns, author=one.author
            )
    return _configured(desk, judge)


def _configured(desk: Desk, judge: str) -> CalibrationView | None:
    table = desk.judge.tables().get(judge)
    if table is None:
        return None
    path = next((one for name, one in desk.judge.calibration.items() if name == judge), None)
    made_ns = path.stat().st_mtime_ns if isinstance(path, Path) else None
    found = Calibration(judge=judge, model="", prompt="", table=table, errors=0, strata={})
    return _calibration(found, "configuration", is_current=True, made_ns=made_ns, author=None)


def _calibration(
    found: Calibration, source: str, *, is_current: bool, made_ns: int | None, author: str | None
) -> CalibrationView:
    return CalibrationView(
        source=source,
        is_current=is_current,
        made_ns=made_ns,
        author=author,
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        labeled=sum(map(sum, found.table)) + found.errors,
    )


def _judge(desk: Desk, workspace: str, name: str, counts: list[JudgedCount]) -> JudgeView:
    own = [one for one in counts if one.metric == name]
    labels = {one.label: one.count for one in own}
    costs = [one.cost_usd for one in own if one.cost_usd is not None]
    return JudgeView(
        name=name,
        passed=labels.get("pass", 0),
        failed=labels.get("fail", 0),
        not_evaluated=labels.get("not_evaluated", 0),
        cost_usd=sum(costs) if costs else None,
        last_ns=max((one.last_ns for one in own), default=None),
        agreement=_agreement(desk, workspace, name) if name in REVIEWED else None,
        calibration=calibration_view(desk, workspace, name),
        examples=_examples(desk, name),
    )


def _agreement(desk: Desk, workspace: str, judge: str) -> AgreementView | None:
    measured = desk.calibrator.measured(workspace, judge)
    if not measured:
        return None
    found = agreement_of(measured)
    interval = None if found.kappa is None else found.kappa.interval
    return AgreementView(
        labeled=len(measured),
        kappa=None if found.kappa is None else found.kappa.value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        accuracy=found.accuracy,
        sensitivity=found.sensitivity,
        specificity=found.specificity,
    )


def _examples(desk: Desk, judge: str) -> ExamplesView | None:
    path = next((one for name, one in desk.judge.examples.items() if name == judge), None)
    if path is None:
        return None
    found = read_examples(path, judge=judge)
    return ExamplesView(
        version=found.version,
        cases=len(found.cases),
        is_active=bool(found.text),
        kappa_before=found.kappa_before,
        kappa_after=found.kappa_after,
    )


def _canaries(desk: Desk) -> CanariesView | None:
    judge = f"{desk.identities.model} {desk.identities.fingerprints.get(FLEX)}"
    found = desk.judges.canaries(judge)
    return None if found is None else CanariesView(at_ns=found.sung_ns, is_sound=found.is_sound)


def _budget(desk: Desk) -> BudgetView:
    tokens, micro_usd = desk.budgets.used(today())
    return BudgetView(
        used_usd=micro_usd / _MILLION,
        daily_usd=desk.judge.daily_usd,
        used_tokens=tokens,
        daily_tokens=desk.judge.daily_tokens,
    )


def _workspace_budget(desk: Desk, workspace: str) -> WorkspaceBudgetView:
    limits, usage = desk.judge.limits_of(workspace), desk.budgets.of(today(), workspace)
    return WorkspaceBudgetView(
        used_usd=usage.micro_usd / _MILLION,
        daily_usd=limits.usd,
        used_tokens=usage.tokens,
        daily_tokens=limits.tokens,
        stopped=usage.stopped,
    )


def _called_wrong(one: CalledWrong) -> CalledWrongView:
    return CalledWrongView(
        evaluation=one.metric, verdict=one.verdict, requests=one.requests, out_of=one.out_of
    )
