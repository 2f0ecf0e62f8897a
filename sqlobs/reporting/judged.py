"""A judged run: judge and execution compared by difficulty, and the categories of verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.metrics.paired_tests import paired_difference_interval
from sqlobs.metrics.ranking import FLEX
from sqlobs.reporting.figures import lacks_verdicts, rate
from sqlobs.reporting.slices import ordered_levels
from sqlobs.reporting.wording import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.metrics.intervals import Interval
    from sqlobs.reporting.figures import Figure
    from sqlobs.runs.case import Bucket, CaseResult, JudgeVerdict

Side = Literal["false_positive", "true_negative", "false_negative", "true_positive"]
"""Execution's verdict (positive: equal results), and whether the judge agrees."""

SIDE_TITLES: Final[dict[Side, str]] = {
    "false_positive": "Equal results, judged incorrect",
    "true_negative": "Different results, judged incorrect",
    "false_negative": "Different results, judged correct",
}
"""The sides that have categories."""

VERDICT_WORDS: Final[dict[bool | None, str]] = {
    True: "correct",
    False: "incorrect",
    None: "no verdict",
}
DISPUTED: Final[tuple[Side, ...]] = ("false_positive", "false_negative")
"""The sides on which judge and execution disagree."""

OVERALL: Final = "All"

_SETTLED: Final[frozenset[Bucket]] = frozenset({"mismatch", "pred_fail", "non_select", "timeout"})
"""Buckets of cases in which a side has no statement, so that no judge is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGroup:
    """Execution and judge over the same cases: those of one difficulty that have a verdict."""

    title: str
    ex: Figure
    flex: Figure
    false_positives: Figure
    """Equal results, judged incorrect, out of all decided cases."""
    false_negatives: Figure
    """Different results, judged correct, out of all decided cases."""
    delta: float
    """`flex - ex`: how far execution accuracy underestimates."""
    interval: Interval | None
    """The 95 % interval of `delta`."""
    undecided: int
    """Number of cases without a verdict; excluded from these figures."""


@dataclass(frozen=True, slots=True)
class CategoryShare:
    """How often the judge chose a category on one side."""

    side: Side
    key: str
    count: int
    total: int

    @property
    def share(self) -> float:
        """The share of the side's cases; one case may be in several categories."""
        return self.count / self.total


@dataclass(frozen=True, slots=True)
class CategorySpread:
    """A category's share over several runs."""

    side: Side
    key: str
    mean: float
    deviation: float
    """Standard deviation of the population of runs."""


def is_equal(case: CaseResult) -> bool:
    """Return whether results are equal by the dataset's own rule, as the judge was shown."""
    results_equal = case.judge.results_equal if case.judge else None
    return case.is_match if results_equal is None else results_equal


def side_of(case: CaseResult) -> Side | None:
    """Return the side of a case; None without a verdict."""
    if case.judge is None or case.judge.correct is None:
        return None
    if is_equal(case):
        return "true_positive" if case.judge.correct else "false_positive"
    return "false_negative" if case.judge.correct else "true_negative"


def all_verdicts(case: CaseResult) -> list[JudgeVerdict]:
    """Return the verdicts on a case: the one on the pair first, then those without a reference."""
    return [*((case.judge,) if case.judge else ()), *case.verdicts.values()]


def explained_categories(judge: JudgeVerdict) -> list[str]:
    """Return the categories of a verdict, each with the judge's reason if it gave one."""
    reasons = judge.category_reasons
    return [f"{key}: {reasons[key]}" if key in reasons else key for key in judge.categories]


def has_passed(case: CaseResult) -> bool | None:
    """Return whether a case counts as correct in a score over all cases; None = undecided.

    The judge decides. Without anything to judge, execution decides: both sides agree that the
    question is unanswerable, or the system returned nothing that could run.
    """
    if case.judge is not None:
        return case.judge.correct
    has_failed_reference = case.reference is not None and case.reference.status != "ok"
    if case.is_unanswerable or case.bucket in _SETTLED or case.is_empty_prediction:
        return None if has_failed_reference else case.is_match
    return None


def judge_of(cases: Iterable[CaseResult]) -> str | None:
    """Return who judged the cases, such as `flex/gpt-4o`; None without a judge.

    Prompt versions are omitted: a judge has one for equal and one for different results.
    """
    verdicts = [case.judge for case in cases if case.judge]
    decided = [each for each in verdicts if each.correct is not None and not each.is_of_execution]
    names = {_evaluator(verdict) for verdict in decided or verdicts}
    return ", ".join(sorted(names)) or None


def _evaluator(verdict: JudgeVerdict) -> str:
    """Return a judge and its models: `flex/flex_equal.v1/gpt-4o` is `flex/gpt-4o`."""
    name, _, rest = verdict.judge.partition("/")
    models = " + ".join(sorted(verdict.votes)) or rest.partition("/")[2]
    return f"{name}/{models}" if models else name


def score_title(judge: str | None) -> str:
    """Return the label of a judge's score: FLEX for the FLEX judge or without a judge."""
    family = (judge or FLEX).partition("/")[0]
    return FLEX.upper() if family == FLEX else label(family.capitalize())


def judged_groups(cases: Sequence[CaseResult]) -> list[JudgedGroup]:
    """Return the figures by difficulty, with the total last; empty if the judge gave no verdict."""
    judged = [case for case in cases if case.judge]
    levels = ordered_levels({case.difficulty for case in judged if case.difficulty})
    by_level = [(level, [c for c in judged if c.difficulty == level]) for level in levels]
    groups = [*(by_level if len(levels) > 1 else ()), (OVERALL, judged)]
    return [
        _group(title, group)
        for title, group in groups
        if any(map(side_of, group)) and not lacks_verdicts(group)
    ]


def silence_line(cases: Iterable[CaseResult]) -> str | None:
    """Return how many cases have no judge verdict, and why; None if all have one."""
    return silence_of([case.judge for case in cases if case.judge])


def silence_of(verdicts: Sequence[JudgeVerdict]) -> str | None:
    """Return how many of a judge's verdicts are missing, and why; None if none is."""
    silent = [verdict for verdict in verdicts if verdict.correct is None]
    if not silent:
        return None
    counts = Counter(verdict.reason or "unknown" for verdict in silent)
    reasons = ", ".join(
        f"{count} {reason} ({_explained(silent, reason)})" for reason, count in counts.most_common()
    )
    return f"no judge verdict for {len(silent)} of {len(verdicts)} cases: {reasons}"


def _explained(silent: Iterable[JudgeVerdict], reason: str) -> str:
    """Return the shortest explanation of a reason; the longer ones repeat it."""
    explanations = (v.explanation or "" for v in silent if (v.reason or "unknown") == reason)
    return min(explanations, key=len)


def category_shares(cases: Iterable[CaseResult]) -> list[CategoryShare]:
    """Return the categories of each side, the most frequent first."""
    sides = [(side_of(case), case.judge.categories) for case in cases if case.judge]
    found = []
    for side in SIDE_TITLES:
        chosen = [categories for place, categories in sides if place == side]
        counts = Counter(key for categories in chosen for key in categories)
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        found += [CategoryShare(side, key, count, len(chosen)) for key, count in ranked]
    return found


def category_spread(runs: Sequence[Sequence[CaseResult]]) -> list[CategorySpread]:
    """Return mean and deviation of each category's share over the runs with cases on its side.

    A run that has such cases but never the category counts as 0.
    """
    sides = [{side_of(case) for case in cases} for cases in runs]
    shares = [{(s.side, s.key): s.share for s in category_shares(cases)} for cases in runs]
    keys = dict.fromkeys(key for found in shares for key in found)
    spreads = []
    for side, key in keys:
        values = [
            found.get((side, key), 0.0)
            for found, held in zip(shares, sides, strict=True)
            if side in held
        ]
        spreads.append(CategorySpread(side, key, fmean(values), pstdev(values)))
    order = [*SIDE_TITLES]
    return sorted(spreads, key=lambda spread: (order.index(spread.side), -spread.mean, spread.key))


def _group(title: str, cases: Sequence[CaseResult]) -> JudgedGroup:
    sides = Counter(side_of(case) for case in cases)
    both, neither = sides["true_positive"], sides["true_negative"]
    false_positives, false_negatives = sides["false_positive"], sides["false_negative"]
    decided = [case for case in cases if side_of(case)]
    return JudgedGroup(
        title=title,
        ex=rate(decided, is_equal, name="ex", title="EX"),
        flex=_share(decided, "flex", "true_positive", "false_negative"),
        false_positives=_share(decided, "false_positives", "false_positive"),
        false_negatives=_share(decided, "false_negatives", "false_negative"),
        delta=(false_negatives - false_positives) / len(decided),
        interval=paired_difference_interval(both, false_negatives, false_positives, neither),
        undecided=len(cases) - len(decided),
    )


def _share(cases: Sequence[CaseResult], name: str, *sides: Side) -> Figure:
    return rate(cases, lambda case: side_of(case) in sides, name=name, title=name)
