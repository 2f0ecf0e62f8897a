"""The interface for showing the progress of a run."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Receives the progress of a run."""

    def begin(self, *, total: int, finished: int) -> None:
        """All is set up; so many pieces are finished from an earlier attempt."""

    def advance(self, *, is_good: bool) -> None:
        """A piece is finished, well or not."""

    def end(self) -> None:
        """All pieces are finished, or the run was stopped."""


class Unwatched:
    """A watcher that shows nothing."""

    def begin(self, *, total: int, finished: int) -> None:
        """Show nothing."""

    def advance(self, *, is_good: bool) -> None:
        """Show nothing."""

    def end(self) -> None:
        """Show nothing."""
