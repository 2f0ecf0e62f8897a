"""The output of `sqlobs judge agreement`: a judge, execution and the paper's judge compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.judge.trust.agreement import Agreement, CategoryAgreement

_PUBLISHED: Final[dict[str, tuple[float, ...]]] = {
    "": (87.04, 93.5, 88, 99),
    "results=both": (81.08, 90.5, 82, 99),
    "results=none": (82.06, 91.0, 88, 94),
    "no-question": (80.10, 90.0, 84, 96),
    "no-knowledge": (79.09, 89.5, 82, 97),
    "no-criteria": (74.08, 87.0, 81, 93),
    "no-reference": (29.36, 64.0, 72, 56),
}
"""Kappa, accuracy, EQ and NEQ of the paper's judge (GPT-4o) by context."""

_STUDIED: Final = 200
"""Number of pairs in the paper's study; its figures apply to exactly these."""
_RATES: Final = ("acc", "EQ", "NEQ", "sens", "spec")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigures:
    """All printed figures."""

    model: str
    context: tuple[str, ...]
    """The active ablations."""
    is_recorded: bool
    """The recorded answers used the full context, regardless of the ablations."""
    published: tuple[float, ...] | None
    """The paper's figures for this context; None if it has none."""
    judge: Agreement
    ex: Agreement
    experts_fleiss: float | None
    ex_recomputed: int
    pairs: int
    fault_categories: list[CategoryAgreement]
    difference_categories: list[CategoryAgreement]
    reasons: dict[str, int]
    """Why items were not evaluated, with counts."""


def published(context: Sequence[str], pairs: int) -> tuple[float, ...] | None:
    """Return the paper's figures for a context; None if it has none."""
    return _PUBLISHED.get(",".join(context)) if pairs == _STUDIED else None


def figure_lines(figures: StudyFigures) -> Iterator[str]:
    """Yield the lines to print, the class balance before any accuracy."""
    yield f"{figures.pairs} pairs, judged by {figures.model} and three experts"
    balance = figures.judge
    yield (
        f"experts: {balance.correct_count} correct, {balance.incorrect_count} incorrect;"
        f" Fleiss kappa {_percent(figures.experts_fleiss)}"
    )
    yield ""
    yield (
        f"{'':<8}{'kappa':>7}{'95 % interval':>17}"
        + "".join(map("{:>7}".format, _RATES))
        + ("  errors")
    )
    yield _agreement_line("judge", figures.judge)
    yield _agreement_line("EX", figures.ex)
    yield f"PABAK: judge {_percent(figures.judge.pabak)}, EX {_percent(figures.ex.pabak)}"
    yield from _context_lines(figures)
    yield f"EX recomputed from the records for {figures.ex_recomputed} of {figures.pairs} pairs"
    for reason, count in figures.reasons.items():
        yield f"not evaluated: {count} ({reason})"
    for title, rows in (
        ("faults", figures.fault_categories),
        ("differences", figures.difference_categories),
    ):
        yield ""
        yield f"{title:<40}{'kappa':>7}{'acc':>7}{'prec':>7}{'recall':>7}  chosen by experts"
        for row in rows:
            yield _category_line(row)


def _context_lines(figures: StudyFigures) -> Iterator[str]:
    named = ", ".join(figures.context) or "full context"
    if figures.published is not None:
        published = zip(("kappa", *_RATES), figures.published, strict=False)
        yield f"paper ({named}): {', '.join(f'{name} {value:g}' for name, value in published)}"
    if figures.is_recorded and figures.context:
        yield (
            f"the recorded answers are for the full context; to measure {named}, give a model with"
            " --judge-url and --judge-model"
        )


def _agreement_line(name: str, figures: Agreement) -> str:
    interval = figures.kappa.interval if figures.kappa else None
    bounds = f"{100 * interval.low:.1f}-{100 * interval.high:.1f}" if interval else "-"
    rates = (
        figures.accuracy,
        figures.accuracy_equal,
        figures.accuracy_different,
        figures.sensitivity,
        figures.specificity,
    )
    return (
        f"{name:<8}{_percent(figures.kappa.value if figures.kappa else None):>7}{bounds:>17}"
        + "".join(f"{_percent(rate, digits=1):>7}" for rate in rates)
        + f"  {figures.errors}"
    )


def _category_line(figures: CategoryAgreement) -> str:
    rates = (figures.accuracy, figures.precision, figures.recall)
    kappa = "-" if figures.kappa is None else f"{figures.kappa:.3f}"
    chosen, total = sum(figures.table[0]), sum(map(sum, figures.table))
    return (
        f"{figures.key:<40}{kappa:>7}"
        + "".join(f"{'-' if rate is None else f'{rate:.3f}':>7}" for rate in rates)
        + f"  {chosen} of {total}"
    )


def _percent(share: float | None, *, digits: int = 2) -> str:
    return "-" if share is None else f"{100 * share:.{digits}f}"
