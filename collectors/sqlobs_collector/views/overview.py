"""The overview: rates over time with intervals, volume, latency and cost, deploys, objectives."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from sqlobs.semconv.evaluations import (
    FIRST_ATTEMPT_RATE,
    HEADLINE,
    SCHEMA_HALLUCINATION,
    SCHEMA_HALLUCINATION_RATE,
)
from sqlobs_collector.explaining.question import QuestionError, read_duration, read_time
from sqlobs_collector.quality.figures import alike, share_where
from sqlobs_collector.quality.labels import CHECKER, FIRST_ATTEMPT, outcome_is, verdict_is
from sqlobs_collector.store.hours import ALL, DIMENSIONS, Span, requests_of
from sqlobs_collector.store.intake import IntakeCounts
from sqlobs_collector.store.rollup import BOUNDS_S
from sqlobs_collector.units.paths import time_text
from sqlobs_collector.views.filters import NONE
from sqlobs_collector.views.objectives import (
    AlertState,
    ObjectiveState,
    alert_states,
    objective_states,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs_collector.quality.figures import Tally
    from sqlobs_collector.quality.labels import Label
    from sqlobs_collector.store.hours import Cell, Comparison, HourReader
    from sqlobs_collector.store.intake import IntakeReader
    from sqlobs_collector.store.quality_sums import VerdictCounts
    from sqlobs_collector.views.objectives import Watched

PERIODS: Final = ("1h", "6h", "24h", "7d", "30d")
DEFAULT_PERIOD: Final = "24h"
_PARTS_S: Final = (300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400)
_MOST_PARTS: Final = 48
_MOST_SERIES: Final = 6
_MOST_GROUPS: Final = 50
_QUANTILES: Final = {"p50_s": 0.5, "p95_s": 0.95}
_USD_DECIMALS: Final = 9
"""Of a sum of costs: what a float has beyond them depends on the order of the terms."""
_ONE_FILTER: Final = (
    "the overview filters by one property at a time, and compares by none or the same: use"
    " /v1/requests for more filters"
)


@dataclass(frozen=True, slots=True)
class _RateKind:
    title: str
    is_good: bool
    label: Label
    """What the rate is the share of, or what the others are that it is the share of."""
    is_opposite: bool = False

    def tally(self, units: Iterable[VerdictCounts]) -> Tally | None:
        """Return the share of requests; None: nothing is decided of any."""
        tally = share_where(units, self.label)
        return tally.opposite if tally is not None and self.is_opposite else tally


RATES: Final[dict[str, _RateKind]] = {
    SCHEMA_HALLUCINATION_RATE: _RateKind(
        "Answers with invented names",
        is_good=False,
        label=CHECKER[SCHEMA_HALLUCINATION],
        is_opposite=True,
    ),
    HEADLINE: _RateKind("Valid and grounded SQL", is_good=True, label=CHECKER[HEADLINE]),
    FIRST_ATTEMPT_RATE: _RateKind(
        "First attempts that pass",
        is_good=True,
        label=FIRST_ATTEMPT[FIRST_ATTEMPT_RATE],
    ),
    "failed": _RateKind("Answers with verdict failed", is_good=False, label=verdict_is("failed")),
    "not_evaluated": _RateKind(
        "Answers without a verdict",
        is_good=False,
        label=verdict_is("not_evaluated"),
    ),
    "error": _RateKind("Requests that end in an error", is_good=False, label=outcome_is("error")),
}
"""The rates that are shown, by name; the first is the default."""
RateName = Literal[
    "schema_hallucination_rate",
    "sql_correctness",
    "first_attempt_pass_rate",
    "failed",
    "not_evaluated",
    "error",
]


class Rate(BaseModel):
    """A share of requests, weighted by their sampling at the application."""

    requests: int = Field(description="Out of how many requests.")
    counted: int = Field(description="How many of them, unweighted.")
    value: float | None = Field(description="Weighted share; null: no request counts.")
    low: float | None = Field(description="Lower end of the 95 % interval.")
    high: float | None


class NamedRate(Rate):
    """One of the rates that the page shows."""

    name: str
    title: str
    is_good: bool = Field(description="Whether more is better.")


class Point(BaseModel):
    """One part of the period."""

    at: str = Field(description="Its start.")
    at_s: int = Field(description="The same, in seconds since 1970.")
    rate: Rate
    requests: int
    p50_s: float | None = Field(description="Median duration in seconds.")
    p95_s: float | None
    cost_usd: float | None


class Group(BaseModel):
    """The requests with one value of the property that is compared by."""

    value: str = Field(description="Empty: requests without one.")
    rate: Rate
    requests: int
    p50_s: float | None
    p95_s: float | None
    cost_usd: float | None
    points: list[Point] = Field(description="Empty beyond the largest groups.")


class Deploy(BaseModel):
    """The first request of a version of a service."""

    version: str
    at: str
    at_s: int


class Overview(BaseModel):
    """What the overview shows."""

    workspace: str
    since: str
    until: str
    part_s: int = Field(description="Length of a point of the series, in seconds.")
    rate: str
    title: str
    by: str | None
    filter: tuple[str, str] | None
    requests: int
    censored: int = Field(description="Requests that the intake quota kept out, by whole hours.")
    censored_share: float
    rates: list[NamedRate]
    points: list[Point]
    groups: list[Group]
    deploys: list[Deploy]
    alerts: list[AlertState] = Field(description="Those that fire now.")
    objectives: list[ObjectiveState] = Field(description="Of the last hour before `until`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewQuery:
    """What is asked of the overview."""

    since_ns: int
    until_ns: int
    rate: str
    by: str | None
    equal: tuple[str, str] | None


def read_query(given: Mapping[str, str], *, now_ns: int) -> OverviewQuery:
    """Read the parameters of an address.

    Raises:
        QuestionError: One of them cannot be read.
    """
    until_ns = read_time("until", given["until"]) if given.get("until") else now_ns
    since = given.get("since") or DEFAULT_PERIOD
    seconds = read_duration(since)
    since_ns = read_time("since", since) if seconds is None else until_ns - seconds * 10**9
    if not 0 <= since_ns < until_ns:
        raise QuestionError("since must be before until")
    rate, by = given.get("rate") or next(iter(RATES)), given.get("by") or None
    if rate not in RATES:
        raise QuestionError(f"rate must be one of {', '.join(RATES)}")
    if by is not None and by not in DIMENSIONS:
        raise QuestionError(f"by must be one of {', '.join(DIMENSIONS)}")
    equal = [(name, given[name]) for name in DIMENSIONS if given.get(name)]
    if len(equal) > 1 or (equal and by not in {None, equal[0][0]}):
        raise QuestionError(_ONE_FILTER)
    name, value = equal[0] if equal else ("", "")
    chosen = (name, "" if value == NONE else value) if equal else None
    return OverviewQuery(since_ns=since_ns, until_ns=until_ns, rate=rate, by=by, equal=chosen)


def overview(
    reader: HourReader,
    intake: IntakeReader,
    watched: Watched,
    workspace: str,
    query: OverviewQuery,
) -> Overview:
    """Return the overview of a workspace."""
    kind, part_ns = RATES[query.rate], _part_ns(query)
    span = Span(
        workspace=workspace,
        since_ns=query.since_ns,
        until_ns=query.until_ns,
        part_ns=part_ns,
        dimension=query.by or ALL,
        equal=query.equal,
    )
    changes = reader.changes(workspace, until_ns=query.until_ns)
    compared = None
    if query.by:
        compared = reader.compared(span, groups=_MOST_GROUPS, series=_MOST_SERIES, changes=changes)
    cells = reader.cells(span, changes) if compared is None else compared.cells
    kept_out = intake.within(query.since_ns, query.until_ns).get(workspace, IntakeCounts())
    deploys = reader.first_seen(
        workspace, since_ns=query.since_ns, until_ns=query.until_ns, changes=changes
    )
    return Overview(
        workspace=workspace,
        since=time_text(query.since_ns),
        until=time_text(query.until_ns),
        part_s=part_ns // 10**9,
        rate=query.rate,
        title=kind.title,
        by=query.by,
        filter=query.equal,
        requests=requests_of(cells),
        censored=kept_out.refused,
        censored_share=kept_out.censored,
        rates=_rates(cells),
        points=_points(span, kind, cells),
        groups=[] if compared is None else _groups(compared, span, kind),
        deploys=[
            Deploy(version=version, at=time_text(at_ns), at_s=at_ns // 10**9)
            for version, at_ns in sorted(deploys.items(), key=lambda one: one[1])
        ],
        alerts=alert_states(watched, workspace),
        objectives=objective_states(
            reader, watched, workspace, until_ns=query.until_ns, changes=changes
        ),
    )


def rate_of(tally: Tally | None) -> Rate:
    """Return a share as it is shown."""
    if tally is None or not tally.count:
        return Rate(requests=0, counted=0, value=None, low=None, high=None)
    figures = tally.figures
    return Rate(
        requests=tally.count,
        counted=tally.passed,
        value=figures.get("weighted", figures["raw"]),
        low=figures.get("weighted_lower"),
        high=figures.get("weighted_upper"),
    )


def _part_ns(query: OverviewQuery) -> int:
    length_s = (query.until_ns - query.since_ns) / 10**9
    fitting = (part_s for part_s in _PARTS_S if length_s / part_s <= _MOST_PARTS)
    longest_s = _PARTS_S[-1]
    return next(fitting, math.ceil(length_s / _MOST_PARTS / longest_s) * longest_s) * 10**9


def _rates(cells: Sequence[Cell]) -> list[NamedRate]:
    units = alike(cell.counts for cell in cells)
    return [
        NamedRate(
            name=name, title=kind.title, is_good=kind.is_good, **dict(rate_of(kind.tally(units)))
        )
        for name, kind in RATES.items()
    ]


def _groups(compared: Comparison, span: Span, kind: _RateKind) -> list[Group]:
    """Return the groups, the largest first."""
    return [
        Group(
            value=value,
            rate=rate_of(kind.tally([cell.counts for cell in cells])),
            requests=requests_of(cells),
            **_quantiles(cells),
            cost_usd=_cost(cells),
            points=_points(span, kind, compared.series.get(value)),
        )
        for value, cells in compared.groups.items()
    ]


def _points(span: Span, kind: _RateKind, cells: Iterable[Cell] | None) -> list[Point]:
    """Return every part of the period, those without a request too; none without cells."""
    if cells is None:
        return []
    in_part: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        in_part[cell.part].append(cell)
    first = span.since_ns // span.part_ns
    count = (span.until_ns - 1) // span.part_ns - first + 1
    return [
        Point(
            at=time_text((first + part) * span.part_ns),
            at_s=(first + part) * span.part_ns // 10**9,
            rate=rate_of(kind.tally([cell.counts for cell in in_part[part]])),
            requests=requests_of(in_part[part]),
            **_quantiles(in_part[part]),
            cost_usd=_cost(in_part[part]),
        )
        for part in range(count)
    ]


def _cost(cells: Iterable[Cell]) -> float | None:
    known = [cell.cost_usd for cell in cells if cell.cost_usd is not None]
    return round(math.fsum(known), _USD_DECIMALS) if known else None


def _quantiles(cells: Sequence[Cell]) -> dict[str, float | None]:
    """Return median and 95th percentile of the durations."""
    counts = [sum(bucket) for bucket in zip(*(cell.took for cell in cells), strict=True)]
    return {name: _quantile(counts, share) for name, share in _QUANTILES.items()}


def _quantile(counts: Sequence[int], share: float) -> float | None:
    """Estimate a quantile from counts by bucket, linear inside a bucket, as Prometheus does."""
    if not (total := sum(counts)):
        return None
    wanted, below = share * total, 0
    for bucket, bound in enumerate(BOUNDS_S):
        if below + counts[bucket] >= wanted:
            start = BOUNDS_S[bucket - 1] if bucket else 0.0
            return start + (bound - start) * (wanted - below) / (counts[bucket] or 1)
        below += counts[bucket]
    return BOUNDS_S[-1]
