"""Values, differences and p-values of a comparison, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.reporting.wording import percent_points, points_interval, signed
from sqlobs.scores.score import PERCENT

if TYPE_CHECKING:
    from sqlobs.reporting.joint_figures import JointFigure
    from sqlobs.reporting.paired_figures import PairedFigure

_SMALL: Final = 0.0001


def shown_p(p: float | None) -> str:
    """Return a p-value; very small ones as a bound, "n/a" without one."""
    if p is None:
        return "n/a"
    return f"< {_SMALL}" if p < _SMALL else f"{p:.4f}"


def shown_amount(figure: PairedFigure | JointFigure, value: float) -> str:
    """Return a value of a figure: a rate or a score in percent with its sign, the rest bare."""
    if figure.kind == "rate":
        return f"{100 * value:.1f} %"
    return f"{value:.1f} %" if figure.best >= PERCENT else f"{value:,.{figure.decimals}f}"


def shown_difference(figure: PairedFigure) -> str:
    """Return a figure's difference with its sign and its 95 % interval."""
    if figure.kind == "rate":
        interval = f" ({points_interval(figure.interval)})" if figure.interval else ""
        return f"{percent_points(figure.difference)} points{interval}"
    places = 1 if figure.best >= PERCENT and figure.kind == "score" else figure.decimals
    ends = figure.interval
    span = f" ({signed(ends.low, places)} to {signed(ends.high, places)})" if ends else ""
    return f"{signed(figure.difference, places)}{span}"
