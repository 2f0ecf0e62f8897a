"""Find the columns of one table in another by what they hold, whatever they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from sqlobs.metrics.cells import Keys

DEFAULT_BUDGET = 20_000_000
"""Cells that a search may look at; an honest table needs a few times its own number of cells."""

ColumnMap: TypeAlias = tuple[int, ...]
"""For each column of the narrower table its column in the wider one."""


class BudgetExceededError(Exception):
    """The search was stopped before it could tell."""


def bag_column_map(
    narrow: Sequence[Keys], wide: Sequence[Keys], *, budget: int = DEFAULT_BUDGET
) -> ColumnMap | None:
    """Return an injective column map under which the rows of both tables are equal as bags.

    Columns can only be exchanged where they hold the same bag of cells. Among those the search
    fixes one column after the other, the least ambiguous first, and compares the bags of row
    prefixes: a wrong choice shows within a column or two, so that the cost is near that of
    reading the tables.

    Args:
        narrow: Key columns of one table, all of one length.
        wide: Key columns of the other, of that same length, at least as many.
        budget: How many cells to look at before giving up; never below four readings.

    Returns:
        The position in `wide` for each column of `narrow`; None if there is no such map.

    Raises:
        BudgetExceededError: the search was stopped undecided.
    """
    choices = _choices(narrow, wide)
    if choices is None:
        return None
    if len(narrow) == len(wide) and not _same_bags_of_row_bags(narrow, wide):
        return None
    rows = len(narrow[0]) if narrow else 0
    search = _Search(narrow, wide, choices, max(budget, 4 * rows * (len(narrow) + len(wide))))
    return search.found()


def sequence_column_map(narrow: Sequence[Keys], wide: Sequence[Keys]) -> ColumnMap | None:
    """Return an injective column map under which both tables are equal row by row."""
    places: defaultdict[tuple[Hashable, ...], list[int]] = defaultdict(list)
    for position in reversed(range(len(wide))):
        places[tuple(wide[position])].append(position)
    held = [places[tuple(column)] for column in narrow]
    return tuple(place.pop() for place in held) if _enough(held) else None


def _enough(held: list[list[int]]) -> bool:
    wanted = Counter(map(id, held))
    return all(len(place) >= wanted[id(place)] for place in held)


def _choices(narrow: Sequence[Keys], wide: Sequence[Keys]) -> list[list[int]] | None:
    """Return for each narrow column the wide ones with the same bag of cells, equal ones once."""
    bags = [frozenset(Counter(column).items()) for column in wide]
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, bag in enumerate(bags):
        places[bag].append(position)
    wanted = [frozenset(Counter(column).items()) for column in narrow]
    counts = Counter(wanted)
    if any(len(places[bag]) < count for bag, count in counts.items()):
        return None
    return [places[bag] for bag in wanted]


def _same_bags_of_row_bags(narrow: Sequence[Keys], wide: Sequence[Keys]) -> bool:
    return _row_bags(narrow) == _row_bags(wide)


def _row_bags(columns: Sequence[Keys]) -> Counter[frozenset[tuple[Hashable, int]]]:
    return Counter(frozenset(Counter(row).items()) for row in zip(*columns, strict=True))


@dataclass(slots=True)
class _Search:
    narrow: Sequence[Keys]
    wide: Sequence[Keys]
    choices: list[list[int]]
    budget: int

    def found(self) -> ColumnMap | None:
        if not self.narrow:
            return ()
        order = sorted(range(len(self.narrow)), key=lambda column: len(self.choices[column]))
        rows = len(self.narrow[0])
        taken: list[int] = []
        levels = [self._options(order[0], taken, [0] * rows, [0] * rows)]
        while levels:
            option = next(levels[-1], None)
            if option is None:
                levels.pop()
                del taken[-1:]  # the choice that led to the exhausted level
                continue
            candidate, left, right = option
            taken.append(candidate)
            if len(taken) == len(order):
                return tuple(wide for _, wide in sorted(zip(order, taken, strict=True)))
            levels.append(self._options(order[len(taken)], taken, left, right))
        return None

    def _options(
        self, column: int, taken: list[int], left: list[int], right: list[int]
    ) -> Iterator[tuple[int, list[int], list[int]]]:
        """Yield each free candidate for a column that keeps the bags of row prefixes equal."""
        tried: set[tuple[Hashable, ...]] = set()
        for candidate in self.choices[column]:
            if candidate in taken or not self._is_new(candidate, column, tried):
                continue
            classes = self._refined(column, candidate, left, right)
            if classes is not None:
                yield candidate, *classes

    def _is_new(self, candidate: int, column: int, tried: set[tuple[Hashable, ...]]) -> bool:
        """Tell whether no equal column was tried in the candidate's stead."""
        if len(self.choices[column]) == 1:
            return True
        cells = tuple(self.wide[candidate])
        if cells in tried:
            return False
        tried.add(cells)
        return True

    def _refined(
        self, column: int, candidate: int, left: list[int], right: list[int]
    ) -> tuple[list[int], list[int]] | None:
        """Split the classes of equal row prefixes by one more column; None where they differ."""
        self.budget -= 2 * len(left)
        if self.budget < 0:
            raise BudgetExceededError
        numbers: dict[tuple[int, Hashable], int] = {}
        refined = [
            numbers.setdefault(pair, len(numbers))
            for pair in zip(left, self.narrow[column], strict=True)
        ]
        others = [numbers.get(pair) for pair in zip(right, self.wide[candidate], strict=True)]
        if Counter(refined) != Counter(others):
            return None
        return refined, others  # type: ignore[return-value]  # equal bags: no None among them
