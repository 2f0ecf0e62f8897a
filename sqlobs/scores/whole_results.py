"""Results that were cut: compared whole, by their row counts and then by their digests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sqlobs.execution.executor import Executor
from sqlobs.execution.outcome import Execution, ExecutionRequest
from sqlobs.execution.target import Limits
from sqlobs.metrics.digest import match_of_digests, set_match_of_digests
from sqlobs.metrics.match import CUT, DIFFERENT, Match

_END: Final = re.compile(r"[\s;]+\Z")


class Runner(Protocol):
    """Runs statements, or knows their results."""

    def run_all(
        self,
        statements: Sequence[tuple[str, Limits]],
        *,
        target: str,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Return the executions of statements, with the rows that the limits let through."""

    def digest_all(
        self,
        statements: Sequence[tuple[str, Limits]],
        *,
        target: str,
        keys: tuple[int, ...] | None = None,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Return the executions of statements, with digests of all their rows."""


@dataclass(frozen=True, slots=True)
class WholeResults:
    """What two whole results are to each other."""

    match: Match
    """By the default rule, `ex`; still undetermined where time ran out or rounding decides."""
    counts: tuple[int | None, int | None] = (None, None)
    """Rows of the reference and of the prediction, where they could be counted."""
    sets: Match = CUT
    """By `ex_set`: equal, or undetermined."""
    is_same_bag: bool | None = None
    """The rows are equal as bags by the default rule, and their order does not count."""
    is_same_under_permutation: bool | None = None
    """The same for raw cells that are also spelled alike: the rule of the test suite."""

    @property
    def has_same_count(self) -> bool | None:
        """Both have as many rows; `None` where one is unknown."""
        return None if None in self.counts else self.counts[0] == self.counts[1]

    @property
    def difference(self) -> str:
        """Why the results differ, in words."""
        rows, others = self.counts
        if rows is None or others is None or rows == others:
            return "the complete results differ"
        return f"{rows:,} rows in the reference's result, {others:,} in the prediction's"


def compare_whole(
    statements: tuple[str, str],
    reference: Execution,
    *,
    executor: Runner,
    target: str,
    dialect: str | None,
    limits: Limits,
    session: Mapping[str, str] | None = None,
) -> WholeResults:
    """Compare two results, one of which was cut, without holding a row of either.

    The database counts both; where the counts are equal, or it cannot, both run once more and
    their rows are digested as they come. What only sorts them is left out unless their order
    counts.

    Args:
        statements: The reference and the prediction; both ran, and gave as many columns.
        reference: The execution of the reference, for its columns and its order.
        executor: Runs statements.
        target: The target's alias.
        dialect: sqlglot's name of its dialect; None = unknown.
        limits: Of each statement; as long as it ran before, it may be digested.
        session: Values for the settings that the target wants bound.
    """
    from sqlobs.metrics.order_by import without_order

    bare = [sql if dialect is None else without_order(sql, dialect=dialect) for sql in statements]
    counting = [(_count_of(sql), limits) for sql in bare]
    counted = executor.run_all(counting, target=target, session=session)
    counts = _count_in(counted[0]), _count_in(counted[1])
    if None not in counts and counts[0] != counts[1]:
        return WholeResults(DIFFERENT, counts)
    table, ordering = reference.outcome.table, reference.ordering
    keys = None if table is None else ordering.positions(table.columns)
    texts = [(sql, limits) for sql in (statements if ordering.is_ordered else bare)]
    ran = executor.digest_all(texts, target=target, keys=keys, session=session)
    whole, other = ran[0].digest, ran[1].digest
    if whole is None or other is None:
        return WholeResults(CUT, counts)
    match = match_of_digests(whole, other, is_ordered=ordering.is_ordered)
    sets = set_match_of_digests(whole, other)
    counts = whole.count, other.count
    if ordering.is_ordered:
        return WholeResults(match, counts, sets)
    is_spelt_alike = whole.is_spelt_alike and other.is_spelt_alike
    is_permuted = (sets.equal and is_spelt_alike) or None
    return WholeResults(match, counts, sets, match.equal or None, is_permuted)


def whole_results_of(
    request: ExecutionRequest, reference: Execution, executor: Executor
) -> WholeResults:
    """Compare the whole results of a request that ran, under its own limits and session."""
    return compare_whole(
        (request.reference or "", request.sql),
        reference,
        executor=executor,
        target=request.target,
        dialect=executor.grammar(request.target),
        limits=request.limits,
        session=request.session,
    )


def _count_of(sql: str) -> str:
    """Return a statement that counts the rows of another, which may end in a comment."""
    return f"SELECT count(*) FROM (\n{_END.sub('', sql)}\n) AS counted"  # noqa: S608 - the gate reads it as it reads every statement


def _count_in(execution: Execution) -> int | None:
    table = execution.outcome.table
    count = table.rows[0][0] if table is not None and table.rows else None
    return count if isinstance(count, int) else None
