"""Counts by open names, such as models and prompt versions: the newest and the busiest are kept.

A counter of an OpenTelemetry SDK never ends a series, and puts what comes after 2,000 sets of
attributes into one series without labels. These counts are our own and are read when metrics are
collected; the sum of all series is always the number of requests.
Tests: `tests/telemetry/test_adaptive_counts.py`.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.semconv.labels import OTHER

if TYPE_CHECKING:
    Names = tuple[str | None, ...]
    """The open labels of a request, such as workflow, model and prompt version."""
    Rest = tuple[str | None, ...]
    """Its labels from closed lists, such as the verdict."""

NAMES_LIMIT: Final = 150
"""Combinations of open names with series of their own, in one process and metric."""
NEWEST: Final = 30
"""So many of them are kept because they are the newest, however little is asked of them."""
ENDING_S: Final = 300.0
"""For so long an evicted series shows its last value: longer than intervals of scrapes are."""
_HALF_LIFE_S: Final = 600.0
_REMEMBERED: Final = 1000
"""Evicted names whose traffic is followed: one comes back when it is busy enough."""
_RETURN: Final = 2.0
"""How much busier than the least busy name it must be, so that two do not evict each other."""
_MAX_PARENTS: Final = 50
SERIES_PER_PAGE: Final = 1_900
"""Series that one instrument of an SDK can hold in its life."""
MAX_PAGES: Final = 10


@dataclass(slots=True)
class Heat:
    """How busy a name is: requests, each worth half after ten minutes."""

    value: float = 0.0
    at_s: float = 0.0

    def now(self, at_s: float) -> float:
        """Return the value at a time."""
        return self.value * math.exp2((self.at_s - at_s) / _HALF_LIFE_S)

    def add(self, at_s: float) -> None:
        """Count a request."""
        if at_s != self.at_s:
            self.value, self.at_s = self.now(at_s), at_s
        self.value += 1


@dataclass(slots=True)
class _Cell:
    """One series."""

    value: float = 0
    shown: float = 0
    """The value when it was last collected; what came after can still be counted elsewhere."""
    page: int | None = None
    """The instrument that shows it; None before its first collection."""


@dataclass(slots=True)
class _Entry:
    """The series of one combination of names."""

    heat: Heat = field(default_factory=Heat)
    cells: dict[Rest, _Cell] = field(default_factory=dict)
    first_page: int = 0
    """The first instrument that has not shown an earlier series of the same names."""


class AdaptiveCounts:
    """The counts of one metric in one process."""

    def __init__(
        self,
        folds: Iterable[int],
        *,
        limit: int = NAMES_LIMIT,
        newest: int = NEWEST,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without series.

        Args:
            folds: Places of the names that become `other`, the first to go first.
            limit: Combinations of names with series of their own.
            newest: So many of the newest are not evicted.
            clock_s: Seconds that only grow.
        """
        self.folded: float = 0
        """What was counted as `other`."""
        self._folds = tuple(folds)
        self._limit, self._newest = limit, newest
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._entries: dict[Names, _Entry] = {}  # in the order of arrival
        self._pinned: dict[Names, _Entry] = {}
        self._evicted: OrderedDict[Names, _Entry] = OrderedDict()
        self._ending: dict[Names, tuple[float, dict[Rest, _Cell]]] = {}
        self._placed = 0
        self._unplaced = 0
        self.pages = 1
        """How many instruments are needed to show all series."""

    def add(self, names: Names, rest: Rest, by: float = 1) -> None:
        """Count a request."""
        with self._lock:
            now_s = self._clock_s()
            entry = self._entries.get(names) or self._pinned.get(names)
            if entry is None and (entry := self._admitted(names, now_s)) is None:
                self.folded += by
                entry = self._folded(names)
            entry.heat.add(now_s)
            self._cell(entry, rest).value += by

    def collected(self, page: int) -> list[tuple[Names, Rest, float]]:
        """Return the series that one instrument shows; the first one places new series."""
        with self._lock:
            if page == 0:
                self._end_series()
                self._place_new()
            found: list[tuple[Names, Rest, float]] = []
            for names, rest, cell in self._cells():
                if cell.page == page:
                    cell.shown = cell.value
                    found.append((names, rest, cell.value))
            return found

    def _cell(self, entry: _Entry, rest: Rest) -> _Cell:
        cell = entry.cells.get(rest)
        if cell is None:
            cell = entry.cells[rest] = _Cell()
            self._unplaced += 1
            self.pages = max(self.pages, self._page_of(entry, self._unplaced) + 1)
        return cell

    def _page_of(self, entry: _Entry, more: int) -> int:
        newest = (self._placed + more) // SERIES_PER_PAGE
        return min(max(newest, entry.first_page), MAX_PAGES - 1)

    def _cells(self) -> Iterator[tuple[Names, Rest, _Cell]]:
        for entries in (self._entries, self._pinned):
            for names, entry in entries.items():
                for rest, cell in entry.cells.items():
                    yield names, rest, cell
        for names, (_, cells) in self._ending.items():
            for rest, cell in cells.items():
                yield names, rest, cell

    def _end_series(self) -> None:
        oldest_s = self._clock_s() - ENDING_S
        for names in [one for one, (at_s, _) in self._ending.items() if at_s < oldest_s]:
            del self._ending[names]

    def _place_new(self) -> None:
        for entry in (*self._entries.values(), *self._pinned.values()):
            for cell in entry.cells.values():
                if cell.page is None:
                    cell.page = self._page_of(entry, 0)
                    self._placed += 1
        self._unplaced = 0

    def _admitted(self, names: Names, now_s: float) -> _Entry | None:
        """Return a new entry for unknown names; None if they are counted as `other`."""
        if self._folded_once(names) is None:
            return self._pin(names)
        past = self._evicted.get(names)
        if past is not None:
            past.heat.add(now_s)
            self._evicted.move_to_end(names)
        if not self._may_enter(names, past, now_s):
            return None
        if len(self._entries) >= self._limit:
            self._evict(self._coldest(now_s), now_s)
        self._evicted.pop(names, None)
        first_page = 0 if past is None else past.first_page
        entry = self._entries[names] = _Entry(first_page=first_page)
        return entry

    def _may_enter(self, names: Names, past: _Entry | None, now_s: float) -> bool:
        """Tell whether names are new, or busy enough to come back once their old series ended."""
        if names in self._ending or self._placed >= SERIES_PER_PAGE * MAX_PAGES:
            return False
        if past is None:
            return True
        if past.first_page >= MAX_PAGES:
            return False
        if len(self._entries) < self._limit:
            return True
        coldest = self._entries[self._coldest(now_s)]
        return past.heat.now(now_s) > _RETURN * coldest.heat.now(now_s)

    def _coldest(self, now_s: float) -> Names:
        """Return the least busy names, except the newest; one more new name is about to come."""
        old = list(self._entries)[: max(1, len(self._entries) + 1 - self._newest)]
        return min(old, key=lambda names: self._entries[names].heat.now(now_s))

    def _evict(self, names: Names, now_s: float) -> None:
        """End the series of names; what was not collected yet moves to `other`."""
        entry = self._entries.pop(names)
        pages = [cell.page for cell in entry.cells.values() if cell.page is not None]
        self._evicted[names] = _Entry(entry.heat, first_page=max(pages, default=-1) + 1)
        if len(self._evicted) > _REMEMBERED:
            self._evicted.popitem(last=False)
        for rest, cell in entry.cells.items():
            if (late := cell.value - cell.shown) > 0:
                self.folded += late
                self._cell(self._folded(names), rest).value += late
                cell.value = cell.shown
        self._unplaced -= len(entry.cells) - len(pages)
        shown = {rest: cell for rest, cell in entry.cells.items() if cell.page is not None}
        if shown:
            self._ending[names] = (now_s, shown)
            while len(self._ending) > self._limit:
                del self._ending[next(iter(self._ending))]

    def _folded(self, names: Names) -> _Entry:
        """Return the entry that takes the requests of names without series of their own."""
        folded = names
        while (shorter := self._folded_once(folded)) is not None:
            folded = shorter
            if (entry := self._pinned.get(folded)) is not None:
                return entry
            if self._is_related(folded) and len(self._pinned) < _MAX_PARENTS:
                return self._pin(folded)
        return self._pin(folded)

    def _folded_once(self, names: Names) -> Names | None:
        """Return the names with one more `other`; None if all that can be folded is."""
        for place in self._folds:
            if names[place] not in {None, OTHER}:
                return (*names[:place], OTHER, *names[place + 1 :])
        return None

    def _is_related(self, folded: Names) -> bool:
        """Tell whether names with series of their own differ in what was folded alone."""
        fixed = [place for place, name in enumerate(folded) if name != OTHER]
        return any(all(names[place] == folded[place] for place in fixed) for names in self._entries)

    def _pin(self, names: Names) -> _Entry:
        return self._pinned.setdefault(names, _Entry())
