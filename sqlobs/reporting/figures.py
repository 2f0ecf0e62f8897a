"""The figures of one run: every rate and mean with its denominator and its interval."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.intervals import Interval, bootstrap_mean, wilson_interval
from sqlobs.metrics.runtime_efficiency import reward_efficiency_score, valid_efficiency_score
from sqlobs.metrics.weighting import weighted_rate
from sqlobs.reporting.rates import HEADLINE, RATES, STRICT, VARIANTS
from sqlobs.reporting.samples import sample_figures
from sqlobs.scores.registry import CASE_SCORES, OWN_SCORES, PARTIAL_SCORES, RUN_SCORES, SHOWN_SCORES
from sqlobs.scores.score import PERCENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlobs.metrics.weighting import WeightedRate
    from sqlobs.reporting.rates import Rate
    from sqlobs.reporting.samples import SampleFigure
    from sqlobs.runs.case import CaseResult, Stage
    from sqlobs.scores.score import Direction, Score

OF_FAILURES: Final = "_of_failures"
MAIN_SCORES: Final = frozenset({"ex", "exp", "exr", "f1"})
"""The scores that are shown first; the others are specific to other evaluators."""

_DRAWS: Final = 10_000_000
"""Values drawn per bootstrap; large runs need fewer resamples for the same precision."""
_RESAMPLES: Final = 10_000
_FEWEST_RESAMPLES: Final = 1_000


_KEPT_INTERVALS: Final = 64
"""Cached because text, page and gates show the same figures and bootstraps are slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A share of cases or a mean score over them."""

    name: str
    """The name in gates and JSON."""
    title: str
    about: str
    """One sentence: what counts, out of which cases."""
    kind: Literal["rate", "mean"]
    value: float | None
    """None if no case was evaluated."""
    interval: Interval | None
    """The 95 % interval; None if there are too few cases for one."""
    total: int
    """Number of evaluated cases: the denominator."""
    count: int | None = None
    """The numerator of a rate."""
    better: Direction = "higher"
    """Whether higher is better; a rate's name implies it, too (`schematic_pass_rate`)."""
    not_evaluated: int = 0
    approximate: int = 0
    """Number of cases scored on part of their rows: a result was truncated, or rows were sampled.
    """
    cell_mode: str | None = None
    """How a score compares cells; several values if cases differ, None if unknown."""
    best: float = 1.0
    """The value of a faultless run; the worst is 0."""
    weighted: WeightedRate | None = None
    """The weighting behind value and interval if requests were sampled with unequal probabilities.
    """
    unweighted: int = 0
    """Cases with unknown probability: they count in numerator and denominator, not in the value."""

    @property
    def is_main(self) -> bool:
        """Whether it is shown first: a rate of cases, or one of the main scores."""
        is_other = (
            self.name in CASE_SCORES or self.name in STRICT or self.name.endswith(OF_FAILURES)
        )
        return self.name in MAIN_SCORES or self.name in OWN_SCORES or not is_other

    @property
    def is_percent(self) -> bool:
        """Whether it is shown as a percentage: a rate, or a score that is in percent.

        VES and R-VES are not: they may exceed 100.
        """
        return self.kind == "rate" or (self.best >= PERCENT and self.name not in RUN_SCORES)


@dataclass(frozen=True, slots=True)
class Interaction:
    """What makes every turn of a dialogue right."""

    name: str
    title: str
    short: str
    """The name of its row in the terminal's table."""
    decide: Callable[[CaseResult], bool | None]
    """Returns whether a turn is right; None = it was not evaluated."""


def figures_of(cases: Sequence[CaseResult]) -> tuple[Figure, ...]:
    """Return the figures of a run in display order, without those that do not apply."""
    is_silent = lacks_verdicts(cases)
    rates = (rate_figure(cases, each) for each in RATES if not (is_silent and each.name == "flex"))
    given = set().union(*(case.scores for case in cases))
    scores = (score_figure(cases, score) for score in SHOWN_SCORES.values() if score.name in given)
    samples = map(_of_samples, sample_figures(cases))
    found = (
        *rates,
        *samples,
        *scores,
        *efficiency_figures(cases),
        *failure_figures(cases),
        *(interaction_figure(cases, each) for each in INTERACTIONS),
    )
    return tuple(figure for figure in found if figure.total)


def lacks_verdicts(cases: Iterable[CaseResult]) -> bool:
    """Return whether a judge was asked about cases and gave no verdict on any of them.

    Predictions that failed to run need no judge and do not count as its verdicts.
    """
    asked = [case.judge for case in cases if case.judge and not case.judge.is_of_execution]
    return bool(asked) and all(verdict.correct is None for verdict in asked)


def without_duplicates(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Drop variants of a missing rate, and variants with the same value over the same cases."""
    held = tuple(figures)
    counts = {figure.name: (figure.count, figure.total) for figure in held}

    def is_told(figure: Figure) -> bool:
        if figure.name not in VARIANTS:
            return True
        usual = counts.get(VARIANTS[figure.name])
        return usual is not None and usual != counts[figure.name]

    return tuple(filter(is_told, held))


def headline_rate(cases: Sequence[CaseResult]) -> Rate:
    """Return the main rate of a run: execution match, else the best one available.

    For production it is the checker's rate, because few requests have a reference.
    """
    names = ("esm", "em", HEADLINE)
    of_production = _is_of_production(cases)
    candidates = [each for name in names for each in RATES if each.name == name]
    decided = (each for each in candidates if any(each.decide(case) is not None for case in cases))
    return candidates[-1] if of_production else next(decided, candidates[0])


PARTS: Final = {
    "valid_and_grounded": "valid and grounded",
    "failed": "failed",
    "not_evaluated": "not evaluated",
    "abstained": "abstained",
    "clarified": "clarified",
    "cancelled": "cancelled",
    "error": "failed with an error",
}
"""Labels of the parts of a production headline: each request is in exactly one part."""


def request_parts(cases: Sequence[CaseResult]) -> dict[str, int]:
    """Return the number of requests in each part; they add up to all requests."""
    headline = next(each for each in RATES if each.name == HEADLINE)
    decided = {True: "valid_and_grounded", False: "failed", None: "not_evaluated"}
    counts = Counter(
        decided[headline.decide(case)] if case.is_answered else case.outcome for case in cases
    )
    return {part: counts[part] for part in PARTS}


def rate_figure(cases: Iterable[CaseResult], of: Rate) -> Figure:
    """Return one of the rates of a run."""
    held = list(cases)
    about = of.of_production if _is_of_production(held) else None
    figure = rate(
        held, of.decide, name=of.name, title=of.title, about=about or of.about, stage=of.stage
    )
    return replace(figure, better=of.better)


def _is_of_production(cases: Iterable[CaseResult]) -> bool:
    return any(case.probabilities is not None for case in cases)


def rate(
    cases: Iterable[CaseResult],
    decide: Callable[[CaseResult], bool | None],
    *,
    name: str,
    title: str,
    about: str = "",
    stage: Stage = "executed",
) -> Figure:
    """Return the share of cases that pass, with Wilson's interval.

    Args:
        cases: The cases.
        decide: Returns whether a case passes; None = it was not evaluated and does not count.
        name: The figure's name in gates.
        title: Its label.
        about: What counts, out of which cases.
        stage: The stage whose probability weights production requests.
    """
    held = list(cases)
    said = [decide(case) for case in held]
    count, total = said.count(True), len(said) - said.count(None)
    figure = Figure(
        name=name,
        title=title,
        about=about,
        kind="rate",
        value=count / total if total else None,
        interval=wilson_interval(count, total),
        total=total,
        count=count,
        not_evaluated=len(said) - total,
    )
    return _weighed(figure, held, said, stage)


def score_figure(cases: Sequence[CaseResult], score: Score) -> Figure:
    """Return the share of cases with a score of 1; of a graded score, the mean with its interval.

    A score keeps its form whatever the values of a run are.
    """
    given = [case.scores.get(score.name) for case in cases]
    values = [value for value in given if value is not None]
    modes = sorted({case.cell_mode[score.name] for case in cases if score.name in case.cell_mode})
    if not score.is_graded:
        figure = rate(
            cases,
            lambda case: _as_bool(case.scores.get(score.name)),
            name=score.figure,
            title=score.title,
            about="Cases with a score of 1, out of those with this score.",
            stage=score.stage,
        )
    else:
        mean = Figure(
            name=score.figure,
            title=score.title,
            about="Mean over the cases with this score.",
            kind="mean",
            value=sum(values) / len(values) if values else None,
            interval=mean_interval(tuple(values)),
            total=len(values),
            not_evaluated=len(cases) - len(values),
            best=score.best,
        )
        figure = _weighed(mean, cases, given, score.stage)
    return replace(
        figure,
        better=score.better,
        approximate=sum(score.name in case.approximate for case in cases),
        cell_mode=", ".join(modes) or None,
    )


def _weighed(
    figure: Figure, cases: Sequence[CaseResult], values: Sequence[float | None], stage: Stage
) -> Figure:
    """Return a figure weighted to represent all production requests, not only the sample.

    A figure is returned unchanged if its cases are not a sample or have no known probability.

    Args:
        figure: The figure over the cases.
        cases: The cases.
        values: What each case adds; None = it was not evaluated.
        stage: The stage whose probability weights a case.
    """
    if not _is_of_production(cases):
        return figure
    kept = [
        (float(value), case.probabilities.of(stage))
        for value, case in zip(values, cases, strict=True)
        if value is not None and case.probabilities
    ]
    known = [(value / figure.best, chance) for value, chance in kept if chance is not None]
    found = weighted_rate([value for value, _ in known], [chance for _, chance in known])
    unweighted = len(kept) - len(known)
    if found is None:
        return replace(figure, unweighted=unweighted)
    ends = found.interval
    return replace(
        figure,
        value=found.rate * figure.best,
        interval=ends and Interval(ends.low * figure.best, ends.high * figure.best),
        weighted=found,
        unweighted=unweighted,
    )


def _of_samples(found: SampleFigure) -> Figure:
    """Return a figure over questions, not over cases; its interval draws whole questions."""
    return Figure(
        name=found.name,
        title=found.title,
        about=found.about,
        kind="mean",
        value=sum(found.values) / len(found.values),
        interval=mean_interval(found.values),
        total=len(found.values),
        not_evaluated=found.not_evaluated,
    )


def efficiency_figures(cases: Sequence[CaseResult]) -> tuple[Figure, Figure]:
    """Return VES and R-VES: 100 times the mean root of the time ratio, and of the reward.

    Wrong predictions count as 0; cases without a measured time are excluded.
    """
    return (
        _root_figure(cases, "ves", "time_ratio", valid_efficiency_score),
        _root_figure(cases, "r_ves", "ves_reward", reward_efficiency_score),
    )


def failure_figures(cases: Sequence[CaseResult]) -> tuple[Figure, ...]:
    """Return the partial credit of the cases with execution accuracy 0."""
    failed = [case for case in cases if case.scores.get("ex") == 0]
    return tuple(
        replace(
            score_figure(failed, score),
            name=f"{score.figure}{OF_FAILURES}",
            title=f"{score.title} of failures",
            about="Mean over the cases with execution accuracy 0.",
        )
        for score in PARTIAL_SCORES
    )


def interaction_figure(cases: Sequence[CaseResult], of: Interaction) -> Figure:
    """Return the share of dialogues in which every turn is right.

    A dialogue with a turn that was not evaluated, and none that is wrong, is left out.
    """
    turns: dict[str, list[bool | None]] = {}
    for case in cases:
        if case.dialogue is not None:
            turns.setdefault(case.dialogue, []).append(of.decide(case))
    right = sum(all(each) for each in turns.values())
    total = right + sum(False in each for each in turns.values())
    return Figure(
        name=of.name,
        title=of.title,
        about="Dialogues in which every turn is right, out of those that were evaluated.",
        kind="rate",
        value=right / total if total else None,
        interval=wilson_interval(right, total),
        total=total,
        count=right,
        not_evaluated=len(turns) - total,
    )


def _root_figure(
    cases: Sequence[CaseResult],
    name: str,
    source: str,
    whole: Callable[[Iterable[float]], float | None],
) -> Figure:
    found = [case.scores[source] for case in cases if source in case.scores]
    values = [value for value in found if value is not None]
    return Figure(
        name=name,
        title=RUN_SCORES[name].title,
        about=f"100 times the mean root of {_ROOTS[source]}, 0 if results differ{_unsure(cases)}.",
        kind="mean",
        value=whole(values),
        interval=mean_interval(tuple(PERCENT * math.sqrt(value) for value in values)),
        total=len(values),
        not_evaluated=len(found) - len(values),
        best=RUN_SCORES[name].best,
    )


def _unsure(cases: Sequence[CaseResult]) -> str:
    """Return a note on how many times are below the clock's resolution, if any."""
    timed = [case.timed for case in cases if case.timed is not None]
    fast = sum(runs.is_below_resolution for runs in timed)
    return f"; {fast:,} of {len(timed):,} timed cases are too fast to measure" if fast else ""


@lru_cache(_KEPT_INTERVALS)
def mean_interval(values: tuple[float, ...]) -> Interval | None:
    """Return a bootstrap interval of a mean; None with few values, or without the extra."""
    if not values:
        return None
    resamples = max(_FEWEST_RESAMPLES, min(_RESAMPLES, _DRAWS // len(values)))
    try:
        drawn = bootstrap_mean(values, resamples=resamples)
    except MissingExtraError:  # numpy and scipy are an extra; without them, show the mean alone
        return None
    return drawn.interval if drawn else None


def _as_bool(value: float | None) -> bool | None:
    return None if value is None else value == 1.0


_ROOTS: Final = {
    "time_ratio": "reference time over prediction time",
    "ves_reward": "reward for that ratio",
}
INTERACTIONS: Final = (
    Interaction("interaction_match", "Interaction match", "execution match", lambda case: case.esm),
    Interaction(
        "interaction_testsuite",
        "Interaction match (test suite)",
        "test suite",
        lambda case: _as_bool(case.scores.get("ex_testsuite")),
    ),
    Interaction(
        "interaction_em",
        "Interaction exact set match (Spider)",
        "exact match",
        lambda case: _as_bool(case.scores.get("spider_em")),
    ),
)
