"""A dataset judged by FLEX: rows, rates against execution accuracy, and what the faults are.

    rows = await flex_rows(endpoint, [FlexCase(item, difficulty="simple"), ...])
    summary = flex_summary(rows)
    summary.overall.flex, summary.overall.delta, summary.by_difficulty["simple"].ex

Knows no file format: `FlexRow.verdict` is what a run's row holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from sqlobs.judge.many import each
from sqlobs.judge.verdicts.categories import Categorisation, Categoriser, side_of
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.metrics.intervals import Interval, wilson_interval
from sqlobs.metrics.paired_tests import paired_difference_interval
from sqlobs.runs.case import JudgeVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgement import Judgement
    from sqlobs.judge.verdicts.categories import Side
    from sqlobs.judge.verdicts.judging import Judge


@dataclass(frozen=True, slots=True)
class FlexCase:
    """One executed pair of a dataset."""

    item: JudgeItem
    difficulty: str | None = None


@dataclass(frozen=True, slots=True)
class FlexRow:
    """A case with its judgement and, where it was sorted, its categories."""

    case: FlexCase
    judgement: Judgement
    categorisation: Categorisation

    @property
    def ex(self) -> bool:
        """Execution accuracy; a statement that did not run is incorrect."""
        return self.case.item.results_equal is True

    @property
    def verdict(self) -> JudgeVerdict:
        """The row of a run's file."""
        judgement = self.judgement
        version = judgement.prompt_version or judgement.decided_by
        return JudgeVerdict(
            judge=f"{judgement.name}/{version}"
            + (f"/{judgement.model}" if judgement.model else ""),
            correct=judgement.is_correct,
            score=judgement.score,
            explanation=judgement.explanation or judgement.reason,
            categories=self.categorisation.keys,
            suspicious=judgement.suspicious,
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rate with Wilson's interval; None without any case."""

    count: int
    total: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlexRates:
    """Execution accuracy and judge over the same cases: those that the judge decided."""

    cases: int
    undecided: int
    """Cases without a verdict; in no rate but in the bounds."""
    ex: Estimate
    flex: Estimate
    delta: float | None
    """`flex - ex`: how far execution accuracy underestimates."""
    delta_interval: Interval | None
    false_positives: Estimate
    """Equal results, judged incorrect; over all decided cases."""
    false_negatives: Estimate
    """Different results, judged correct; over all decided cases."""
    flex_bounds: tuple[float, float] | None
    """FLEX if all undecided cases were incorrect (the paper's count), and if all were correct."""


@dataclass(frozen=True, slots=True)
class CategoryShare:
    """How often a category was chosen on one side."""

    side: Side
    key: str
    count: int
    total: int
    """Rows on that side; one row may be in several categories."""

    @property
    def share(self) -> float:
        """Share of the side's rows."""
        return self.count / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class FlexSummary:
    """What a judged dataset amounts to."""

    overall: FlexRates
    by_difficulty: dict[str, FlexRates]
    """In the order in which difficulties first come; cases without one are left out."""
    categories: tuple[CategoryShare, ...]
    cost_usd: float | None
    calls: int


@dataclass(frozen=True, slots=True)
class CategorySpread:
    """A category's share over several runs."""

    side: Side
    key: str
    mean: float
    deviation: float
    """Of the population of runs; 0 for one run."""


async def flex_rows(
    endpoint: Endpoint,
    cases: Sequence[FlexCase],
    *,
    judge: Judge | None = None,
    categorise: bool = True,
    seen: Callable[[FlexRow], None] | None = None,
) -> list[FlexRow]:
    """Judge the cases of a dataset, in order.

    Args:
        endpoint: Whom to ask.
        cases: Executed pairs.
        judge: In place of `FlexJudge(endpoint)`: an ensemble, a tuned one.
        categorise: Whether a second call sorts what is wrong or different.
        seen: Called with each row as it comes, in any order.
    """
    judging = judge or FlexJudge(endpoint)
    categoriser = Categoriser(endpoint) if categorise else None

    async def row(case: FlexCase) -> FlexRow:
        made = await flex_row(case, judging, categoriser)
        if seen is not None:
            seen(made)
        return made

    return await each(row, cases, concurrency=endpoint.config.concurrency)


async def flex_row(case: FlexCase, judge: Judge, categoriser: Categoriser | None) -> FlexRow:
    """Judge one case, and sort what is wrong or different where there is a categoriser."""
    judgement = await judge.judge(case.item)
    if categoriser is None:
        found = Categorisation(side=side_of(case.item, judgement))
    else:
        found = await categoriser.categorise(case.item, judgement)
    return FlexRow(case, judgement, found)


def flex_summary(rows: Sequence[FlexRow]) -> FlexSummary:
    """Return the rates of judged rows, each by difficulty, and the categories."""
    difficulties = dict.fromkeys(row.case.difficulty for row in rows if row.case.difficulty)
    usages = [row.judgement.usage + row.categorisation.usage for row in rows]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return FlexSummary(
        overall=flex_rates(rows),
        by_difficulty={
            difficulty: flex_rates([row for row in rows if row.case.difficulty == difficulty])
            for difficulty in difficulties
        },
        categories=tuple(category_shares(rows)),
        cost_usd=sum(costs) if costs else None,
        calls=sum(usage.calls for usage in usages),
    )


def flex_rates(rows: Sequence[FlexRow]) -> FlexRates:
    """Return execution accuracy and FLEX over the rows with a verdict."""
    decided = [row for row in rows if row.judgement.is_correct is not None]
    sides = [side_of(row.case.item, row.judgement) for row in decided]
    both, false_positives = sides.count("true_positive"), sides.count("false_positive")
    false_negatives, neither = sides.count("false_negative"), sides.count("true_negative")
    total, undecided = len(decided), len(rows) - len(decided)
    accepted = both + false_negatives
    return FlexRates(
        cases=len(rows),
        undecided=undecided,
        ex=_estimate(both + false_positives, total),
        flex=_estimate(accepted, total),
        delta=(false_negatives - false_positives) / total if total else None,
        delta_interval=paired_difference_interval(both, false_negatives, false_positives, neither),
        false_positives=_estimate(false_positives, total),
        false_negatives=_estimate(false_negatives, total),
        flex_bounds=(accepted / len(rows), (accepted + undecided) / len(rows)) if rows else None,
    )


def category_shares(rows: Sequence[FlexRow]) -> list[CategoryShare]:
    """Return how often each category was chosen among the rows of its side."""
    shares = []
    sides: tuple[Side, ...] = ("false_positive", "true_negative", "false_negative")
    for side in sides:
        found = [row.categorisation for row in rows if row.categorisation.side == side]
        chosen = [key for categorisation in found for key in categorisation.keys]
        shares += [
            CategoryShare(side, key, chosen.count(key), len(found)) for key in dict.fromkeys(chosen)
        ]
    return shares


def category_spread(summaries: Sequence[FlexSummary]) -> list[CategorySpread]:
    """Return mean and standard deviation of each category's share over several runs."""
    found: dict[tuple[Side, str], dict[int, float]] = {}
    for place, summary in enumerate(summaries):
        for entry in summary.categories:
            found.setdefault((entry.side, entry.key), {})[place] = entry.share
    spreads = []
    for (side, key), shares in found.items():
        values = [shares.get(place, 0.0) for place in range(len(summaries))]
        spreads.append(CategorySpread(side, key, fmean(values), pstdev(values)))
    return spreads


def _estimate(count: int, total: int) -> Estimate:
    return Estimate(count, total, count / total if total else None, wilson_interval(count, total))
