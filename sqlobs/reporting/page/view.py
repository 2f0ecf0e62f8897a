"""The page's content above the list of cases: title, lead, figures, shares, slices, settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.coverage import gaps_line
from sqlobs.reporting.engine_verdicts import disagreement_lines
from sqlobs.reporting.expense import expenses_of
from sqlobs.reporting.failures import (
    bucket_shares,
    code_shares,
    invented_names,
    mistake_shares,
    was_executed,
)
from sqlobs.reporting.figures import (
    PARTS,
    figures_of,
    headline_rate,
    rate_figure,
    request_parts,
    without_duplicates,
)
from sqlobs.reporting.judge_cost import judge_cost
from sqlobs.reporting.judge_rates import judge_rates
from sqlobs.reporting.judged import (
    SIDE_TITLES,
    category_shares,
    judge_of,
    judged_groups,
    score_title,
    silence_line,
)
from sqlobs.reporting.rates import HEADLINE, is_hallucinated
from sqlobs.reporting.slices import slices_of
from sqlobs.reporting.weights import weight_warning
from sqlobs.reporting.wording import counted, label, shown_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.reporting.expense import Expense
    from sqlobs.reporting.failures import Share
    from sqlobs.reporting.figures import Figure
    from sqlobs.reporting.judge_cost import JudgeCost
    from sqlobs.reporting.judge_rates import JudgeRate
    from sqlobs.reporting.judged import CategoryShare, JudgedGroup
    from sqlobs.reporting.slices import Slice
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

_CODES: Final = 14
_NAMES: Final = 12
_FEATURES: Final = 4


_SETTINGS: Final = {
    "dsn_redacted": "database",
    "exec_timeout": "statement timeout (s)",
    "max_rows": "row limit",
    "em": "exact match",
    "esm": "execution",
    "check": "checked",
    "local_engine": "local engine asked",
    "technique": "partial credit by",
    "assignment": "rows matched by",
    "penalize_extra_pred_cols": "extra columns reduce precision",
    "timing_runs": "timed runs",
    "judge_model": "judge",
    "judge_tokens": "judge: tokens",
    "judge_cost_usd": "judge: cost (USD)",
    "where": "filter",
    "trimmed_weights": "weights trimmed",
}
"""Labels of settings; other settings are shown by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The page's texts and figures, without the cases."""

    title: str
    headline: Figure
    """Execution match, or the best available rate."""
    kind: str
    """`evaluation` or `production`."""
    lead: str
    sentences: tuple[str, ...]
    figures: tuple[Figure, ...]
    warning: str
    """Warnings about the figures."""
    expenses: list[Expense]
    """Empty if tokens, cost and time are unknown."""
    buckets: list[Share]
    """Empty if nothing was executed."""
    codes: list[Share]
    mistakes: list[Share]
    close: str
    invented: list[tuple[str, str, int]]
    slices: list[Slice]
    """By difficulty, by database, and by the features with the largest spread."""
    more_slices: list[Slice]
    judged: list[JudgedGroup]
    """Empty without a judge."""
    judge: str
    """The label of the judge's score."""
    silence: str | None
    """Why the judge gave no verdict on some cases."""
    judge_rates: list[JudgeRate]
    """Of judges that need no reference."""
    judge_cost: JudgeCost | None
    categories: list[tuple[str, list[CategoryShare]]]
    """By side, with its title."""
    facts: list[tuple[str, str]]


def view_of(run: Run) -> View:
    """Return the page's content for a run."""
    cases = run.cases
    headline = rate_figure(cases, headline_rate(cases))
    figures = without_duplicates(figures_of(cases))
    slices = slices_of(cases)
    features = [item for item in slices if item.is_feature]
    first = sorted(features, key=lambda item: -item.spread)[:_FEATURES]
    return View(
        title=label(run.name) or "A run without a name",
        headline=headline,
        kind="production" if run.is_of_production else "evaluation",
        lead=_lead(headline),
        sentences=(*_sentences(cases, headline), *_disagreements(cases), *_gaps(run)),
        figures=figures,
        warning=weight_warning(figures),
        expenses=expenses_of(cases),
        buckets=bucket_shares(cases) if was_executed(cases) else [],
        codes=code_shares(cases)[:_CODES],
        mistakes=mistake_shares(cases),
        close=_close(cases),
        invented=invented_names(cases)[:_NAMES],
        slices=[item for item in slices if item in first or not item.is_feature],
        more_slices=[item for item in slices if item.is_feature and item not in first],
        judged=judged_groups(cases),
        judge=score_title(judge_of(cases)),
        silence=silence_line(cases),
        judge_rates=judge_rates(run),
        judge_cost=judge_cost(run),
        categories=[*_categories(cases)],
        facts=[*_facts(run)],
    )


_LEADS: Final = {
    "esm": ("prediction", ("returns", "return"), "the reference's result"),
    "em": ("prediction", ("matches", "match"), "the reference's text"),
    HEADLINE: ("answer", ("is", "are"), "valid and grounded in the schema"),
}
"""Noun, verb in singular and plural, and object of the lead sentence."""


def _lead(headline: Figure) -> str:
    if not headline.total:
        return "No case was evaluated."
    noun, verbs, rest = _LEADS[headline.name]
    verb = verbs[headline.count != 1]
    return f"{headline.count:,} of {counted(headline.total, noun)} {verb} {rest}"


def _sentences(cases: Sequence[CaseResult], headline: Figure) -> Iterator[str]:
    if headline.interval:
        yield f"(95 % interval {shown_interval(headline)} %)."
    if headline.name == HEADLINE and any(case.request for case in cases):
        rest = [
            f"{count:,} {PARTS[part]}"
            for part, count in request_parts(cases).items()
            if count and part not in {"valid_and_grounded", "failed"}
        ]
        if rest:
            yield (
                f"Excluded from this rate, of all {counted(len(cases), 'request')}:"
                f" {', '.join(rest)}."
            )
    invented = sum(is_hallucinated(case) is True for case in cases)
    if invented:
        verb = "names" if invented == 1 else "name"
        yield f"{invented:,} {verb} a table or column that does not exist."
    failed = sum(case.bucket == "gold_fail" for case in cases)
    if failed:
        verb = "counts" if failed == 1 else "count"
        yield f"{counted(failed, 'reference')} did not run and {verb} against it."


def _disagreements(cases: Sequence[CaseResult]) -> Iterator[str]:
    found = disagreement_lines(cases)
    if found:
        yield f"The checker and the local engine disagree. {'; '.join(map(label, found))}."


def _gaps(run: Run) -> Iterator[str]:
    line = gaps_line(run)
    if line:
        yield f"Not compared: {line}."


def _categories(cases: Sequence[CaseResult]) -> Iterator[tuple[str, list[CategoryShare]]]:
    shares = category_shares(cases)
    for side, title in SIDE_TITLES.items():
        found = [share for share in shares if share.side == side]
        if found:
            yield title, found


def _close(cases: Sequence[CaseResult]) -> str:
    close = sum(case.is_close for case in cases)
    return f"{counted(close, 'case')} came close" if close else ""


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    if run.started_at:
        yield "started", label(run.started_at)
    for name, value in run.settings.items():
        if value:
            shown = "yes" if value is True else str(value)
            yield _SETTINGS.get(name, name), label(shown)
    yield from ((name, label(version)) for name, version in run.versions.items())
