"""A judge's agreement with humans on each category, on labeled items."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.judge.verdicts.categories import DIFFERENCES, INTERNAL_ERRORS
from sqlobs.metrics.agreement import cohen_kappa
from sqlobs.metrics.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlobs.metrics.agreement import Kappa
    from sqlobs.metrics.intervals import Interval

Table: TypeAlias = tuple[tuple[int, int], tuple[int, int]]

_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """One item with the categories of human and judge; None = not given."""

    human_correct: bool
    human: frozenset[str] | None
    judge_correct: bool
    judge: frozenset[str] | None
    results_equal: bool

    def faults(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """Return the faults according to human and judge; a correct statement has none."""
        return _both(
            _NOTHING if self.human_correct else self.human,
            _NOTHING if self.judge_correct else self.judge,
        )

    def differences(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """Return the acceptable differences according to both; an incorrect statement has none."""
        if self.results_equal:
            return None
        return _both(
            self.human if self.human_correct else _NOTHING,
            self.judge if self.judge_correct else _NOTHING,
        )


@dataclass(frozen=True, slots=True)
class CategoryRates:
    """A judge's agreement with humans on one category."""

    key: str
    table: Table
    """Confusion matrix, human x judge, chosen before not chosen."""

    @property
    def kappa(self) -> Kappa | None:
        """Cohen's kappa with its interval."""
        return cohen_kappa(self.table)

    @property
    def sensitivity(self) -> tuple[int, int]:
        """Share of the items with this human category that the judge puts in it, too."""
        named, missed = self.table[0]
        return named, named + missed

    @property
    def specificity(self) -> tuple[int, int]:
        """Share of the items without this human category that the judge leaves out of it, too."""
        wrong, left = self.table[1]
        return left, wrong + left

    def as_record(self) -> dict[str, object]:
        """Return the figures for a document."""
        kappa = self.kappa
        record: dict[str, object] = {
            "category": self.key,
            "table": self.table,
            "kappa": kappa and kappa.value,
            "kappa_interval": _ends(kappa.interval if kappa else None),
        }
        for name, (hits, total) in (
            ("sensitivity", self.sensitivity),
            ("specificity", self.specificity),
        ):
            record[name] = hits / total if total else None
            record[f"{name}_interval"] = _ends(wilson_interval(hits, total))
        return record


def category_tables(items: Iterable[Sorted]) -> dict[str, Table]:
    """Return the confusion matrix of each category that either side chose, in the menus' order.

    Items for which one side gave no categories are excluded from that menu.
    """
    known = list(items)
    faults = [pair for pair in (item.faults() for item in known) if pair is not None]
    differences = [pair for pair in (item.differences() for item in known) if pair is not None]
    return {**dict(_tables(INTERNAL_ERRORS, faults)), **dict(_tables(DIFFERENCES, differences))}


def _tables(
    menu: Iterable[str], pairs: list[tuple[frozenset[str], frozenset[str]]]
) -> Iterator[tuple[str, Table]]:
    for key in menu:
        counts = Counter((key in human, key in judge) for human, judge in pairs)
        table = (
            (counts[True, True], counts[True, False]),
            (counts[False, True], counts[False, False]),
        )
        if any(table[0]) or table[1][0]:
            yield key, table


def _both(
    human: frozenset[str] | None, judge: frozenset[str] | None
) -> tuple[frozenset[str], frozenset[str]] | None:
    return None if human is None or judge is None else (human, judge)


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)
