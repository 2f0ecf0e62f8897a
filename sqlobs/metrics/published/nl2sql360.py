"""Query variance testing of NL2SQL360: does a system stay right when the question is reworded?"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def query_variance_percent(groups: Iterable[Sequence[bool]]) -> float | None:
    """Return the mean share of right answers over groups of paraphrases, 0 to 100.

    Only groups with at least two paraphrases and one right answer count; None without any.
    Source: HKUSTDial/NL2SQL360.

    Args:
        groups: For each reference statement whether each paraphrase was answered rightly.
    """
    counted = [fmean(group) for group in groups if len(group) > 1 and any(group)]
    return 100 * fmean(counted) if counted else None
