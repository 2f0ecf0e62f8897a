"""Hands queued units to the processes that evaluate them: the interface, and its constants.

A unit is enqueued in the transaction that stores it: with the state `queued`, in its own row. Tests
of its laws on both stores: `tests/collector/test_dispatcher.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs_collector.origin import Origin
    from sqlobs_collector.store.rows import Queued
    from sqlobs_collector.store.selection import RequestFilter

FEEDBACK: Final = 0
"""The priority of units that a user complained about."""
FAILURE: Final = 1
"""Of units that failed their check."""
ORDINARY: Final = 2
BACKFILL: Final = 3
"""Of units that are evaluated again, behind all others."""
RETRY_S: Final = (30, 60, 120, 240)
"""Retry delays of a unit whose target was unreachable, whose schema had not come, or that hit an
internal error, by the number of attempts; the last one stays."""
MOST_CLAIMS: Final = 5
"""A unit that ended its process this often is not evaluated again."""


SUSPECT_AFTER: Final = 2
"""A unit that this many processes began and did not finish is taken alone: of those that were taken
with it, nobody knows which one ended the process."""


class Released(NamedTuple):
    """What became of the units of processes that have ended."""

    queued: int
    given_up: Sequence[Origin] = ()
    """The origins of units that have ended too many processes."""
    traces: Sequence[str] = ()
    """Their traces."""


class Waiting(NamedTuple):
    """The units that wait."""

    units: int
    since_ns: int | None
    """When the oldest of them was received."""


class Dispatcher(Protocol):
    """Works on the connection of a transaction: what is rolled back was not done.

    Times are Unix times in nanoseconds. A worker is the id of a process.
    """

    def take(self, worker: str, *, at_ns: int, limit: int) -> list[Queued]:
        """Return units that nobody else has, those of high priority and old ones first.

        Each workspace gets an equal share, so that the backlog of one delays no other. What is left
        of the limit is for units that are due for another attempt. A unit that several processes
        have begun and not finished is taken alone.
        """

    def still_has(self, worker: str, unit_ids: Iterable[int]) -> set[int]:
        """Return which of some units a process still has, locked until the transaction ends.

        The others were deleted, replaced by a better record, or taken from it while it did not
        respond.
        """

    def give_back(self, worker: str, *, at_ns: int) -> None:
        """Queue the units that a process has taken and will not finish."""

    def release(self, *, at_ns: int) -> Released:
        """Queue the units of processes that have ended.

        One that was begun too often, because it ends the processes that evaluate it, becomes an
        error.
        """

    def prefer(self, unit_ids: Sequence[int], priority: int) -> None:
        """Set the priority of units."""

    def cancel(self, wanted: RequestFilter, reason: str, *, at_ns: int, limit: int) -> int:
        """Cancel units that wait, also for another attempt; return how many.

        A unit that a process has is not canceled.
        """

    def waiting(self) -> Waiting:
        """Return how many units are queued."""
