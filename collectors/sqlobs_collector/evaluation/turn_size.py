"""How many units an evaluator takes at a time.

Each turn costs a few statements in the store, however many units it has; but a new unit of another
workspace waits for the turn. So a turn has as many units as are evaluated within a second.

Tests: `tests/collector/test_evaluation.py`.
"""

from __future__ import annotations

from typing import Final

_TURN_S: Final = 1.0
_PER_WORKER: Final = 8
"""Units that each worker has at least, so that all of them are busy during most of a turn."""
MOST_AT_ONCE: Final = 128


class TurnSize:
    """Follows the rate of the last turn.

    Args:
        workers: Units that are evaluated at the same time.
    """

    def __init__(self, workers: int) -> None:
        self._least = workers * _PER_WORKER
        self.units = self._least
        """The number of units to take next."""

    def learn(self, units: int, took_s: float) -> None:
        """Remember how long a turn took, in seconds."""
        within = int(units * _TURN_S / took_s) if took_s > 0 else MOST_AT_ONCE
        self.units = max(self._least, min(within, MOST_AT_ONCE))
