"""Every figure of several runs over the cases that all of them have, each with one joint test.

Rates: Cochran's Q. Scores and amounts (time, tokens, cost): Friedman's test. The p-values are
adjusted together by Holm's method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from sqlobs.errors import MissingExtraError
from sqlobs.metrics.paired_tests import cochran_q, friedman, holm
from sqlobs.reporting.paired_figures import measure_of, measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.reporting.paired_figures import Kind, Measure
    from sqlobs.reporting.rates import Rate
    from sqlobs.runs.case import CaseResult


@dataclass(frozen=True, slots=True, kw_only=True)
class JointFigure:
    """A figure of several runs over the cases that have it in all of them."""

    name: str
    """As in gates and JSON."""
    title: str
    kind: Kind
    best: float
    """The value of a faultless run; of no meaning for an amount."""
    decimals: int
    """Decimals to show, of an amount."""
    values: tuple[float, ...]
    """Of each run, in the given order: a share in [0, 1], or a mean."""
    total: int
    """The compared cases: the denominator of all values."""
    p: float | None
    """That all runs are equal; None without the `metrics` extra."""
    p_adjusted: float | None = None
    """By Holm's method over all figures of the table."""


def joint_figures(runs: Sequence[Mapping[str, CaseResult]], main: Rate) -> tuple[JointFigure, ...]:
    """Return the main rate and all other figures that any case has in every run.

    Args:
        runs: The cases of each run by their key.
        main: The rate that comes first.
    """
    common = [
        [cases[key] for cases in runs] for key in runs[0] if all(key in cases for cases in runs)
    ]
    wanted = (measure_of(main), *(each for each in measures() if each.name != main.name))
    found = [figure for each in wanted if (figure := _figure(each, common)) is not None]
    adjusted = iter(holm([figure.p for figure in found if figure.p is not None]))
    return tuple(
        figure if figure.p is None else replace(figure, p_adjusted=next(adjusted))
        for figure in found
    )


def _figure(measure: Measure, common: Iterable[Sequence[CaseResult]]) -> JointFigure | None:
    read = ([measure.read(case) for case in cases] for cases in common)
    rows = [
        [value for value in values if value is not None] for values in read if None not in values
    ]
    if not rows:
        return None
    return JointFigure(
        name=measure.name,
        title=measure.title,
        kind=measure.kind,
        best=measure.best,
        decimals=measure.decimals,
        values=tuple(map(fmean, zip(*rows, strict=True))),
        total=len(rows),
        p=_p(measure.kind, rows),
    )


def _p(kind: Kind, rows: Sequence[Sequence[float]]) -> float | None:
    try:
        if kind != "rate":
            return friedman(rows)
        test = cochran_q([[value == 1.0 for value in row] for row in rows])
    except MissingExtraError:  # scipy is an extra; without it, the values stand alone
        return None
    return 1.0 if test is None else test.p
