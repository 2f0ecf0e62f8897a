"""Find the columns of one table in another by what they hold, whatever they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from sqlobs.metrics.cells import Keys

DEFAULT_BUDGET = 20_000_000
"""Cells that a search may look at; an honest table needs a few times its own number of cells."""

ROUNDS = 2
"""How often the kinds of rows and columns are refined; what these leave is searched."""

Numbers: TypeAlias = tuple[list[int], list[int]]
"""A number for each row, or column, of the narrow and of the wide table."""

ColumnMap: TypeAlias = tuple[int, ...]
"""For each column of the narrower table its column in the wider one."""

Prefix = TypeVar("Prefix")
"""What is known of the rows after some columns were fixed."""


KeyT = TypeVar("KeyT")


class BudgetExceededError(Exception):
    """The search was stopped before it could tell."""


class ColumnSpace(Protocol[Prefix]):
    """Two tables as the search sees them, however their columns are held."""

    row_count: int
    narrow_count: int
    wide_count: int

    def choices(self) -> list[list[int]] | None:
        """Return the wide columns with the bag of cells of each narrow one; None = no map."""
        ...

    def identity(self, candidate: int) -> Hashable:
        """Return a value that columns equal row by row share."""
        ...

    def refined(self) -> list[list[int]] | None:
        """Return fewer choices for equally wide tables, by the rows in which cells stand.

        Rows are of one kind where they hold the same cells in columns of the same kinds, columns
        where they hold the same cells in rows of the same kinds. No map of columns changes that.
        """
        ...

    def prefix(self, pairs: Sequence[tuple[int, int]]) -> Prefix:
        """Return what is known of the rows once these pairs of columns are fixed."""
        ...

    def extended(self, prefix: Prefix, column: int, candidate: int) -> Prefix:
        """Fix one more pair of columns."""
        ...

    def agrees(self, prefix: Prefix) -> bool:
        """Return whether both tables have the same bag of row prefixes."""
        ...


def find_column_map(space: ColumnSpace[Prefix], *, budget: int) -> ColumnMap | None:
    """Return an injective column map under which the rows of both tables are equal as bags.

    Columns can only be exchanged where they hold the same bag of cells. Among those the search
    fixes one column after the other, the least ambiguous first, and compares the bags of row
    prefixes: a wrong choice shows within a column or two, so that the cost is near that of
    reading the tables. Where two readings do not do, the kinds of rows in equally wide tables tell
    more columns apart before the search begins again.

    Args:
        space: The two tables.
        budget: How many cells to look at before giving up; never below four readings.

    Returns:
        The position in the wide table for each column of the narrow one; None without a map.

    Raises:
        BudgetExceededError: the search was stopped undecided.
    """
    choices = space.choices()
    if choices is None:
        return None
    cells = space.row_count * space.narrow_count
    if space.narrow_count == space.wide_count:
        with suppress(BudgetExceededError):
            return _Search(space, choices, 2 * cells).found()
        choices = space.refined()
        if choices is None:
            return None
    return _Search(space, choices, max(budget, 8 * cells)).found()


def bag_column_map(
    narrow: Sequence[Keys], wide: Sequence[Keys], *, budget: int = DEFAULT_BUDGET
) -> ColumnMap | None:
    """Return a map of key columns under which rows are equal as bags, as `find_column_map` does."""
    return find_column_map(ListedColumns(narrow, wide), budget=budget)


def sequence_column_map(narrow: Sequence[Keys], wide: Sequence[Keys]) -> ColumnMap | None:
    """Return an injective column map under which both tables are equal row by row."""
    return injection([tuple(column) for column in narrow], [tuple(column) for column in wide])


def same_counts(left: Counter[KeyT], right: Counter[KeyT]) -> bool:
    """Compare counts without zeros, much faster than `Counter` compares them."""
    return dict.__eq__(left, right)


def injection(narrow: Sequence[Hashable], wide: Sequence[Hashable]) -> ColumnMap | None:
    """Map each value to a different place among equal values; None if there are too few."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position in reversed(range(len(wide))):
        places[wide[position]].append(position)
    if any(len(places[value]) < count for value, count in Counter(narrow).items()):
        return None
    return tuple(places[value].pop() for value in narrow)


def choices_among(narrow: Sequence[Hashable], wide: Sequence[Hashable]) -> list[list[int]] | None:
    """Return for each value all places of equal values; None if there are too few."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, value in enumerate(wide):
        places[value].append(position)
    if any(len(places[value]) < count for value, count in Counter(narrow).items()):
        return None
    return [places[value] for value in narrow]


class ListedColumns:
    """Key columns as plain sequences: the prefixes are numbers of classes of equal rows."""

    def __init__(self, narrow: Sequence[Keys], wide: Sequence[Keys]) -> None:
        self._narrow = narrow
        self._wide = wide
        self.narrow_count = len(narrow)
        self.wide_count = len(wide)
        self.row_count = len(narrow[0]) if narrow else 0
        self._rows: Numbers = [0] * self.row_count, [0] * self.row_count

    def choices(self) -> list[list[int]] | None:
        """Compare the bags of cells of whole columns."""
        bags = [
            [frozenset(Counter(column).items()) for column in columns]
            for columns in (self._narrow, self._wide)
        ]
        return choices_among(*bags)

    def refined(self) -> list[list[int]] | None:
        """Number the kinds of rows and columns in turns, over both tables."""
        kinds = self._column_kinds()
        for _ in range(ROUNDS):
            self._rows = self._row_kinds(kinds)
            kinds = self._column_kinds()
        return choices_among(*kinds)

    def _column_kinds(self) -> Numbers:
        sides = zip((self._narrow, self._wide), self._rows, strict=True)
        return _numbered(
            [frozenset(Counter(zip(rows, column, strict=True)).items()) for column in columns]
            for columns, rows in sides
        )

    def _row_kinds(self, kinds: Numbers) -> Numbers:
        sides = zip((self._narrow, self._wide), kinds, strict=True)
        return _numbered(
            [
                frozenset(Counter(zip(columns, row, strict=True)).items())
                for row in zip(*table, strict=True)
            ]
            for table, columns in sides
        )

    def identity(self, candidate: int) -> Hashable:
        """Return the cells of the column."""
        return tuple(self._wide[candidate])

    def prefix(self, pairs: Sequence[tuple[int, int]]) -> Numbers:
        """Return the classes of rows of one kind that are equal in these columns."""
        prefix = self._rows
        for column, candidate in pairs:
            prefix = self.extended(prefix, column, candidate)
        return prefix

    def extended(self, prefix: Numbers, column: int, candidate: int) -> Numbers:
        """Split the classes by one more column."""
        numbers: dict[tuple[int, Hashable], int] = {}
        left = zip(prefix[0], self._narrow[column], strict=True)
        right = zip(prefix[1], self._wide[candidate], strict=True)
        return (
            [numbers.setdefault(pair, len(numbers)) for pair in left],
            [numbers.get(pair, -1) for pair in right],
        )

    def agrees(self, prefix: Numbers) -> bool:
        """Compare how many rows each class has."""
        return same_counts(Counter(prefix[0]), Counter(prefix[1]))


def _numbered(sides: Iterable[Sequence[Hashable]]) -> Numbers:
    """Give equal values of either side one number."""
    numbers: dict[Hashable, int] = {}
    left, right = ([numbers.setdefault(value, len(numbers)) for value in side] for side in sides)
    return left, right


@dataclass(slots=True)
class _Search(Generic[Prefix]):
    space: ColumnSpace[Prefix]
    choices: list[list[int]]
    budget: int

    def found(self) -> ColumnMap | None:
        """Fix the columns without a choice together, then try and err with the others."""
        forced = {column: held[0] for column, held in enumerate(self.choices) if len(held) == 1}
        if len(set(forced.values())) < len(forced):
            return None
        prefix = self.space.prefix(list(forced.items()))
        if not self.space.agrees(prefix):
            return None
        free = [column for column in range(len(self.choices)) if column not in forced]
        free.sort(key=lambda column: len(self.choices[column]))
        chosen = self._chosen(free, prefix)
        if chosen is None:
            return None
        complete = forced | chosen
        return tuple(complete[column] for column in range(len(complete)))

    def _chosen(self, free: list[int], prefix: Prefix) -> dict[int, int] | None:
        if not free:
            return {}
        taken: list[int] = []
        levels = [self._options(free[0], taken, prefix)]
        while levels:
            option = next(levels[-1], None)
            if option is None:
                levels.pop()
                del taken[-1:]  # the choice that led to the exhausted level
                continue
            taken.append(option[0])
            if len(taken) == len(free):
                return dict(zip(free, taken, strict=True))
            levels.append(self._options(free[len(taken)], taken, option[1]))
        return None

    def _options(
        self, column: int, taken: list[int], prefix: Prefix
    ) -> Iterator[tuple[int, Prefix]]:
        """Yield each free candidate for a column that keeps the bags of row prefixes equal."""
        tried: set[Hashable] = set()
        for candidate in self.choices[column]:
            if candidate in taken or not self._is_new(candidate, tried):
                continue
            self.budget -= 2 * self.space.row_count
            if self.budget < 0:
                raise BudgetExceededError
            extended = self.space.extended(prefix, column, candidate)
            if self.space.agrees(extended):
                yield candidate, extended

    def _is_new(self, candidate: int, tried: set[Hashable]) -> bool:
        """Return whether no equal column was tried in the candidate's stead."""
        identity = self.space.identity(candidate)
        if identity in tried:
            return False
        tried.add(identity)
        return True
