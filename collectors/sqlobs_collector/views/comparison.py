"""Two sides compared: rates with intervals and significance, and questions whose answer changed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from sqlobs.metrics.intervals import newcombe_interval
from sqlobs.metrics.paired_tests import mcnemar
from sqlobs.semconv.evaluations import SCHEMA_HALLUCINATION, SCHEMA_HALLUCINATION_RATE, pass_rate
from sqlobs_collector.explaining.question import QuestionError
from sqlobs_collector.origin import Origin
from sqlobs_collector.quality.figures import (
    Tally,
    checker_tallies,
    first_attempt_tallies,
    outcome_tallies,
    tally_of,
)
from sqlobs_collector.store.quality_sums import Who
from sqlobs_collector.views.filters import (
    DEFAULT_SINCE,
    NONE,
    Period,
    read_end,
    read_filter,
    read_start,
)
from sqlobs_collector.views.requests import RequestSummary, summary_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs_collector.store.comparison import ChangedQuestion, Changes, ComparisonReader
    from sqlobs_collector.store.quality import QualityReader
    from sqlobs_collector.store.quality_sums import Evaluations
    from sqlobs_collector.store.selection import RequestFilter

BY: Final = ("prompt_version", "model", "service_version")
"""The columns whose values can be the sides; without one, two windows are."""
_NO_SIDES: Final = (
    "give by=prompt_version, model or service_version with before=VALUE and now=VALUE; without by,"
    " two windows are compared"
)
_NO_BY: Final = f"by must be one of {', '.join(BY)}"


class SideRate(BaseModel):
    """A rate of one side."""

    count: int
    of: int
    rate: float | None
    """Weighted by sampling probability, where that is known."""
    lower: float | None
    upper: float | None


class RateComparison(BaseModel):
    """A rate on both sides."""

    name: str
    before: SideRate
    now: SideRate
    difference: float | None
    difference_lower: float | None
    difference_upper: float | None
    is_significant: bool | None
    """The 95 % interval of the difference excludes 0."""


class QuestionChange(BaseModel):
    """A question with its latest request on both sides."""

    before: RequestSummary
    now: RequestSummary


class Side(BaseModel):
    """What is on one side."""

    title: str
    period: Period
    requests: int


class Comparison(BaseModel):
    """Two sides compared."""

    by: str | None
    before: Side
    now: Side
    rates: list[RateComparison]
    newly_failing: list[QuestionChange]
    newly_failing_count: int
    newly_passing: list[QuestionChange]
    newly_passing_count: int
    questions_looked_at: int
    """Failing questions of each side that were looked up on the other, the latest first."""
    p_value: float | None
    """McNemar's exact test of newly failing against newly passing questions."""


def read_sides(
    workspace: str, given: Sequence[tuple[str, str]], *, now_ns: int
) -> tuple[RequestFilter, RequestFilter, str | None]:
    """Read the two sides of an address: before, now, and by what they differ.

    Raises:
        QuestionError: They cannot be read.
    """
    said = {name: text for name, text in given if text}
    by = said.get("by")
    if by is None:
        return (*_windows(workspace, given, said, now_ns=now_ns), None)
    if by not in BY:
        raise QuestionError(_NO_BY)
    if not (said.get("before") and said.get("now")):
        raise QuestionError(_NO_SIDES)
    shared = read_filter(workspace, given, now_ns=now_ns)
    values = [("" if said[side] == NONE else said[side]) for side in ("before", "now")]
    before, now = (shared.within(**{by: value}) for value in values)
    return before, now, by


def _windows(
    workspace: str,
    given: Sequence[tuple[str, str]],
    said: Mapping[str, str],
    *,
    now_ns: int,
) -> tuple[RequestFilter, RequestFilter]:
    """Return the period before a time and the one from it; without `at`, halves of the same length.

    `at=DEPLOY` compares the period since a deployment with the one before it, `baseline` long.
    """
    until_ns = read_end(said.get("until"), now_ns=now_ns)
    start = said.get("at") or said.get("since") or DEFAULT_SINCE
    start_ns = read_start(start, end_ns=until_ns)
    length_ns = until_ns - start_ns
    baseline = said.get("baseline")
    before_ns = max(0, start_ns - length_ns)
    if baseline:
        before_ns = read_start(baseline, end_ns=start_ns)
    others = [(name, text) for name, text in given if name not in {"since", "until", "at"}]
    now = read_filter(workspace, others, now_ns=now_ns).of(start_ns, until_ns)
    return now.of(before_ns, start_ns), now


def comparison(
    quality: QualityReader,
    reader: ComparisonReader,
    sides: tuple[RequestFilter, RequestFilter],
    *,
    by: str | None,
) -> Comparison:
    """Compare two sides."""
    tallies, sizes = _tallies(quality, sides)
    failing = reader.newly_failing(*sides)
    passing = reader.newly_passing(*sides)
    titles = [_title(side, by) for side in sides]
    return Comparison(
        by=by,
        before=Side(title=titles[0], period=Period.of(sides[0]), requests=sizes[0]),
        now=Side(title=titles[1], period=Period.of(sides[1]), requests=sizes[1]),
        rates=[
            _compared(name, tallies[0].get(name), tallies[1].get(name)) for name in _names(tallies)
        ],
        newly_failing=[_change(one) for one in failing.shown],
        newly_failing_count=failing.count,
        newly_passing=[_change(one) for one in passing.shown],
        newly_passing_count=passing.count,
        questions_looked_at=failing.looked_at + passing.looked_at,
        p_value=_p_value(failing, passing),
    )


def _tallies(
    quality: QualityReader, sides: Sequence[RequestFilter]
) -> tuple[list[dict[str, Tally]], list[int]]:
    """Return the shares of each side by name, its requests, and whether evaluations are there."""
    whos = [Who(Origin(side.workspace, "", ""), str(number)) for number, side in enumerate(sides)]
    units = [quality.chosen_units(side, who=who) for side, who in zip(sides, whos, strict=True)]
    sizes = [sum(one.count for one in found) for found in units]
    tallies = []
    for side, who, found in zip(sides, whos, units, strict=True):
        evaluated = quality.chosen_evaluations(side, who=who)
        stand_ins = [one for one in evaluated if one.evaluation in _CHECKER]
        named = {
            **checker_tallies(found, stand_ins),
            **first_attempt_tallies(found),
            **{key: tally for key, tally in outcome_tallies(found).items() if key[1] in _OUTCOMES},
        }
        tallies.append(
            {_named(name): _shown(name, tally) for (_, name), tally in named.items()}
            | _evaluation_tallies(evaluated)
        )
    return tallies, sizes


_CHECKER: Final = frozenset({"syntactic", "schematic", "schema_hallucination", "sql_correctness"})
_OUTCOMES: Final = frozenset({"error", "abstained", "clarified", "cancelled"})


def _named(name: str) -> str:
    """Return the name of a rate, as reports and gates have it."""
    if name == SCHEMA_HALLUCINATION:
        return SCHEMA_HALLUCINATION_RATE
    if name in _OUTCOMES:
        return f"{name}_rate"
    return pass_rate(name) if name in _CHECKER else name


def _shown(name: str, tally: Tally) -> Tally:
    return tally.opposite if name == SCHEMA_HALLUCINATION else tally


def _evaluation_tallies(evaluated: Iterable[Evaluations]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for one in evaluated:
        if one.evaluation not in _CHECKER:
            tallies[pass_rate(one.evaluation)].join(tally_of(one))
    return dict(tallies)


def _names(tallies: Sequence[Mapping[str, Tally]]) -> list[str]:
    return list(dict.fromkeys(name for one in tallies for name in one))


def _compared(name: str, before: Tally | None, now: Tally | None) -> RateComparison:
    sides = [_rate(one) for one in (before, now)]
    interval = None
    if before is not None and now is not None:
        interval = newcombe_interval(*_effective(now), *_effective(before))
    first, second = sides[0].rate, sides[1].rate
    return RateComparison(
        name=name,
        before=sides[0],
        now=sides[1],
        difference=None if first is None or second is None else second - first,
        difference_lower=interval.low if interval else None,
        difference_upper=interval.high if interval else None,
        is_significant=None if interval is None else not interval.low <= 0 <= interval.high,
    )


def _rate(tally: Tally | None) -> SideRate:
    if tally is None or not tally.count:
        return SideRate(count=0, of=0, rate=None, lower=None, upper=None)
    figures, interval = tally.figures, tally.expected
    return SideRate(
        count=tally.passed,
        of=tally.count,
        rate=figures.get("weighted", figures["raw"]),
        lower=interval.low if interval else None,
        upper=interval.high if interval else None,
    )


def _effective(tally: Tally) -> tuple[float, float]:
    """Return successes and size of an equally weighted sample as precise as this one."""
    if tally.weighted is None:
        return tally.passed, tally.count
    return tally.weighted * tally.effective, tally.effective


def _p_value(failing: Changes, passing: Changes) -> float | None:
    if not failing.count + passing.count:
        return None
    return mcnemar(passing.count, failing.count).p_exact


def _title(side: RequestFilter, by: str | None) -> str:
    if by is None:
        period = Period.of(side)
        since, until = (time[:19].replace("T", " ") for time in (period.since, period.until))
        return f"{since} to {until}"
    return f"{by.replace('_', ' ')} {side.equal[by] or 'unknown'}"


def _change(one: ChangedQuestion) -> QuestionChange:
    return QuestionChange(before=_summary(one.before), now=_summary(one.now))


def _summary(row: Mapping[str, Any]) -> RequestSummary:
    return summary_of(row, {})
