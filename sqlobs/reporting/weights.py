"""Notes and warnings about the weights of production figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.metrics.weighting import HEAVY_WEIGHT
from sqlobs.reporting.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.reporting.figures import Figure


def weight_note(figure: Figure) -> str:
    """Return a note on a figure's effective sample size, if it is weighted."""
    words = []
    weighted = figure.weighted
    if weighted is not None and weighted.weight_ratio > 1:
        words.append(f"worth {counted(round(weighted.effective_count), 'case')}")
        if weighted.has_heavy_weights:
            words.append(f"heavy weights ({weighted.weight_ratio:,.0f} x)")
    if figure.unweighted:
        words.append(f"{figure.unweighted:,} with unknown probability excluded")
    return ", ".join(words)


def weight_warning(figures: Iterable[Figure]) -> str:
    """Return a warning about heavy weights; "" if no figure has them."""
    heavy = [each for each in figures if each.weighted and each.weighted.has_heavy_weights]
    if not heavy:
        return ""
    return (
        f"Heavy weights: single cases weigh more than {HEAVY_WEIGHT:.0f} times the median and"
        f" dominate {counted(len(heavy), 'metric')}; raise the sampling rate or choose a longer"
        " period."
    )
