"""Results that were cut: compared whole, by their row counts and then by their digests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.digest import match_of_digests, set_match_of_digests
from sqlobs.metrics.match import CUT, DIFFERENT
from sqlobs.runs.scores import SCORES

if TYPE_CHECKING:
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits
    from sqlobs.metrics.digest import TableDigest
    from sqlobs.metrics.match import Match

_OF_EQUAL_SETS: Final = ("ex_set", "results_match", "overlap_percent")
"""What raw rows that are equal as bags score, wherever they stand."""
_END: Final = re.compile(r"[\s;]+\Z")


@dataclass(frozen=True, slots=True)
class WholeResults:
    """What two whole results are to each other."""

    match: Match
    """By the default rule, `ex`; still undetermined where time ran out or rounding decides."""
    counts: tuple[int | None, int | None] = (None, None)
    """Rows of the reference and of the prediction, where they could be counted."""
    sets: Match = CUT
    """By `ex_set`: equal, or undetermined."""
    equal_in_place: frozenset[str] = frozenset()
    """Further scores by which the results are equal."""

    @property
    def has_same_count(self) -> bool | None:
        """Both have as many rows; None where one is not known."""
        return None if None in self.counts else self.counts[0] == self.counts[1]

    @property
    def scores(self) -> dict[str, float | None]:
        """The scores that the whole results decide, by name; `ex` is always among them."""
        found = {"ex": self.match.score}
        if self.has_same_count is not None:
            found["same_row_count"] = float(self.has_same_count)
        names = _OF_EQUAL_SETS if self.sets.equal else ()
        return found | {name: SCORES[name].best for name in (*names, *self.equal_in_place)}


def compare_whole(
    statements: tuple[str, str],
    reference: Execution,
    *,
    executor: Executor,
    target: str,
    limits: Limits,
) -> WholeResults:
    """Compare two results, one of which was cut, without holding a row of either.

    The database counts both; where the counts are equal, or it cannot, both run once more and
    their rows are digested as they come.

    Args:
        statements: The reference and the prediction; both ran, and gave as many columns.
        reference: What came of the reference, for its columns and its order.
        executor: Runs statements.
        target: The target's alias.
        limits: Of each statement; as long as it ran before, it may be digested.
    """
    counting = [(_count_of(sql), limits) for sql in statements]
    counted = executor.run_all(counting, target=target)
    counts = _count_in(counted[0]), _count_in(counted[1])
    if None not in counts and counts[0] != counts[1]:
        return WholeResults(DIFFERENT, counts)
    table, ordering = reference.outcome.table, reference.ordering
    keys = None if table is None else ordering.positions(table.columns)
    ran = executor.digest_all([(sql, limits) for sql in statements], target=target, keys=keys)
    whole, other = ran[0].digest, ran[1].digest
    if whole is None or other is None:
        return WholeResults(CUT, counts)
    match = match_of_digests(whole, other, is_ordered=ordering.is_ordered)
    sets = set_match_of_digests(whole, other)
    further = frozenset() if ordering.is_ordered else _further(match, sets, whole, other)
    return WholeResults(match, (whole.count, other.count), sets, further)


def _further(
    match: Match, sets: Match, reference: TableDigest, predicted: TableDigest
) -> frozenset[str]:
    """Return the scores with another rule about columns that equal bags of rows have, too."""
    is_spelt_alike = reference.is_spelt_alike and predicted.is_spelt_alike
    held = {"ex_subset": match.equal, "ex_test_suite": sets.equal and is_spelt_alike}
    return frozenset(name for name, holds in held.items() if holds)


def _count_of(sql: str) -> str:
    """Return a statement that counts the rows of another, which may end in a comment."""
    return f"SELECT count(*) FROM (\n{_END.sub('', sql)}\n) AS counted"  # noqa: S608 - the gate reads it as it reads every statement


def _count_in(execution: Execution) -> int | None:
    table = execution.outcome.table
    count = table.rows[0][0] if table is not None and table.rows else None
    return count if isinstance(count, int) else None
